// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension AttachedStore {
  /// The name of the store in `print`: without folders, users or passwords.
  package var shownName: String {
    let place = log.storeName
    let type = store.description.type.rawValue
    let words = (place == type ? [] : [type]) + (isReadOnly ? ["read only"] : [])
    return words.isEmpty ? place : "\(place) (\(words.joined(separator: ", ")))"
  }
}

extension PersistentStoreCoordinator: CustomDebugStringConvertible {
  /// The text that `print` shows: the name, the number of entities, and the stores, without folders, users or
  /// passwords.
  ///
  /// - Complexity: O(stores).
  public var debugDescription: String {
    let title = name.map { " “\($0)”" } ?? ""
    let stores = attachedStores.map(\.shownName)
    return "<PersistentStoreCoordinator\(title), entities: \(managedObjectModel.entities.count), "
      + (stores.isEmpty ? "no stores" : stores.joined(separator: ", ")) + ">"
  }
}
