// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension RelationshipDescription {
  /// Whether source and destination may be saved in different stores of a coordinator; false unless set.
  ///
  /// It is enough if one of a relationship and its inverse allows it. If neither does, a save that would relate
  /// objects of different stores is refused with `externalRelationship`. It is not part of the version hash: a model
  /// can begin to allow it, and its stores are opened without a migration.
  ///
  /// ```swift
  /// let album = RelationshipDescription(name: "album", destination: albums, maxCount: 1)
  /// album.crossesStores = true
  /// ```
  public var crossesStores: Bool {
    get { mayCrossStores }
    set { mayCrossStores = newValue }
  }
}
