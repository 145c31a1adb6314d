// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A store behind a switch that lets its calls fail: every store can be put to the test without its help.
final class InterposedStore: PersistentStore {
  private let base: any PersistentStore
  private let faults: FaultSwitch

  init(_ base: any PersistentStore, faults: FaultSwitch) {
    self.base = base
    self.faults = faults
  }

  var identity: StoreIdentity { base.identity }
  var description: PersistentStoreDescription { base.description }
  var metadata: StoreMetadata { base.metadata }
  var isReadOnly: Bool { base.isReadOnly }
  var snapshots: (any StoreSnapshots)? { base.snapshots }
  var changeMarks: (any StoreChangeMarks)? { base.changeMarks }

  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try base.prepare(schema, metadata: metadata)
  }

  func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult {
    var asked = request
    if try !faults.passRead(.fetch) {
      asked.predicate = nil
      asked.limit = 0
    }
    let result = try base.fetch(asked)
    try faults.pass(.found)
    return result
  }

  func plan(for request: ResolvedFetch) throws -> QueryPlan {
    try base.plan(for: request)
  }

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    let rows = try base.rows(forKeys: faults.passRead(.rows) ? keys : [])
    try faults.pass(.found)
    return rows
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    guard try faults.passRead(.destinations) else {
      return RelationshipDestinations(
        offsets: [Int](repeating: 0, count: sources.count + 1), keys: [])
    }
    return try base.destinations(of: relationship, forSources: sources)
  }

  func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try faults.pass(.reserve)
    return try base.reserveSequences(count)
  }

  func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try faults.pass(.commit)
    let outcome = try base.commit(changes)
    try faults.pass(.answer)
    return outcome
  }

  func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    InterposedStore(base.cancellable(by: cancellation), faults: faults)
  }

  func close() {
    base.close()
  }
}

/// Opens stores of a type behind a switch.
struct InterposedDriver: PersistentStoreDriver {
  let base: any PersistentStoreDriver
  let faults: FaultSwitch

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try faults.pass(.open)
    return InterposedStore(try base.open(description), faults: faults)
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try base.destroy(description)
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }
}

extension PersistentStoreDescription {
  /// The same store behind a switch.
  func interposed(_ faults: FaultSwitch) -> PersistentStoreDescription {
    var result = self
    result.type = PersistentStoreType(
      rawValue: type.rawValue, driver: InterposedDriver(base: type.driver, faults: faults))
    return result
  }
}

extension ConformanceStage {
  /// Opens an empty store behind a switch.
  func openFaulty(_ model: ManagedObjectModel) throws -> (ConformanceStack, FaultSwitch) {
    let faults = FaultSwitch()
    return (try open(model, on: [makeStore().interposed(faults)]), faults)
  }
}
