// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Follows relationships from rows of one store to rows of another, for all rows of a cohort at once.
final class RowsAcross {
  private let stores: [LoadedRows]
  private let list: StoreList
  private let places: [String: Int]
  /// The identities of to-one destinations in other stores, by store and negative key.
  private var elsewhere: [StoreRow.Identity: StoreRow.Identity] = [:]
  /// Referenced records whose stores are not attached. Their identities have the store index after the last store,
  /// and the index in this array as the key.
  private var absent: [ObjectID] = []
  private var placesOfAbsent: [ObjectID: Int] = [:]
  private var members: [ObjectIdentifier: [StoreRow.Identity: [StoreRow.Identity]]] = [:]

  init(_ stores: [LoadedRows], in list: StoreList) {
    self.stores = stores
    self.list = list
    places = Dictionary(
      stores.enumerated().map { ($1.store.identity.identifier, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the destination of a to-one relationship; nil when there is none, its record is gone, or its store is
  /// not attached.
  func destination(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> StoreRow? {
    guard case .toOne(let slot) = relationship.storage, let key = item.row.reference(slot) else {
      return nil
    }
    try follow(relationship, slot, from: item)
    let identity = StoreRow.Identity(key: key, store: item.store)
    return row(ForeignNumber.isForeign(key) ? elsewhere[identity] : identity)
  }

  /// Returns the identity of the destination of a to-one relationship, even if its store is not attached.
  func destinationIdentity(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> StoreRow.Identity? {
    guard case .toOne(let slot) = relationship.storage, let key = item.row.reference(slot) else {
      return nil
    }
    let identity = StoreRow.Identity(key: key, store: item.store)
    guard ForeignNumber.isForeign(key) else { return identity }
    if let known = elsewhere[identity] { return known }
    let id = try stores[item.store].store.destinationID(forKey: key)
    return id.map { self.identity($0) ?? absentIdentity($0) } ?? identity
  }

  /// Returns the identity of a record whose store is not attached, the same whichever store refers to it.
  func absentIdentity(_ id: ObjectID) -> StoreRow.Identity {
    let place = placesOfAbsent[id] ?? absent.count
    if place == absent.count {
      absent.append(id)
      placesOfAbsent[id] = place
    }
    return StoreRow.Identity(key: Int64(place), store: stores.count)
  }

  /// Returns the ID of a record whose store is not attached.
  func absentID(_ identity: StoreRow.Identity) -> ObjectID? {
    absent.indices.contains(Int(identity.key)) ? absent[Int(identity.key)] : nil
  }

  /// Returns the destinations of a to-many relationship that can be read.
  func destinations(
    of relationship: RelationshipDescription, from item: StoreRow
  ) throws -> [StoreRow] {
    let loaded = stores[item.store]
    try loaded.follow(relationship, from: item.row) { cohort in
      let found = try DestinationsAcross(relationship: relationship, list: list).run(
        [
          StoreGroups.Group(
            store: loaded.store, indices: Array(cohort.indices), keys: cohort.map(\.key))
        ], count: cohort.count)
      for (index, row) in cohort.enumerated() {
        let source = StoreRow.Identity(key: row.key, store: item.store)
        members[ObjectIdentifier(relationship), default: [:]][source] =
          found[source: index].compactMap(identity)
      }
      try load(found.ids.compactMap(identity))
    }
    let source = StoreRow.Identity(key: item.row.key, store: item.store)
    return members[ObjectIdentifier(relationship)]?[source]?.compactMap(row) ?? []
  }

  /// Follows a to-one relationship for all rows of the row's cohort.
  private func follow(
    _ relationship: RelationshipDescription, _ slot: RowSlot, from item: StoreRow
  ) throws {
    let loaded = stores[item.store]
    try loaded.follow(relationship, from: item.row) { cohort in
      let keys = Set(cohort.compactMap { $0.reference(slot) })
      try loaded.load(Array(keys))
      let others = keys.filter(ForeignNumber.isForeign)
      var found: [StoreRow.Identity] = []
      for (key, id) in zip(others, try loaded.store.foreign.ids(of: others, in: loaded.store)) {
        guard let identity = id.flatMap(identity) else { continue }
        elsewhere[StoreRow.Identity(key: key, store: item.store)] = identity
        found.append(identity)
      }
      try load(found)
    }
  }

  private func load(_ identities: [StoreRow.Identity]) throws {
    var keys = [[Int64]](repeating: [], count: stores.count)
    for identity in identities { keys[identity.store].append(identity.key) }
    for (store, keys) in zip(stores, keys) where !keys.isEmpty { try store.load(keys) }
  }

  private func identity(_ id: ObjectID) -> StoreRow.Identity? {
    guard let identifier = id.storeIdentity?.identifier, let place = places[identifier] else {
      return nil
    }
    return StoreRow.Identity(key: id.key, store: place)
  }

  private func row(_ identity: StoreRow.Identity?) -> StoreRow? {
    guard let identity else { return nil }
    return stores[identity.store].row(forKey: identity.key)
      .map { StoreRow(row: $0, store: identity.store) }
  }
}
