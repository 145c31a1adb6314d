// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Detaches the objects of removed stores from the context (B235).
  func invalidateRemovedStores() {
    guard let removed = upstreamState.removedStores, !removed.isEmpty else { return }
    let identifiers = Set(removed.take().map(\.identifier))
    let invalid = registry.all.filter { object in
      object.identity.storeIdentity.map { identifiers.contains($0.identifier) } ?? false
    }
    for object in invalid { forget(object) }
    if invalid.isEmpty {
      // Results that were empty are unknown now, too.
      eventState.follower?.objectsWereInvalidated()
    } else {
      postInvalidation(of: invalid)
    }
  }

  /// Posts that objects were invalidated together; after a reset even if the program holds none (B350).
  func postInvalidation(of objects: [ManagedObject]) {
    var lists = ObjectLists()
    lists.invalidatedAll = objects.map(\.identity)
    lists.hasInvalidatedAll = true
    eventState.follower?.objectsWereInvalidated()
    events.postObjectsDidChange(lists)
  }
}
