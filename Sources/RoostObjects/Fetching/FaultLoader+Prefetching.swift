// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Loading what a program says that it is going to follow, one request a step.
extension FaultLoader {
  /// Loads relationships of many objects, one request a step of each key path (B127).
  func prefetch(_ keyPaths: [String], of objects: [ManagedObject]) throws {
    for keyPath in keyPaths {
      var level = objects
      for name in keyPath.split(separator: ".") {
        level = try prefetchStep(String(name), of: level)
      }
    }
  }

  /// Throws when a key path does not begin with a relationship of an object.
  func requireRelationships(_ keyPaths: [String], of object: ManagedObject) throws {
    for keyPath in keyPaths {
      guard let name = keyPath.split(separator: ".").first.map(String.init),
        object.binding.relationship(named: name) == nil
      else { continue }
      throw object.keyed.unknownKey(name)
    }
  }

  /// Loads the relationships that a request in batches names, for the members of groups that were read just now.
  func prefetch(of groups: [FetchGroup]) throws(PersistenceError) {
    for group in groups where !group.prefetchedKeyPaths.isEmpty {
      let keyPaths = group.prefetchedKeyPaths
      group.prefetchedKeyPaths = []
      do {
        try prefetch(keyPaths, of: group.ids.compactMap { context.registry.object(for: $0) })
      } catch {
        group.prefetchedKeyPaths = keyPaths
        throw PersistenceError.wrapping(error)
      }
    }
  }

  private func prefetchStep(
    _ name: String, of objects: [ManagedObject]
  ) throws -> [ManagedObject] {
    guard let first = objects.first else { return [] }
    guard let relationship = first.binding.relationship(named: name) else {
      throw first.keyed.unknownKey(name)
    }
    if case .toOne(let slot) = relationship.storage,
      let destinations = destinations(of: relationship, at: slot, of: objects)
    {
      try realize(reachable(destinations, relationship), pastCache: true)
      return Array(destinations)
    }
    try realize(ContiguousArray(objects))
    let sources = objects.filter { $0.binding.relationship(named: name) != nil }
    if relationship.isToMany {
      let unread = sources.filter { $0.isKnownBelow && $0.related.hasUnloaded(relationship) }
      if !unread.isEmpty { try loadDestinations(of: relationship, for: unread) }
    }
    var seen = Set<ObjectIdentifier>()
    var destinations = ContiguousArray<ManagedObject>()
    for source in sources {
      for object in source.related.allDestinations(relationship)
      where seen.insert(ObjectIdentifier(object)).inserted {
        destinations.append(object)
      }
    }
    try realize(reachable(destinations, relationship), pastCache: true)
    return Array(destinations)
  }

  /// The destinations that can be read: those of other stores that are not attached stay faults.
  private func reachable(
    _ destinations: ContiguousArray<ManagedObject>, _ relationship: RelationshipDescription
  ) -> ContiguousArray<ManagedObject> {
    guard relationship.leadsAcrossStores else { return destinations }
    return destinations.filter { isReachable($0.identity) }
  }

  /// The destinations that the rows of faults name, each once. The sources stay faults, and their groups keep the
  /// destinations. Nil when a source is more than a fault of the first one's entity with a row of a store.
  private func destinations(
    of relationship: RelationshipDescription, at slot: RowSlot, of sources: [ManagedObject]
  ) -> ContiguousArray<ManagedObject>? {
    guard context.parentContext == nil, context.stalenessInterval < 0,
      let binding = sources.first?.binding
    else {
      return nil
    }
    var ids: [ObjectID] = []
    var seen = KeySet()
    var numbers = SeenNumbers()
    var groups: [FetchGroup] = []
    for source in sources {
      guard source.binding === binding, source.isFault, let base = source.row?.base,
        source.linkTable.isEmpty, source.soleOrdinal < 0
      else { return nil }
      if groups.last !== source.fetchGroup {
        guard let group = source.fetchGroup else { return nil }
        groups.append(group)
      }
      // The source holds the row that the memory is part of.
      guard !RowMemory.isNull(base, slot), case let key:Int64 = RowMemory.load(base, slot) else {
        continue
      }
      if ForeignNumber.isForeign(key) {
        guard numbers.insert(key, of: source) else { continue }
        guard let id = destinationID(forKey: key, from: source) else { return nil }
        if numbers.insert(id) { ids.append(id) }
        continue
      }
      guard seen.insert(key) else { continue }
      guard key >= 0, let id = attachedStore(of: source)?.objectID(forKey: key) else { return nil }
      ids.append(id)
    }
    let objects = ContiguousArray(context.materializer.materialize(ids))
    let kept = PrefetchedObjects(objects)
    for group in groups { group.prefetched.append(kept) }
    return objects
  }
}

/// The records of other stores that were seen: by the numbers that their sources' stores have for them, so that few of
/// them are looked up, and by their IDs, as two stores have numbers of their own for the same record.
private struct SeenNumbers {
  private var store: StoreIdentity?
  /// Made with the first number: most relationships stay within a store.
  private var keys: KeySet?
  private var ids = Set<ObjectID>()

  /// Whether a number is new among those of sources that lie one after the other in the same store.
  mutating func insert(_ key: Int64, of source: ManagedObject) -> Bool {
    let store = source.identity.storeIdentity
    if keys == nil || store !== self.store {
      self.store = store
      keys = KeySet()
    }
    return keys?.insert(key) ?? true
  }

  mutating func insert(_ id: ObjectID) -> Bool { ids.insert(id).inserted }
}
