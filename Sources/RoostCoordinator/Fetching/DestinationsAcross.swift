// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The destinations of a to-many relationship that may lead from one store into another.
///
/// A relationship is stored in the rows of the destinations, or in the link table of the owner's store. So besides
/// the source's store, every store with such rows or links is asked, by the foreign number under which it knows the
/// source; a store that does not know the source is not asked.
struct DestinationsAcross {
  let relationship: RelationshipDescription
  let list: StoreList

  private struct Member {
    var id: ObjectID
    var position: Int64
  }

  /// Returns the destinations of sources that are grouped by store.
  ///
  /// - Complexity: One round trip for each store that may have destinations, and one for source numbers not yet
  ///   known.
  func run(_ groups: [StoreGroups.Group], count: Int) throws -> FetchedDestinations {
    var members = [[Member]](repeating: [], count: count)
    for group in groups {
      if isCarried(inStoreOfSource: group.store) {
        try ask(group.store, group.keys, places: group.indices, into: &members)
      }
      for store in list.stores where store !== group.store && carries(store, others: true) {
        let keys = try store.knownKeys(
          ofDestinations: group.keys.map { try group.store.requiredID(forKey: $0) })
        var known: (keys: [Int64], places: [Int]) = ([], [])
        for (key, place) in zip(keys, group.indices) {
          guard let key else { continue }
          known.keys.append(key)
          known.places.append(place)
        }
        guard !known.keys.isEmpty else { continue }
        try ask(store, known.keys, places: known.places, into: &members)
      }
    }
    return result(members)
  }

  private func ask(
    _ store: AttachedStore, _ keys: [Int64], places: [Int], into members: inout [[Member]]
  ) throws {
    let found = try store.destinations(of: relationship, forSources: keys)
    let ids = try store.destinationIDs(forKeys: found.keys)
    for (index, place) in places.enumerated() {
      for member in found.offsets[index]..<found.offsets[index + 1] {
        guard let id = ids[member] else { continue }
        let position = found.positions.isEmpty ? 0 : found.positions[member]
        members[place].append(Member(id: id, position: position))
      }
    }
  }

  private func result(_ members: [[Member]]) -> FetchedDestinations {
    var offsets = [0]
    var ids: [ObjectID] = []
    var positions: [Int64] = []
    for own in members {
      // Each store returns its own destinations in order.
      let ordered = relationship.isOrdered ? own.sorted { $0.position < $1.position } : own
      ids += ordered.map(\.id)
      if relationship.isOrdered { positions += ordered.map(\.position) }
      offsets.append(ids.count)
    }
    return FetchedDestinations(offsets: offsets, ids: ObjectIDList(ids), positions: positions)
  }

  // MARK: - Stores that can have destinations

  /// Whether all destinations of the sources of one store are recorded in that store alone.
  func isKept(inStoreOfSource store: AttachedStore) -> Bool {
    isCarried(inStoreOfSource: store)
      && !list.stores.contains { $0 !== store && carries($0, others: true) }
  }

  /// Whether the store of a source can hold rows or links of the relationship.
  private func isCarried(inStoreOfSource store: AttachedStore) -> Bool {
    if case .links(_, isForward: true) = relationship.storage { return true }
    return carries(store, others: false)
  }

  /// Whether a store can hold rows or links that name records of other stores as sources.
  private func carries(_ store: AttachedStore, others: Bool) -> Bool {
    switch relationship.storage {
    case .inverseOfToOne: store.holdsAny(of: relationship.destinationEntity)
    case .links(let table, let isForward):
      (!isForward || table.isSymmetric || !others) && store.holdsAny(of: table.relationship.entity)
    case .toOne, .transient: false
    }
  }
}

extension AttachedStore {
  /// Whether the store can hold records of an entity or one of its subentities.
  func holdsAny(of entity: EntityDescription?) -> Bool {
    entity?.concreteEntities.contains(where: holds) ?? false
  }

  /// Returns the ID of a record of the store.
  fileprivate func requiredID(forKey key: Int64) throws -> ObjectID {
    guard let id = objectID(forKey: key) else { throw unknownKeyError }
    return id
  }
}
