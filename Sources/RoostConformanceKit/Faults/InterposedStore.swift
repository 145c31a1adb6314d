// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// A store wrapped with a fault switch that makes its calls fail; works with every store.
final class InterposedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: the switch is.

  private let faults: FaultSwitch

  init(_ base: any PersistentStore, faults: FaultSwitch) {
    self.faults = faults
    super.init(base)
  }

  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    InterposedStore(base, faults: faults)
  }

  override func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    var asked = request
    if try !faults.passRead(.fetch) {
      asked.predicate = nil
      asked.limit = 0
    }
    let result = try base.fetch(asked, in: context)
    try faults.pass(.found)
    return result
  }

  override func rows(forKeys keys: [Int64]) throws -> [Row] {
    let rows = try base.rows(forKeys: faults.passRead(.rows) ? keys : [])
    try faults.pass(.found)
    return rows
  }

  override func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    guard try faults.passRead(.destinations) else {
      return RelationshipDestinations(
        offsets: [Int](repeating: 0, count: sources.count + 1), keys: [])
    }
    return try base.destinations(of: relationship, forSources: sources)
  }

  override func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try faults.pass(.reserve)
    return try base.reserveSequences(count)
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try faults.pass(.commit)
    let outcome = try base.commit(changes)
    try faults.pass(.answer)
    return outcome
  }

  override var snapshots: (any StoreSnapshots)? {
    base.snapshots.map { InterposedSnapshots(base: $0, faults: faults) }
  }

  override var preparation: (any StorePreparation)? {
    base.preparation.map { InterposedPreparation(base: $0, faults: faults) }
  }
}

/// The snapshots of an interposed store, behind the same fault switch.
private struct InterposedSnapshots: StoreSnapshots {
  let base: any StoreSnapshots
  let faults: FaultSwitch

  func takeSnapshot() throws -> any PersistentStore {
    try faults.pass(.snapshot)
    return try base.takeSnapshot()
  }
}

/// The two-phase commit of an interposed store, behind the same fault switch.
private struct InterposedPreparation: StorePreparation {
  let base: any StorePreparation
  let faults: FaultSwitch

  var keepsParts: Bool { base.keepsParts }
  func canPrepare() throws -> Bool { try !faults.preparesNothing && base.canPrepare() }

  func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    try faults.pass(.commit)
    guard try canPrepare() else { throw FaultSwitch.error }
    try faults.pass(.prepare)
    let outcome = try base.prepare(changes, for: save)
    try faults.pass(.answer)
    return outcome
  }

  func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    try faults.pass(.finish)
    if committing { try faults.requireUndamaged(save) }
    return try base.finish(save, committing: committing)
  }

  func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    try faults.pass(.commit)
    try faults.pass(.decide)
    let outcome = try base.decide(changes, for: save, forgetting: acknowledged)
    try faults.pass(.answer)
    return outcome
  }

  func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try faults.pass(.decision)
    return try base.decision(on: save, for: participant, aborting: aborting)
  }

  func pending() throws -> [PreparedPart] {
    try faults.pass(.pending)
    return try base.pending()
  }

  func visibleParts() throws -> [PreparedPart] {
    try faults.pass(.pending)
    return try base.visibleParts()
  }

  func register(_ coordinator: UUID) throws {
    try faults.pass(.register)
    try base.register(coordinator)
  }

  func unregister(_ coordinator: UUID) throws {
    try faults.pass(.register)
    try base.unregister(coordinator)
  }

  func forget(_ acknowledged: [SaveAcknowledgement]) throws {
    try faults.pass(.register)
    try base.forget(acknowledged)
  }

  func decisions() throws -> [RememberedDecision] { try base.decisions() }
}
