// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A store behind a switch that lets its calls fail: every store can be put to the test without its help.
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
}
