// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension SaveEngine {
  /// Chooses a store for each new object and reserves its ID; objects with a permanent ID keep it.
  ///
  /// - Parameter reserved: IDs reserved by an earlier attempt of the same save.
  func choosePermanentIDs(
    for objects: ContiguousArray<ManagedObject>, reserved: [ObjectIdentifier: ObjectID] = [:]
  ) throws -> [ObjectID] {
    let coordinator = try context.coordinator()
    if !reserved.isEmpty {
      let known = objects.map { reserved[ObjectIdentifier($0)] ?? $0.identity }
      if !known.contains(where: \.isTemporaryID) { return known }
    }
    var newCount = 0
    objects.forEachHeld { if $0.identity.isTemporaryID { newCount += 1 } }
    let new =
      newCount == objects.count ? objects : objects.filter { $0.identity.isTemporaryID }
    guard !new.isEmpty else { return objects.map(\.identity) }
    let ids = try context.asCaller {
      try coordinator.obtainPermanentIDs(for: chooseStores(for: new, coordinator))
    }
    guard new.count < objects.count else { return ids }
    var next = ids.makeIterator()
    return objects.map { $0.identity.isTemporaryID ? next.next() ?? $0.identity : $0.identity }
  }

  /// Returns the stores of new objects, in the order of the objects. With only one store and no assignments there is
  /// nothing to choose.
  private func chooseStores(
    for objects: ContiguousArray<ManagedObject>, _ coordinator: PersistentStoreCoordinator
  ) throws -> NewRecords {
    var result = NewRecords()
    if context.saving.assignments.isEmpty {
      var isCertain = true
      var last: EntityBinding?
      var run = 0
      objects.forEachHeld { object in
        if object.binding === last {
          run += 1
          return
        }
        result.extendLast(by: run)
        (run, last) = (0, object.binding)
        guard isCertain, let store = coordinator.onlyStore(forNew: object.binding.entity) else {
          isCertain = false
          return
        }
        result.append(object.binding.entity, in: store)
      }
      result.extendLast(by: run)
      if isCertain { return result }
      result = NewRecords()
    }
    let stores = try coordinator.storesForNewObjects(describeForRouting(objects, coordinator))
    return NewRecords(zip(objects.lazy.map(\.entity), stores))
  }

  /// Returns the store that each new object would be saved to, in their order.
  ///
  /// - Throws: An error when an object cannot be assigned to a store.
  func storesOfNew(_ objects: ContiguousArray<ManagedObject>) throws -> [StoreIdentity] {
    let coordinator = try context.coordinator()
    return try coordinator.storesForNewObjects(describeForRouting(objects, coordinator))
      .map(\.identity)
  }

  /// Describes new objects for the router: their assigned stores, and the objects they are related to (B230, B74).
  /// Relationships that lead across stores do not require a common store (X49).
  private func describeForRouting(
    _ objects: ContiguousArray<ManagedObject>, _ coordinator: PersistentStoreCoordinator
  ) -> [NewObject] {
    let hasChoice = coordinator.persistentStores.count > 1
    var places = [ObjectIdentifier: Int]()
    if hasChoice {
      for (index, object) in objects.enumerated() { places[ObjectIdentifier(object)] = index }
    }
    let drawn = hasChoice ? storesOfSources(leadingTo: places) : [:]
    return objects.map { object in
      var new = NewObject(
        entity: object.entity, assigned: context.saving.assignments[ObjectIdentifier(object)],
        relatedStores: drawn[ObjectIdentifier(object)] ?? [], relatedNew: [])
      guard hasChoice else { return new }
      for other in object.related.knownDestinationsWithinStore() {
        if let place = places[ObjectIdentifier(other)] {
          new.relatedNew.append(place)
        } else if let store = other.identity.storeIdentity {
          new.relatedStores.append(store)
        }
      }
      return new
    }
  }

  /// Returns the stores of the changed records whose relationships lead to new objects: without an inverse, the new
  /// object does not know of them.
  private func storesOfSources(
    leadingTo places: [ObjectIdentifier: Int]
  ) -> [ObjectIdentifier: [StoreIdentity]] {
    var result: [ObjectIdentifier: [StoreIdentity]] = [:]
    context.changes.forEach(.updated) { source in
      guard let store = source.identity.storeIdentity else { return }
      for other in source.related.knownDestinationsWithinStore()
      where places[ObjectIdentifier(other)] != nil {
        result[ObjectIdentifier(other), default: []].append(store)
      }
    }
    return result
  }
}
