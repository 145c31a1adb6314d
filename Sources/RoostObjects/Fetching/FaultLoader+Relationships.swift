// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Finding the destinations of relationships, for all objects of a fetch group at once.
extension FaultLoader {
  /// Returns the destination in a row's slot: the registered object, or a fault in a group with the destinations of
  /// the source's companions.
  func object(
    forKey key: Int64, of ordinal: Int, from source: ManagedObject
  ) -> ManagedObject? {
    if let known = context.registry.object(forKey: key, besides: source) { return known }
    guard let id = destinationID(forKey: key, from: source) else { return nil }
    if let known = context.registry.object(for: id) { return known }
    let object = context.materializer.makeFault(id)
    if key >= 0 || isReachable(id) {
      object.fetchGroup = destinationGroup(of: ordinal, from: source)
    }
    return object
  }

  /// Returns the ID of the destination in a slot of a source's row.
  func destinationID(forKey key: Int64, from source: ManagedObject) -> ObjectID? {
    if key < 0 {
      if ForeignNumber.isForeign(key) { return foreignID(forKey: key, from: source) }
      // An object without a record, now or earlier: only a parent uses such a key.
      context.upstream.learnPermanentIDs()
      return context.upstreamState.references?.id(for: key)
    }
    return attachedStore(of: source)?.objectID(forKey: key)
  }

  /// Returns the ID of a record of another store that a slot refers to; nil when it cannot be determined, which is
  /// recorded as an error.
  private func foreignID(forKey key: Int64, from source: ManagedObject) -> ObjectID? {
    do {
      return try attachedStore(of: source)?.destinationID(forKey: key)
    } catch {
      context.readErrors.noteReadFailure(PersistenceError.wrapping(error), of: [source.identity])
      return nil
    }
  }

  /// Returns the key for a destination in the row of a source; nil for a record of another store to which nothing in
  /// the source's store refers yet, and for one of which this cannot be determined, which is recorded as an error.
  func key(of destination: ObjectID, from source: ManagedObject) -> Int64? {
    let destination = destination.current
    guard let store = attachedStore(of: source) else { return destination.key }
    do {
      return try store.knownKeys(ofDestinations: [destination])[0]
    } catch {
      context.readErrors.noteReadFailure(error, of: [source.identity])
      return nil
    }
  }

  /// Whether a record's store can be queried. A record of a store that is not attached still has an ID and a fault;
  /// firing the fault fails (X45).
  func isReachable(_ id: ObjectID) -> Bool {
    guard let store = id.current.storeIdentity else { return true }
    return store.attachedObject != nil
      || context.persistentStoreCoordinator?.attachedStore(of: id) != nil
  }

  /// Returns the store of a saved object; usually the same as for the last call.
  func attachedStore(of object: ManagedObject) -> AttachedStore? {
    if let lastStore = context.loading.lastStore,
      lastStore.identity === object.identity.storeIdentity
    {
      return lastStore
    }
    let store = context.persistentStoreCoordinator?.attachedStore(of: object.identity)
    context.loading.lastStore = store
    return store
  }

  /// Returns the group of all destinations of an object's companions.
  private func destinationGroup(
    of ordinal: Int, from source: ManagedObject
  ) -> FetchGroup? {
    guard context.batchesFaults, let group = source.fetchGroup else { return nil }
    if let known = group.destinations[ordinal] { return known }
    guard let slot = source.binding.referenceSlots[ordinal] else { return nil }
    var seen = Set<Int64>()
    var ids: [ObjectID] = []
    var seenElsewhere = Set<ObjectID>()
    for member in group.ids {
      guard let object = context.registry.object(for: member),
        let row = object.row ?? object.values.partialRow(having: slot),
        object.entity.isKindOf(entity: source.entity), let key = row.reference(slot),
        key < 0 || seen.insert(key).inserted, let id = destinationID(forKey: key, from: object)
      else { continue }
      // The same record may have different numbers in two stores.
      if key < 0, !isReachable(id) || !seenElsewhere.insert(id).inserted { continue }
      ids.append(id)
    }
    let result = FetchGroup(ids: ids, commitCount: -1)
    result.readsAhead = true
    group.destinations[ordinal] = result
    return result
  }

