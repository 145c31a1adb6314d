// SPDX-License-Identifier: Apache-2.0

/// The effect of deleting an object on the destinations of a relationship, with Core Data's numbers.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \.author) var books: Set<Book>
/// ```
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
  /// No effect: destinations stay unchanged, even with a dangling reference.
  case noAction = 0
  /// Destinations lose their reference to the deleted object; the default.
  case nullify = 1
  /// Destinations are deleted, too.
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
