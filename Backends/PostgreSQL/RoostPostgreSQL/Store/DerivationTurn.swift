// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// A save with its derived attributes (B308).
///
/// They are computed of what is stored, so saves of a store that has any take turns, by a lock that the server keeps
/// for the connection: two that add members to one record would else count one of them. Where there are none, this is
/// nothing.
struct DerivationTurn {
  let changes: StoreChangeSet
  let plan: SavePlan
  let recomputed: [Row]
  private let connection: PostgreSQLConnection
  private let name: String?

  /// Waits for the store's turn, and computes.
  init(
    _ changes: StoreChangeSet, _ plan: SavePlan, _ prepared: PreparedSchema,
    _ connection: PostgreSQLConnection, store: PostgreSQLStore
  ) throws {
    self.connection = connection
    guard !prepared.derivations.isEmpty else {
      (self.changes, self.plan, recomputed, name) = (changes, plan, [], nil)
      return
    }
    let name = store.identity.identifier
    _ = try connection.run(Self.command("SELECT pg_advisory_lock(hashtextextended($1, 0))", name))
    do {
      let records = ServerRecords(store: store, prepared: prepared, connection: connection)
      let derived = try changes.deriving(prepared.derivations, from: records)
      self.changes = derived.changes
      self.plan = try SavePlan(derived.changes, prepared)
      recomputed = derived.recomputed
      self.name = name
    } catch {
      Self.unlock(name, connection)
      throw error
    }
  }

  /// Lets the next save have its turn. A connection that is lost has given it up already.
  func end() {
    if let name { Self.unlock(name, connection) }
  }

  /// Gives the lock up. The server keeps it for the connection, so one that cannot is not used again.
  static func unlock(_ name: String, _ connection: PostgreSQLConnection) {
    guard !connection.isBroken else { return }
    let unlocking = command("SELECT pg_advisory_unlock(hashtextextended($1, 0))", name)
    guard let result = try? connection.run(unlocking),
      ResultField.bytes(result.handle, 0, 0)?.first == 1
    else { return connection.abandon() }
  }

  private static func command(_ text: String, _ name: String) -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 128)
    parameters.append(name)
    return PostgreSQLCommand(text, parameters)
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
