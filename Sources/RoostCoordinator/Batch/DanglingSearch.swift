// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Searches a store for dangling references.
struct DanglingSearch {
  let store: AttachedStore
  let list: StoreList

  /// The number of keys in one request.
  private static let batchSize = 2_000

  func run() throws -> [DanglingReference] {
    let lost = try lostRecords()
    guard !lost.isEmpty else { return [] }
    var result: [DanglingReference] = []
    for entity in store.schema.entities where !entity.isAbstract {
      for relationship in entity.relationshipsInOrder where relationship.leadsAcrossStores {
        if case .toOne(let slot) = relationship.storage {
          result += try references(of: entity, relationship, slot, lost)
        }
      }
    }
    for table in store.schema.linkTables where table.relationship.leadsAcrossStores {
      result += try references(in: table, lost)
    }
    return result
  }

  private typealias Lost = [Int64: (id: ObjectID, cause: DanglingReference.Cause)]

  /// Returns the records that cannot be reached, by their foreign keys in the store.
  private func lostRecords() throws -> Lost {
    var numbers: [Int64] = []
    try store.forEachForeignReference(in: 1...ForeignNumber.largest) { number, _ in
      numbers.append(number)
    }
    var lost: Lost = [:]
    var keys: [String: [Int64: Int64]] = [:]
    for case let (number, id?) in zip(
      numbers, try store.foreign.ids(of: numbers.map { -$0 }, in: store))
    {
      if let identity = id.storeIdentity, list.store(identity) != nil {
        keys[identity.identifier, default: [:]][id.key] = -number
        lost[-number] = (id, .recordGone)
      } else {
        lost[-number] = (id, .storeNotAttached)
      }
    }
    for (identifier, keys) in keys {
      guard let other = list.store(identifier: identifier) else { continue }
      let wanted = keys.keys.sorted()
      for start in stride(from: 0, to: wanted.count, by: Self.batchSize) {
        let batch = Array(wanted[start..<Swift.min(start + Self.batchSize, wanted.count)])
        for row in try other.storedRows(forKeys: batch) {
          if let key = keys[row.key] { lost[key] = nil }
        }
      }
    }
    return lost
  }

  private func references(
    of entity: EntityDescription, _ relationship: RelationshipDescription, _ slot: RowSlot,
    _ lost: Lost
  ) throws -> [DanglingReference] {
    guard let destination = relationship.destinationEntity else { return [] }
    let scope = IDScope(entity: destination, store: store.identity)
    let path = ResolvedPath(
      root: .object, relationships: [relationship], end: .object, rootEntity: entity)
    let values = lost.keys.sorted().map { Value.objectID(ObjectID(scope: scope, key: $0)) }
    let fetch = ResolvedFetch(
      entity: entity, entities: [entity],
      predicate: .comparison(
        ResolvedComparison(left: .path(path), comparison: .in, right: .list(values))))
    guard case .rows(let rows) = try StoreFetch(store: store, fillsRowCache: false).run(fetch)
    else { return [] }
    return rows.compactMap { row in
      guard let key = row.reference(slot), let (id, cause) = lost[key],
        let source = store.objectID(forKey: row.key)
      else { return nil }
      return DanglingReference(
        source: source, relationship: relationship, destination: id, cause: cause, key: key)
    }
  }

  private func references(in table: LinkTable, _ lost: Lost) throws -> [DanglingReference] {
    let keys = lost.keys.sorted()
    let back = table.isSymmetric ? table.relationship : table.backwards
    let found = try store.destinations(of: back, forSources: keys)
    return keys.indices.flatMap { index -> [DanglingReference] in
      guard let (id, cause) = lost[keys[index]] else { return [] }
      return found[source: index].compactMap { key in
        store.objectID(forKey: key).map {
          DanglingReference(
            source: $0, relationship: table.relationship, destination: id, cause: cause,
            key: keys[index])
        }
      }
    }
  }
}
