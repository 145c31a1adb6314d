// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

extension ManagedObjectContext {
  /// Gives new objects their permanent IDs before they are saved; they stay inserted.
  ///
  /// - Parameter objects: Objects of this context; those that have a permanent ID are skipped.
  /// - Throws: ``PersistenceError`` with code `noStore` or `readOnlyStore`.
  /// - Complexity: At most one round trip a store.
  @_disfavoredOverload
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    try obtainPermanentIDsAbove(for: objects)
    let new = ContiguousArray(
      objects.filter { $0.context === self && $0.isInserted && $0.identity.isTemporaryID })
    for (object, id) in zip(new, try choosePermanentIDs(for: new)) { becomePermanent(object, id) }
  }

  /// Chooses a store for each new object and reserves its ID; objects that have a permanent ID keep it.
  ///
  /// - Parameter reserved: IDs that an earlier attempt of the same save has reserved.
  func choosePermanentIDs(
    for objects: ContiguousArray<ManagedObject>, reserved: [ObjectIdentifier: ObjectID] = [:]
  ) throws -> [ObjectID] {
    let coordinator = try coordinator()
    if !reserved.isEmpty {
      let known = objects.map { reserved[ObjectIdentifier($0)] ?? $0.identity }
      if !known.contains(where: \.isTemporaryID) { return known }
    }
    var newCount = 0
    objects.forEachHeld { if $0.identity.isTemporaryID { newCount += 1 } }
    let new =
      newCount == objects.count ? objects : objects.filter { $0.identity.isTemporaryID }
    guard !new.isEmpty else { return objects.map(\.identity) }
    let ids = try coordinator.obtainPermanentIDs(for: chooseStores(for: new, coordinator))
    guard new.count < objects.count else { return ids }
    var next = ids.makeIterator()
    return objects.map { $0.identity.isTemporaryID ? next.next() ?? $0.identity : $0.identity }
  }

  /// The stores of new objects, in the order of the objects. Where there is one store and nothing was assigned, there
  /// is nothing to choose.
  private func chooseStores(
    for objects: ContiguousArray<ManagedObject>, _ coordinator: PersistentStoreCoordinator
  ) throws -> NewRecords {
    var result = NewRecords()
    if assignments.isEmpty {
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

  /// What the router must know of new objects: where they were assigned, and whom they are related to (B230, B74).
  private func describeForRouting(
    _ objects: ContiguousArray<ManagedObject>, _ coordinator: PersistentStoreCoordinator
  ) -> [NewObject] {
    let hasChoice = coordinator.persistentStores.count > 1
    var places = [ObjectIdentifier: Int]()
    if hasChoice {
      for (index, object) in objects.enumerated() { places[ObjectIdentifier(object)] = index }
    }
    return objects.map { object in
      var new = NewObject(
        entity: object.entity, assigned: assignments[ObjectIdentifier(object)], relatedStores: [],
        relatedNew: [])
      guard hasChoice else { return new }
      for other in object.knownDestinations() {
        if let place = places[ObjectIdentifier(other)] {
          new.relatedNew.append(place)
        } else if let store = other.identity.storeIdentity {
          new.relatedStores.append(store)
        }
      }
      return new
    }
  }

  /// Swaps a temporary ID for a permanent one; whoever holds the old one can still find the object.
  func becomePermanent(_ object: ManagedObject, _ id: ObjectID) {
    guard object.identity.isTemporaryID else { return }
    registry.remove(object)
    let temporary = object.identity
    temporary.scope.becamePermanent(id)
    if inbox.hasChildren { inbox.announce(permanentIDsOf: [temporary]) }
    object.identity = id
    registry.insert(object)
    if !assignments.isEmpty { assignments[ObjectIdentifier(object)] = nil }
  }
}

extension ManagedObject {
  /// The destinations of all relationships, as far as they are known without asking a store.
  final func knownDestinations() -> [ManagedObject] {
    var result: [ManagedObject] = []
    for state in links {
      switch state {
      case .unloaded, .toOne(nil): break
      case .toOne(let object?): result.append(object)
      case .toMany(let links):
        result.append(contentsOf: links.isLoaded ? Array(links.members) : links.added)
      }
    }
    return result
  }
}