  /// Loads a to-many relationship of an object and of its companions in one request. If that fails, the relationship
  /// stays unloaded and the error is recorded.
  ///
  /// - Complexity: One query.
  func loadDestinations(of relationship: RelationshipDescription, for object: ManagedObject) {
    do throws(PersistenceError) {
      try readDestinations(of: relationship, for: object)
    } catch {
      context.readErrors.noteReadFailure(error, of: [object.identity], key: relationship.name)
    }
  }

  /// Loads a to-many relationship of an object and of its companions in one request.
  ///
  /// - Complexity: One query.
  func readDestinations(
    of relationship: RelationshipDescription, for object: ManagedObject
  ) throws(PersistenceError) {
    guard context.allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(object, key: relationship.name)
    }
    let sources = companions(of: object) {
      $0.entity.isKindOf(entity: relationship.entity ?? $0.entity)
        && $0.isKnownBelow && $0.related.hasUnloaded(relationship)
    }
    context.statistics.implicitRoundTrips += 1
    try context.asCaller(implicitly: true) { () throws(PersistenceError) in
      try loadDestinations(of: relationship, for: sources)
    }
  }

  /// Loads a to-many relationship of many objects in one request.
  ///
  /// - Complexity: One query.
  func loadDestinations(
    of relationship: RelationshipDescription, for sources: [ManagedObject]
  ) throws(PersistenceError) {
    do {
      let found = try context.asCaller {
        try context.upstream.source().destinations(
          of: relationship, for: sources.map(\.identity))
      }
      context.statistics.roundTrips += 1
      context.upstream.learnPermanentIDs()
      let destinations = materialize(
        destinations: found.ids, mayBeOutOfReach: relationship.leadsAcrossStores)
      for (index, source) in sources.enumerated() {
        let range = found.offsets[index]..<found.offsets[index + 1]
        let positions = found.positions.isEmpty ? [] : Array(found.positions[range])
        source.related.takeStoredDestinations(
          ContiguousArray(destinations[range]), positions: positions, of: relationship)
      }
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  /// Returns the objects of destinations: the registered ones, or new faults in common groups.
  ///
  /// - Parameter mayBeOutOfReach: Whether some may be in other stores that are not attached.
  private func materialize(
    destinations ids: ObjectIDList, mayBeOutOfReach: Bool
  ) -> ContiguousArray<ManagedObject> {
    context.registry.reserve(ids.count)
    var result = ContiguousArray<ManagedObject>()
    result.reserveCapacity(ids.count)
    guard let scope = ids.scope else {
      // Unreachable objects are left out of the group, so that they do not prevent reading the others.
      let reachable =
        !mayBeOutOfReach || ids.allSatisfy(isReachable)
        ? ids : ObjectIDList(ids.filter(isReachable))
      let groups = FetchGroup.groups(of: reachable)
      var maker = FaultMaker(context: context)
      var place = 0
      for id in ids {
        let isMember = reachable.count == ids.count || isReachable(id)
        defer { if isMember { place += 1 } }
        if let known = context.registry.object(for: id) {
          result.append(known)
          continue
        }
        let object = maker.fault(id)
        if isMember { object.fetchGroup = groups[place / FetchGroup.limit] }
        result.append(object)
      }
      return result
    }
    let groups = FetchGroup.groups(of: ids)
    let binding = EntityBinding.binding(of: scope.entity)
    for group in groups {
      withExtendedLifetime(group) {
        for key in group.ids.keys {
          result.append(
            context.registry.object(forKey: key, in: scope)
              ?? context.materializer.makeFault(
                forKey: key, in: scope, binding: binding, group: .passUnretained(group)))
        }
      }
    }
    return result
  }
}
