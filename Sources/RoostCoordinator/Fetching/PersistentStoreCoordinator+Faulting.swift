// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

// Rows and destinations by ID: always for many at once, from the cache first.
extension PersistentStoreCoordinator {
  /// Returns the rows of records, in the order of the IDs; nil for a record that is gone, or an unsaved object (B29).
  ///
  /// - Parameters:
  ///   - ids: The records.
  ///   - stalenessInterval: How old a row of the cache may be, in seconds; negative for any age, 0 to read from the
  ///     stores in any case (B50).
  ///   - generation: The moment that is read; nil for the newest state.
  /// - Throws: `storeRemoved`, or what a store throws.
  /// - Complexity: At most one round trip a store.
  package func rows(
    for ids: [ObjectID], stalenessInterval: Double = -1, in generation: StoreGeneration? = nil
  ) throws -> [Row?] {
    let list = stores(in: generation)
    let groups = try StoreGroups(ids, in: list).groups
    if groups.count == 1, groups[0].keys.count == ids.count {
      return try groups[0].store.rows(
        forKeys: groups[0].keys, stalenessInterval: stalenessInterval)
    }
    var result = [Row?](repeating: nil, count: ids.count)
    for group in groups {
      let rows = try group.store.rows(
        forKeys: group.keys, stalenessInterval: stalenessInterval)
      for (position, index) in group.indices.enumerated() { result[index] = rows[position] }
    }
    return result
  }

  /// The row of a record if the cache has it, however old; never asks a store.
  package func cachedRow(for id: ObjectID, in generation: StoreGeneration? = nil) -> Row? {
    let id = id.current
    guard let generation else { return attachedStore(of: id)?.cache.row(forKey: id.key) }
    return id.storeIdentity.flatMap { stores(in: generation).store($0) }?.cache.row(forKey: id.key)
  }

  /// Forgets what the caches have of records that somebody else may have written.
  package func forgetRows(of ids: [ObjectID]) {
    let list = route()
    // A record of a store that is not attached is in no cache.
    guard
      let groups = try? StoreGroups(
        ids.filter { $0.current.storeIdentity.flatMap(list.store) != nil }, in: list
      ).groups
    else { return }
    for group in groups { group.store.cache.forget(group.keys) }
  }

  /// Returns the row of a record as its store has it now (B42).
  ///
  /// - Throws: `objectReferentialIntegrity` when the record does not exist, `storeRemoved`, or what the store throws.
  /// - Complexity: One round trip.
  package func existingRow(for id: ObjectID) throws -> Row {
    guard let row = try storedRow(for: id) else {
      throw PersistenceError(
        .objectReferentialIntegrity, "The object's record does not exist.",
        entityName: id.entity.name, objectIDs: [id], store: id.storeIdentity?.identifier)
    }
    return row
  }

  /// Returns the row of one record as its store has it now, past the cache; nil when the record is gone, or the object
  /// unsaved (B29).
  ///
  /// - Throws: `storeRemoved`, or what the store throws.
  /// - Complexity: One round trip.
  package func storedRow(
    for id: ObjectID, in generation: StoreGeneration? = nil
  ) throws -> Row? {
    let id = id.current
    guard let identity = id.storeIdentity else { return nil }
    guard let store = stores(in: generation).store(identity) else {
      throw StoreGroups.removedError(of: id, identity)
    }
    return try store.storedRow(forKey: id.key)
  }

  /// Returns the destinations of a to-many relationship for many sources; none for an unsaved source (B325).
  ///
  /// - Throws: `storeRemoved`, or what a store throws.
  /// - Complexity: One round trip a store.
  package func destinations(
    of relationship: RelationshipDescription, for sources: [ObjectID],
    in generation: StoreGeneration? = nil
  ) throws -> FetchedDestinations {
    let list = stores(in: generation)
    let groups = try StoreGroups(sources, in: list).groups
    if groups.count == 1, groups[0].keys.count == sources.count {
      let store = groups[0].store
      let found = try store.destinations(of: relationship, forSources: groups[0].keys)
      return FetchedDestinations(
        offsets: found.offsets, ids: try store.objectIDs(forKeys: found.keys),
        positions: found.positions)
    }
    return try regrouped(groups, relationship, count: sources.count)
  }

