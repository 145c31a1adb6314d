// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Finding the destinations of relationships, for all objects of a group at once.
extension FaultLoader {
  /// The destination that a row's slot names: the registered object, or a fault that knows the destinations of its
  /// source's companions.
  func object(
    forKey key: Int64, of ordinal: Int, from source: ManagedObject
  ) -> ManagedObject? {
    if let known = context.registry.object(forKey: key, besides: source) { return known }
    guard let id = destinationID(forKey: key, from: source) else { return nil }
    if let known = context.registry.object(for: id) { return known }
    let object = context.materializer.makeFault(id)
    object.fetchGroup = destinationGroup(of: ordinal, from: source)
    return object
  }

  /// The ID of the destination that a slot of a source's row names.
  func destinationID(forKey key: Int64, from source: ManagedObject) -> ObjectID? {
    if key < 0 {
      // An object that has, or had, no record: only a parent gives such a key.
      context.upstream.learnPermanentIDs()
      return context.upstreamState.references?.id(for: key)
    }
    return attachedStore(of: source)?.objectID(forKey: key)
  }

  /// The store of a saved object; the same as last time, as a rule.
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

  /// The group of all destinations that the companions of an object point at.
  private func destinationGroup(
    of ordinal: Int, from source: ManagedObject
  ) -> FetchGroup? {
    guard context.batchesFaults, let group = source.fetchGroup else { return nil }
    if let known = group.destinations[ordinal] { return known }
    guard let slot = source.binding.referenceSlots[ordinal] else { return nil }
    var seen = Set<Int64>()
    var ids: [ObjectID] = []
    for member in group.ids {
      guard let object = context.registry.object(for: member),
        let row = object.row ?? object.values.partialRow(having: slot),
        object.entity.isKindOf(entity: source.entity), let key = row.reference(slot),
        seen.insert(key).inserted, let id = destinationID(forKey: key, from: object)
      else { continue }
      ids.append(id)
    }
    let result = FetchGroup(ids: ids, commitCount: -1)
    result.readsAhead = true
    group.destinations[ordinal] = result
    return result
  }

  /// Loads a to-many relationship of an object and of its companions in one request. When that fails it stays unloaded,
  /// and the failure is noted.
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
      let destinations = materialize(destinations: found.ids)
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

  /// The objects of destinations: the registered ones, or new faults that know each other.
  private func materialize(destinations ids: ObjectIDList) -> ContiguousArray<ManagedObject> {
    let groups = FetchGroup.groups(of: ids)
    context.registry.reserve(ids.count)
    var result = ContiguousArray<ManagedObject>()
    result.reserveCapacity(ids.count)
    guard let scope = ids.scope else {
      var maker = FaultMaker(context: context)
      for (place, id) in ids.enumerated() {
        if let known = context.registry.object(for: id) {
          result.append(known)
          continue
        }
        let object = maker.fault(id)
        object.fetchGroup = groups[place / FetchGroup.limit]
        result.append(object)
      }
      return result
    }
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
