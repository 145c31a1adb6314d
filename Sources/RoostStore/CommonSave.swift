// SPDX-License-Identifier: Apache-2.0

/// What the transactions of one save have in common that writes to several stores.
package struct CommonSave: Sendable, Hashable {
  /// Which save it is: of an atomic one, what its prepared parts and the decision on it are found by, too.
  package let id: SaveID
  /// The UUIDs of the stores that keep a transaction of it, unless the save has failed in between.
  package let stores: [String]

  package init(id: SaveID = SaveID(), stores: [String]) {
    (self.id, self.stores) = (id, stores)
  }
}