  /// Asks several stores and puts the answers in the order of the sources.
  private func regrouped(
    _ groups: [StoreGroups.Group], _ relationship: RelationshipDescription, count: Int
  ) throws -> FetchedDestinations {
    var ids = [ArraySlice<ObjectID>](repeating: [], count: count)
    var positions = [ArraySlice<Int64>](repeating: [], count: count)
    for group in groups {
      let found = try group.store.destinations(of: relationship, forSources: group.keys)
      let foundIDs = try group.store.objectIDs(forKeys: found.keys)
      for (place, index) in group.indices.enumerated() {
        let range = found.offsets[place]..<found.offsets[place + 1]
        ids[index] = foundIDs[range]
        if !found.positions.isEmpty { positions[index] = found.positions[range] }
      }
    }
    var result = FetchedDestinations()
    for index in 0..<count {
      result.ids += ids[index]
      result.positions += positions[index]
      result.offsets.append(result.ids.count)
    }
    return result
  }
}

extension AttachedStore {
  /// Returns the rows of keys in their order, from the cache as far as it is fresh enough, the rest in one request.
  func rows(forKeys keys: [Int64], stalenessInterval: Double) throws -> [Row?] {
    guard !isRemoved else { throw removedError }
    var (rows, missing) = cache.rows(forKeys: keys, notOlderThan: stalenessInterval)
    tally.countCacheHits(keys.count - missing.count)
    guard !missing.isEmpty else { return rows }
    let wanted = missing.count == keys.count ? keys : missing.map { keys[$0] }
    let found = try cache.keepingRows { (try storedRows(forKeys: wanted), ()) }.rows
    if found.count == wanted.count, zip(found, wanted).allSatisfy({ $0.key == $1 }) {
      for (index, row) in zip(missing, found) { rows[index] = row }
      return rows
    }
    var byKey = RowTable(minimumCapacity: found.count)
    for row in found { byKey.set(row, loadTime: 0) }
    var gone: [Int64] = []
    for (index, key) in zip(missing, wanted) {
      rows[index] = byKey.row(forKey: key, loadedSince: 0)
      if rows[index] == nil { gone.append(key) }
    }
    cache.forget(gone)
    return rows
  }

  /// Asks the store for one row, past the cache, which learns of it.
  func storedRow(forKey key: Int64) throws -> Row? {
    try cache.keepingRow(ofKey: key) { try storedRows(forKeys: [key]).first { $0.key == key } }
  }

  /// Asks the store for rows, past the cache.
  func storedRows(forKeys keys: [Int64]) throws -> [Row] {
    let rows = try requesting { store in
      tally.countRequest(.rowRequests)
      return try store.rows(forKeys: keys)
    }
    tally.countRows(rows.count)
    return rows
  }

  /// Asks the store for the destinations of a relationship.
  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let found = try requesting { store in
      tally.countRequest(.relationshipRequests)
      return try store.destinations(of: relationship, forSources: sources)
    }
    guard found.areWhole(for: sources.count) else {
      throw PersistenceError(
        .persistentStoreOperation, "The store answered for other sources than it was asked for.",
        key: relationship.name, store: displayName)
    }
    return found
  }

  /// The IDs of keys that the store gave.
  func objectIDs(forKeys keys: [Int64]) throws -> [ObjectID] {
    try keys.map { key in
      guard let id = objectID(forKey: key) else { throw unknownKeyError }
      return id
    }
  }

  var unknownKeyError: PersistenceError {
    PersistenceError(
      .corruptStore, "The store names a record of an entity that it does not hold.",
      store: displayName)
  }
}

extension RelationshipDestinations {
  /// Whether this is an answer for so many sources: whoever writes a store may have made a mistake.
  fileprivate func areWhole(for sourceCount: Int) -> Bool {
    guard offsets.count == sourceCount + 1, offsets.first == 0, offsets.last == keys.count,
      positions.isEmpty || positions.count == keys.count
    else { return false }
    return zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }
  }
}
