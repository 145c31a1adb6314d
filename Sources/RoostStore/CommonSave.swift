// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What the transactions of one save have in common that writes to several stores.
package struct CommonSave: Sendable, Hashable {
  /// Which save it is.
  package let id: UUID
  /// The UUIDs of the stores that keep a transaction of it, unless the save has failed in between.
  package let stores: [String]

  package init(id: UUID = UUID(), stores: [String]) {
    (self.id, self.stores) = (id, stores)
  }
}
