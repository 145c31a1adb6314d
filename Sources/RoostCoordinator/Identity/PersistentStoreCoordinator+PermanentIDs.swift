// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore
import Synchronization

extension PersistentStoreCoordinator {
  /// Returns the store of each new object of a save (B229 to B234, B74). All new objects must be passed in one call,
  /// because related objects belong in one store.
  ///
  /// - Throws: `noStore` (B232), `readOnlyStore`, `invalidStoreAssignment` (B231).
  package func storesForNewObjects(_ objects: [NewObject]) throws -> [AttachedStore] {
    guard !objects.isEmpty else { return [] }
    let list = route()
    return try list.router.stores(forNew: objects).map { list.stores[$0] }
  }

  /// Returns the only attached store that can take new objects of an entity; nil if the router must decide, or it is an
  /// error.
  package func onlyStore(forNew entity: EntityDescription) -> AttachedStore? {
    guard !entity.isAbstract else { return nil }
    var only: AttachedStore?
    for store in route().stores where !store.isReadOnly && store.holds(entity) {
      guard only == nil else { return nil }
      only = store
    }
    return only
  }

  /// Checks that a new object of an entity may be assigned to a store (B231).
  ///
  /// - Throws: `invalidStoreAssignment`.
  package func checkAssignment(
    of entity: EntityDescription, to store: any PersistentStore
  ) throws {
    try state.withLock { $0.list }.router.checkAssignment(of: entity, to: store.identity)
  }

  /// Returns a permanent ID for each new record, in their order (B172).
  ///
  /// - Throws: `readOnlyStore`, `storeRemoved`, `limitExceeded` when a store has no numbers left, or the error of a
  ///   store.
  /// - Complexity: At most one round trip for each store, none while the reserved block lasts.
  package func obtainPermanentIDs(for records: NewRecords) throws -> [ObjectID] {
    routingGate.pass()
    var ids: [ObjectID] = []
    ids.reserveCapacity(records.count)
    if let run = records.onlyRun {
      var queue: SequenceQueue? = try run.store.sequenceQueue(run.count)
      try append(run, from: &queue, to: &ids)
      return ids
    }
    var sequences: [ObjectIdentifier: SequenceQueue] = [:]
    for (store, count) in records.countsByStore {
      sequences[ObjectIdentifier(store)] = try store.sequenceQueue(count)
    }
    for run in records.runs {
      try append(run, from: &sequences[ObjectIdentifier(run.store)], to: &ids)
    }
    return ids
  }

  /// Appends the IDs of a run of records.
  private func append(
    _ run: NewRecords.Run, from queue: inout SequenceQueue?, to ids: inout [ObjectID]
  ) throws {
    guard let code = run.store.schema.code(of: run.entity), !run.entity.isAbstract,
      let first = run.store.objectID(forKey: RecordKey.make(sequence: 0, entityCode: code))
    else {
      throw PersistenceError(
        .invalidStoreAssignment, "The store does not hold the entity.",
        entityName: run.entity.name, store: run.store.displayName)
    }
    for _ in 0..<run.count {
      guard let sequence = queue?.next(),
        sequence <= Int64.max >> RecordKey.entityBits
      else {
        throw PersistenceError(
          .limitExceeded, "The store has no numbers for further records.",
          store: run.store.displayName)
      }
      ids.append(
        ObjectID(scope: first.scope, key: RecordKey.make(sequence: sequence, entityCode: code)))
    }
  }
}

/// Delivers the numbers of several ranges, one after another.
private struct SequenceQueue {
  private var current: ClosedRange<Int64>?
  private var following: ArraySlice<ClosedRange<Int64>>

  init(_ range: ClosedRange<Int64>) {
    current = range
    following = []
  }

  init(_ ranges: [ClosedRange<Int64>]) {
    current = ranges.first
    following = ranges.dropFirst()
  }

  mutating func next() -> Int64? {
    guard let range = current else { return nil }
    if range.lowerBound < range.upperBound {
      current = range.lowerBound + 1...range.upperBound
    } else {
      current = following.popFirst()
    }
    return range.lowerBound
  }
}

extension AttachedStore {
  /// Takes sequence numbers from the reservoir, and refills it from the store when it runs out.
  fileprivate func sequenceQueue(_ count: Int) throws -> SequenceQueue {
    guard !isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "A read-only store takes no new objects.", store: displayName)
    }
    if let range = reservoir.takeNeighbours(count) { return SequenceQueue(range) }
    let ranges = try reservoir.take(count) { wanted in
      try asking(
        .reservation, OperationSubject(detail: "\(wanted) keys"), report: { $1.rows = $0.count }
      ) { store in
        try store.reserveSequences(wanted)
      }
    }
    return SequenceQueue(ranges)
  }
}

extension StoreList {
  /// A router over the stores.
  var router: StoreRouter {
    StoreRouter(
      stores.map { store in
        StoreRouter.Candidate(
          identity: store.identity, isReadOnly: store.isReadOnly, entities: store.entities)
      }, absence: absence)
  }
}
