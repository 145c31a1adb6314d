// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

extension ManagedObjectContext: CustomDebugStringConvertible {
  /// The text that `print` shows: the name, the queue, the numbers of registered and changed objects, and where the
  /// context saves to. It ends no event and queries no store.
  ///
  /// - Complexity: O(1).
  public var debugDescription: String {
    let title = name.map { " “\($0)”" } ?? ""
    let queue = concurrencyType.isMainQueue ? "main queue" : "private queue"
    let counts =
      "objects: \(registry.count) (\(changes.insertedCount) new, \(changes.updatedCount) changed, "
      + "\(changes.deletedCount) deleted)"
    let place: String
    if let parentContext {
      place = "child of" + (parentContext.name.map { " “\($0)”" } ?? " a context")
    } else if let coordinator = upstreamState.rootCoordinator {
      let stores = coordinator.attachedStores.map(\.shownName).joined(separator: ", ")
      place = stores.isEmpty ? "no stores" : "on " + stores
    } else {
      place = "no coordinator"
    }
    return "<ManagedObjectContext\(title), \(queue), \(counts), \(place)>"
  }
}
