// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

extension Fetcher {
  /// Returns the overlay of unsaved changes for a request; nil when no unsaved change can affect it.
  func overlay<T>(
    for resolved: ResolvedFetch, _ request: FetchRequest<T>
  ) throws -> PendingChangesOverlay? {
    // `hasChanges` would register an access with Swift's Observation.
    guard !context.changes.isEmpty else { return nil }
    let entities = Set(resolved.entities.map(ObjectIdentifier.init))
    let others = RelatedEntities(of: resolved)
    var changed = ContiguousArray<ManagedObject>()
    var needsAll = false
    for case let object? in context.changes.entries {
      if entities.contains(ObjectIdentifier(object.entity)) { changed.append(object) }
      if others.contains(object.entity) { needsAll = true }
    }
    if let named = try stores(named: request.affectedStoreIdentifiers) {
      changed = try within(named, changed)
    }
    guard needsAll || !changed.isEmpty else { return nil }
    return PendingChangesOverlay(
      context: context, fetch: resolved, changed: changed, needsAll: needsAll
    ) { [self] asked in
      // If stored objects are evaluated or sorted in memory, their values are needed.
      if !needsAll, resolved.sort.isEmpty {
        return try ask(asked, forObjectsOf: request, request.delivery)
      }
      guard case .rows(let rows) = try ask(asked, for: request) else { return [] }
      return context.materializer.materialize(
        rows, refreshing: request.shouldRefreshRefetchedObjects)
    }
  }

  /// Returns the changed objects whose records are in the stores that a request names, and the new objects that a save
  /// would put there (B136).
  private func within(
    _ named: [StoreIdentity], _ changed: ContiguousArray<ManagedObject>
  ) throws -> ContiguousArray<ManagedObject> {
    let new: ContiguousArray = changed.filter { $0.identity.isTemporaryID }
    var places: [ObjectIdentifier: StoreIdentity] = [:]
    if !new.isEmpty {
      for (object, store) in zip(new, try context.saver.storesOfNew(new)) {
        places[ObjectIdentifier(object)] = store
      }
    }
    return changed.filter { object in
      let store = places[ObjectIdentifier(object)] ?? object.identity.storeIdentity
      return named.contains { $0 === store }
    }
  }
}
