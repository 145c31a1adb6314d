// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Objects of stores that were removed lose their context (B235).
  func invalidateRemovedStores() {
    guard let removed = upstreamState.removedStores, !removed.isEmpty else { return }
    let identifiers = Set(removed.take().map(\.identifier))
    let invalid = registry.all.filter { object in
      object.identity.storeIdentity.map { identifiers.contains($0.identifier) } ?? false
    }
    for object in invalid { forget(object) }
    if invalid.isEmpty {
      // Results that were empty cannot be known any more either.
      eventState.follower?.objectsWereInvalidated()
    } else {
      postInvalidation(of: invalid)
    }
  }

  /// Tells that objects became useless together; after a reset also when nobody holds one (B350).
  func postInvalidation(of objects: [ManagedObject]) {
    var lists = ObjectLists()
    lists.invalidatedAll = objects.map(\.identity)
    lists.hasInvalidatedAll = true
    eventState.follower?.objectsWereInvalidated()
    events.postObjectsDidChange(lists)
  }
}
