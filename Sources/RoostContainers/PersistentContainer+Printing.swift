// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension PersistentContainer: CustomDebugStringConvertible {
  /// The text that `print` shows: the name, the number of entities, and the stores, including those not loaded yet.
  ///
  /// - Complexity: O(stores).
  public final var debugDescription: String {
    let loaded = persistentStoreCoordinator.attachedStores
    let left = persistentStoreDescriptions.count - loaded.count
    let stores = loaded.map(\.shownName) + (left > 0 ? ["\(left) not loaded"] : [])
    return "<PersistentContainer “\(name)”, entities: \(managedObjectModel.entities.count), "
      + (stores.isEmpty ? "no stores" : stores.joined(separator: ", ")) + ">"
  }
}
