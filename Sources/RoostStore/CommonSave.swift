// SPDX-License-Identifier: Apache-2.0

/// The data shared by the transactions of one save over several stores.
package struct CommonSave: Sendable, Hashable {
  /// The identifier of the save. Prepared parts and the decision of an atomic save are looked up by it, too.
  package let id: SaveID
  /// The UUIDs of the stores that the save writes to. After a save that failed halfway, some have no transaction of
  /// it.
  package let stores: [String]

  package init(id: SaveID = SaveID(), stores: [String]) {
    (self.id, self.stores) = (id, stores)
  }
}
