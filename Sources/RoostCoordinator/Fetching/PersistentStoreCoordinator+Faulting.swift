// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

// Rows and destinations by ID: always in batches, from the cache first.
extension PersistentStoreCoordinator {
  /// Returns the rows of records, in the order of the IDs; nil for a record that is gone, or an unsaved object (B29).
  ///
  /// - Parameters:
  ///   - ids: The records.
  ///   - stalenessInterval: The maximum age of a cached row, in seconds; negative for any age, 0 to always read from
  ///     the stores (B50).
  ///   - generation: The snapshot to read; nil for the newest state.
  /// - Throws: `storeRemoved`, or the error of a store.
  /// - Complexity: At most one round trip for each store.
  package func rows(
    for ids: [ObjectID], stalenessInterval: Double = -1, in generation: StoreGeneration? = nil
  ) throws -> [Row?] {
    var result = [Row?](repeating: nil, count: ids.count)
    let groups = try StoreGroups(ids, in: stores(in: generation)).groups
    func read() throws {
      for group in groups {
        try group.store.forEachRow(forKeys: group.keys, stalenessInterval: stalenessInterval) {
          result[group.indices[$0]] = $1
        }
      }
    }
    guard groups.count > 1 else {
      try read()
      return result
    }
    try SaveRecovery(coordinator: self).reading(groups.lazy.map(\.store), in: generation, read)
    return result
  }

  /// Passes the row of each record to a closure, with the index of its ID; nil for a record that is gone, or an
  /// unsaved object.
  ///
  /// - Parameters:
  ///   - ids: The records.
  ///   - stalenessInterval: As above.
  ///   - generation: As above.
  ///   - body: Receives an index and the row; called once for each index, cached rows first.
  /// - Throws: `storeRemoved`, or the error of a store; then `body` was called for no records of that store.
  /// - Complexity: At most one round trip for each store.
  package func forEachRow(
    of ids: ObjectIDList, stalenessInterval: Double, in generation: StoreGeneration? = nil,
    _ body: (Int, Row?) -> Void
  ) throws {
    guard let identity = ids.scope?.store, let store = stores(in: generation).store(identity) else {
      let rows = try rows(
        for: Array(ids), stalenessInterval: stalenessInterval, in: generation)
      for place in rows.indices { body(place, rows[place]) }
      return
    }
    try store.forEachRow(
      forKeys: Array(ids.keys), stalenessInterval: stalenessInterval, body)
  }

  /// Returns the cached row of a record, however old, without asking a store.
  package func cachedRow(for id: ObjectID, in generation: StoreGeneration? = nil) -> Row? {
    let id = id.current
    guard let generation else { return attachedStore(of: id)?.cache.row(forKey: id.key) }
    return id.storeIdentity.flatMap { stores(in: generation).store($0) }?.cache.row(forKey: id.key)
  }

  /// Drops cached rows of records that another writer may have changed.
  package func forgetRows(of ids: [ObjectID]) {
    let list = route()
    // A record of a store that is not attached is not cached.
    guard
      let groups = try? StoreGroups(
        ids.filter { $0.current.storeIdentity.flatMap(list.store) != nil }, in: list
      ).groups
    else { return }
    for group in groups { group.store.cache.forget(group.keys) }
  }

  /// Returns the row of a record as it is in the store now (B42).
  ///
  /// - Throws: `objectReferentialIntegrity` when the record does not exist, `storeRemoved`, or the error of the
  ///   store.
  /// - Complexity: One round trip.
  package func existingRow(for id: ObjectID) throws -> Row {
    guard let row = try storedRow(for: id) else {
      throw PersistenceError(
        .objectReferentialIntegrity, "The object's record does not exist.",
        entityName: id.entity.name, objectIDs: [id], store: id.storeIdentity?.identifier)
    }
    return row
  }

