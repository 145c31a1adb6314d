// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// A save with its derived attributes (B308), and with the previous values where the history keeps them.
///
/// Derived attributes are computed from stored records, so the saves of a store with derived attributes are serialised
/// by a lock that the save's transaction holds to its end. Otherwise two saves that add members to one record would
/// count only one of them. Without derived attributes no lock is taken.
struct DerivationTurn {
  let changes: StoreChangeSet
  let plan: SavePlan
  let recomputed: [Row]

  /// Begins the transaction, acquires the store's lock, and computes. When that fails, the transaction is rolled back.
  init(
    _ changes: StoreChangeSet, _ plan: SavePlan, _ prepared: PreparedSchema,
    _ connection: PostgreSQLConnection, store: PostgreSQLStore
  ) throws {
    let derives = !prepared.derivations.isEmpty
    let keepsValues = store.metadata.keepsPreviousValues
    guard derives || keepsValues && changes.overwrites else {
      (self.changes, self.plan, recomputed) = (changes, plan, [])
      return
    }
    // Records have versions, which the save checks. Links have none, so a save that records their previous state takes
    // the lock.
    let takesTurns = derives || !changes.links.isEmpty || changes.removesLinks(of: prepared)
    do {
      let turn = takesTurns ? [Self.lock(store.identity.identifier)] : []
      let beginning: [PostgreSQLCommand] = connection.isInTransaction ? [] : [.begin]
      if !(beginning + turn).isEmpty { _ = try connection.run(beginning + turn).get() }
      let records = ServerRecords(store: store, prepared: prepared, connection: connection)
      let derived = try changes.deriving(prepared.derivations, from: records)
      self.changes =
        keepsValues
        ? try derived.changes.notingPrevious(of: prepared.mapping.store, from: records)
        : derived.changes
      self.plan = derives ? try SavePlan(derived.changes, prepared) : plan
      recomputed = derived.recomputed
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// The lock that serialises saves. The server releases it when the transaction ends, in whatever way.
  static func lock(_ name: String) -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 128)
    parameters.append(name)
    return PostgreSQLCommand(
      "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", parameters)
  }
}

extension StoreChangeSet {
  /// Whether the change set changes stored records or links.
  fileprivate var overwrites: Bool { !updated.isEmpty || !deleted.isEmpty || !links.isEmpty }

  /// Whether deletions may remove links.
  fileprivate func removesLinks(of prepared: PreparedSchema) -> Bool {
    !deleted.isEmpty && !prepared.mapping.linkTables.isEmpty
  }
}

/// The source of derived attributes: the records as they are on the server.
private struct ServerRecords: DerivationSource {
  let store: PostgreSQLStore
  let prepared: PreparedSchema
  let connection: PostgreSQLConnection

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try store.rows(keys, prepared, connection)
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try store.destinations(of: relationship, sources, prepared, connection)
  }
}
