// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// A save with its derived attributes (B308), and with what was there before it where the history keeps that.
///
/// They are computed of what is stored, so saves of a store that has any take turns, by a lock that the save's
/// transaction holds to its end: two that add members to one record would else count one of them. Where there are none,
/// this is nothing.
struct DerivationTurn {
  let changes: StoreChangeSet
  let plan: SavePlan
  let recomputed: [Row]

  /// Begins the transaction, waits for the store's turn, and computes. When that fails, the transaction is over.
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
    // Records have versions, which the save checks; links have none, so who notes them takes turns.
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

  /// The lock of the store's turn. The server gives it back when the transaction ends, however that ends.
  static func lock(_ name: String) -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 128)
    parameters.append(name)
    return PostgreSQLCommand(
      "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", parameters)
  }
}

extension StoreChangeSet {
  /// Whether there is something before it that it changes.
  fileprivate var overwrites: Bool { !updated.isEmpty || !deleted.isEmpty || !links.isEmpty }

  /// Whether deletions may take links with them.
  fileprivate func removesLinks(of prepared: PreparedSchema) -> Bool {
    !deleted.isEmpty && !prepared.mapping.linkTables.isEmpty
  }
}

/// What derived attributes are computed of: the records as they are on the server.
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