  /// Returns the row of a record as it is in the store now, bypassing the cache; nil when the record is gone, or the
  /// object unsaved (B29).
  ///
  /// - Throws: `storeRemoved`, or the error of the store.
  /// - Complexity: One round trip.
  package func storedRow(
    for id: ObjectID, in generation: StoreGeneration? = nil
  ) throws -> Row? {
    let id = id.current
    guard let identity = id.storeIdentity else { return nil }
    let store =
      generation == nil ? routedStore(identity) : stores(in: generation).store(identity)
    guard let store else { throw StoreGroups.removedError(of: id, identity) }
    return try store.storedRow(forKey: id.key)
  }

  /// Returns the destinations of a to-many relationship for many sources; none for an unsaved source (B325).
  ///
  /// - Throws: `storeRemoved`, or the error of a store.
  /// - Complexity: One round trip for each store.
  package func destinations(
    of relationship: RelationshipDescription, for sources: [ObjectID],
    in generation: StoreGeneration? = nil
  ) throws -> FetchedDestinations {
    let list = stores(in: generation)
    let groups = try StoreGroups(sources, in: list).groups
    let across =
      relationship.leadsAcrossStores
      ? DestinationsAcross(relationship: relationship, list: list) : nil
    if let across, groups.count != 1 || !across.isKept(inStoreOfSource: groups[0].store) {
      return try SaveRecovery(coordinator: self).reading(list.stores, in: generation) {
        try across.run(groups, count: sources.count)
      }
    }
    if groups.count == 1, groups[0].keys.count == sources.count {
      let store = groups[0].store
      let found = try store.destinations(of: relationship, forSources: groups[0].keys)
      guard let across, found.keys.contains(where: ForeignNumber.isForeign) else {
        return FetchedDestinations(
          offsets: found.offsets, ids: try store.idList(forKeys: found.keys),
          positions: found.positions)
      }
      let ids = try store.destinationIDs(forKeys: found.keys)
      // Destinations of entities that the model no longer has are omitted, with their positions.
      guard !ids.contains(where: { $0 == nil }) else {
        return try SaveRecovery(coordinator: self).reading(list.stores, in: generation) {
          try across.run(groups, count: sources.count)
        }
      }
      return FetchedDestinations(
        offsets: found.offsets, ids: ObjectIDList(ids.compactMap(\.self)),
        positions: found.positions)
    }
    return try SaveRecovery(coordinator: self).reading(groups.lazy.map(\.store), in: generation) {
      try across?.run(groups, count: sources.count)
        ?? groups.destinations(of: relationship, count: sources.count)
    }
  }
}

extension [StoreGroups.Group] {
  /// Asks several stores, and arranges the answers in the order of the sources.
  fileprivate func destinations(
    of relationship: RelationshipDescription, count: Int
  ) throws -> FetchedDestinations {
    var ids = [ArraySlice<ObjectID>](repeating: [], count: count)
    var positions = [ArraySlice<Int64>](repeating: [], count: count)
    for group in self {
      let found = try group.store.destinations(of: relationship, forSources: group.keys)
      let foundIDs = try group.store.objectIDs(forKeys: found.keys)
      for (place, index) in group.indices.enumerated() {
        let range = found.offsets[place]..<found.offsets[place + 1]
        ids[index] = foundIDs[range]
        if !found.positions.isEmpty { positions[index] = found.positions[range] }
      }
    }
    var offsets = [0]
    for slice in ids { offsets.append(offsets[offsets.count - 1] + slice.count) }
    return FetchedDestinations(
      offsets: offsets, ids: ObjectIDList(ids.flatMap { $0 }),
      positions: positions.flatMap { $0 })
  }
}

