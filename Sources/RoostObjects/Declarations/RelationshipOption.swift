// SPDX-License-Identifier: Apache-2.0

/// A yes-or-no setting of a relationship.
///
/// ```swift
/// @Relationship(.crossesStores, inverse: \.photos) var album: Album?
/// ```
public struct RelationshipOption: Hashable, Sendable {
  private enum Kind: Hashable {
    case crossesStores
  }

  private let kind: Kind

  /// Source and destination may be saved in different stores of one coordinator. It is enough that one side of a
  /// relationship and its inverse says so, and it is not part of the version hash.
  public static let crossesStores = RelationshipOption(kind: .crossesStores)
}
