// SPDX-License-Identifier: Apache-2.0

/// What the deletion of an object does along a relationship, with Core Data's numbers.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \.author) var books: Set<Book>
/// ```
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
  /// Nothing: destinations keep what they have, even a dangling reference.
  case noAction = 0
  /// Destinations lose their reference to the deleted object; the default.
  case nullify = 1
  /// Destinations are deleted too.
  case cascade = 2
  /// The deletion is refused while there are destinations.
  case deny = 3

  /// ``noAction``.
  public static let noActionDeleteRule = noAction
  /// ``nullify``.
  public static let nullifyDeleteRule = nullify
  /// ``cascade``.
  public static let cascadeDeleteRule = cascade
  /// ``deny``.
  public static let denyDeleteRule = deny
}