extension AttachedStore {
  /// Passes the row of each key to a closure, with the key's index; nil for a missing record. Rows that are fresh
  /// enough come from the cache, the rest in one request.
  func forEachRow(
    forKeys keys: [Int64], stalenessInterval: Double, _ body: (Int, Row?) -> Void
  ) throws {
    guard !isRemoved else { throw removedError }
    guard let order = KeyOrder(of: keys) else {
      return try forEachRowInOrder(keys, stalenessInterval: stalenessInterval, body)
    }
    try forEachRowInOrder(order.keys, stalenessInterval: stalenessInterval) {
      body(order.places[$0], $1)
    }
  }

  /// Does the same for keys that are sorted, or few.
  private func forEachRowInOrder(
    _ keys: [Int64], stalenessInterval: Double, _ body: (Int, Row?) -> Void
  ) throws {
    let (known, missing) = cache.rows(forKeys: keys, notOlderThan: stalenessInterval)
    tally.countCacheHits(keys.count - missing.count)
    for place in known.indices {
      if let row = known[place] { body(place, row) }
    }
    guard !missing.isEmpty else { return }
    let wanted = missing.count == keys.count ? keys : missing.map { keys[$0] }
    try cache.keepingRows(ofKeys: wanted, of: { try storedRows(forKeys: wanted) }) { index, row in
      body(missing[index], row)
    }
  }

  /// Reads one row from the store, bypassing the cache, which is updated.
  func storedRow(forKey key: Int64) throws -> Row? {
    try cache.keepingRow(ofKey: key) {
      let row = try asking(
        .rows, subject(ofKeys: [key]), report: { $1.note($0.map { [$0] } ?? []) }
      ) { store in
        try store.row(forKey: key)
      }
      // A third-party store may have a bug.
      guard let row, row.key == key else { return nil }
      tally.countRows(1)
      return row
    }
  }

  /// Reads rows from the store, bypassing the cache.
  func storedRows(forKeys keys: [Int64]) throws -> [Row] {
    let rows = try asking(.rows, subject(ofKeys: keys), report: { $1.note($0) }) { store in
      try store.rows(forKeys: keys)
    }
    tally.countRows(rows.count)
    return rows
  }

  /// Reads the destinations of a relationship from the store.
  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let found = try asking(
      .relationships, OperationSubject(of: relationship, sources: sources.count),
      report: { ($1.rows, $1.bytes) = ($0.keys.count, $0.keys.count * 8) }
    ) { store in
      try store.destinations(of: relationship, forSources: sources)
    }
    guard found.areWhole(for: sources.count) else {
      throw PersistenceError(
        .persistentStoreOperation, "The store answered for other sources than it was asked for.",
        key: relationship.name, store: displayName)
    }
    return found
  }

  /// Returns the IDs of keys that came from the store.
  func objectIDs(forKeys keys: [Int64]) throws -> [ObjectID] {
    try keys.map { key in
      guard let id = objectID(forKey: key) else { throw unknownKeyError }
      return id
    }
  }

  /// Returns the IDs of keys that came from the store, as a list.
  func idList(forKeys keys: [Int64]) throws -> ObjectIDList {
    guard let first = keys.first else { return ObjectIDList([]) }
    var differences: Int64 = 0
    for key in keys { differences |= key ^ first }
    guard RecordKey.entityCode(of: differences) == 0 else {
      return ObjectIDList(try objectIDs(forKeys: keys))
    }
    guard let id = objectID(forKey: first) else { throw unknownKeyError }
    return ObjectIDList(keys: ContiguousArray(keys), scope: id.scope)
  }

  var unknownKeyError: PersistenceError {
    PersistenceError(
      .corruptStore, "The store names a record of an entity that it does not hold.",
      store: displayName)
  }
}

extension RelationshipDestinations {
  /// Whether this is a well-formed answer for a number of sources: a third-party store may have a bug.
  fileprivate func areWhole(for sourceCount: Int) -> Bool {
    guard offsets.count == sourceCount + 1, offsets.first == 0, offsets.last == keys.count,
      positions.isEmpty || positions.count == keys.count
    else { return false }
    return zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }
  }
}
