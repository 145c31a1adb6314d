// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
package import RoostStore

/// Removes the numbers of deleted records of other stores to which nothing in a store refers any more (X41): no slot,
/// no link, and no entry of its history.
///
/// The numbers of records that exist, or that a history can bring back, stay. A record may come back all the same, as
/// when its deletion is undone: then it gets another number, and other coordinators find by the removal mark that the
/// one they know is not valid any more.
package struct UnusedReferences {
  private let attached: AttachedStore
  private let list: StoreList

  /// The number of records or numbers in one request.
  private static let batchSize = 2_000

  /// - Throws: `storeRemoved` when the store is not attached.
  package init(of store: any PersistentStore, in coordinator: PersistentStoreCoordinator) throws {
    attached = try coordinator.requireAttached(store)
    list = coordinator.route()
  }

  /// Removes them.
  ///
  /// - Returns: The number of removed references.
  package func remove() throws -> Int {
    defer { attached.foreign.forget() }
    return try attached.requesting { store in
      guard let references = store.foreignReferences else { return 0 }
      return try references.remove { try unused(references, in: store) }
    }
  }

  private func unused(
    _ references: any StoreForeignReferences, in store: any PersistentStore
  ) throws -> [Int64] {
    // References of an unfinished part of a save are not seen yet.
    if let part = try store.preparation?.pending().first {
      throw part.inDoubt(in: attached.displayName)
    }
    var unused = try numbersOfDeleted(references)
    // Slots before the history: what a save takes out of a slot meanwhile is in the history afterwards.
    for entity in attached.schema.entities where !entity.isAbstract && !unused.isEmpty {
      try removeReferenced(by: entity, in: store, from: &unused)
    }
    for table in attached.schema.linkTables where !unused.isEmpty {
      try removeLinked(in: table, of: store, from: &unused)
    }
    if !unused.isEmpty { try removeRemembered(in: store, from: &unused) }
    return unused.sorted()
  }

  /// The numbers of records that other stores had, and do not have any more.
  private func numbersOfDeleted(_ references: any StoreForeignReferences) throws -> Set<Int64> {
    var numbers: [String: [Int64: Int64]] = [:]
    try references.forEachReference(in: 1...ForeignNumber.largest) { number, reference in
      guard reference != .removalMark else { return }
      numbers[reference.store, default: [:]][reference.key] = number
    }
    var deleted = Set<Int64>()
    for (identifier, numbers) in numbers {
      guard let other = list.store(identifier: identifier), other !== attached,
        !other.store.metadata.keepsPreviousValues
      else { continue }
      let keys = numbers.keys.sorted()
      for start in stride(from: 0, to: keys.count, by: Self.batchSize) {
        let batch = Array(keys[start..<Swift.min(start + Self.batchSize, keys.count)])
        let found = Set(try other.storedRows(forKeys: batch).map(\.key))
        deleted.formUnion(batch.lazy.filter { !found.contains($0) }.compactMap { numbers[$0] })
      }
    }
    return deleted
  }

  /// Looks at all relationships, whatever the model says now: an earlier version may have allowed one to lead to other
  /// stores.
  private func removeReferenced(
    by entity: EntityDescription, in store: any PersistentStore, from unused: inout Set<Int64>
  ) throws {
    let slots = entity.relationshipsInOrder.compactMap { relationship -> RowSlot? in
      if case .toOne(let slot) = relationship.storage { slot } else { nil }
    }
    guard !slots.isEmpty else { return }
    let answer = try store.fetch(ResolvedFetch(entity: entity, entities: [entity], result: .keys))
    let keys: [Int64] =
      switch answer.content {
      case .keys(let keys): keys
      case .rows(let rows): rows.map(\.key)
      case .count, .tuples: []
      }
    for start in stride(from: 0, to: keys.count, by: Self.batchSize) {
      let batch = Array(keys[start..<Swift.min(start + Self.batchSize, keys.count)])
      for row in try store.rows(forKeys: batch) {
        for slot in slots {
          if let key = row.reference(slot) { unused.remove(0 &- key) }
        }
      }
    }
  }

  private func removeLinked(
    in table: LinkTable, of store: any PersistentStore, from unused: inout Set<Int64>
  ) throws {
    let back = table.isSymmetric ? table.relationship : table.backwards
    let numbers = unused.sorted()
    for start in stride(from: 0, to: numbers.count, by: Self.batchSize) {
      let batch = Array(numbers[start..<Swift.min(start + Self.batchSize, numbers.count)])
      let found = try store.destinations(of: back, forSources: batch.map { -$0 })
      for (index, number) in batch.enumerated() where !found[source: index].isEmpty {
        unused.remove(number)
      }
    }
  }

  /// A history with previous values may bring references back.
  private func removeRemembered(
    in store: any PersistentStore, from unused: inout Set<Int64>
  ) throws {
    guard let history = store.history, store.metadata.keepsHistory else { return }
    var last: StorePosition?
    while true {
      let found = try history.transactions(after: last, limit: Self.batchSize)
      for transaction in found where transaction.content.hasPreviousValues {
        for change in try transaction.content.changes() {
          for previous in change.previous ?? [] where previous.kind == .reference {
            if case .integer(let key) = previous.value { unused.remove(0 &- key) }
          }
        }
        for link in try transaction.content.previousLinks() {
          unused.remove(0 &- link.source)
          unused.remove(0 &- link.destination)
        }
      }
      guard let position = found.last?.position, found.count == Self.batchSize else { return }
      last = position
    }
  }
}
