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

  /// Source and destination may be saved in different stores of one coordinator. It suffices to set the option on one
  /// side of a relationship and its inverse, and it is not part of the version hash.
  public static let crossesStores = RelationshipOption(kind: .crossesStores)
}
