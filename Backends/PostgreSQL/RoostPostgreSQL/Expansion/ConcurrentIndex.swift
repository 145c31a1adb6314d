// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Builds an index while others write: outside of a transaction, on a connection of its own.
///
/// The server leaves an invalid index behind when the build fails, which serves no query and may still refuse values.
/// It is dropped and built again.
struct ConcurrentIndex {
  let run: ExpansionRun
  let index: ExpansionStep.Index

  /// The time-out of an index build, in seconds.
  private static let longestTime = 86_400.0
  /// How long it waits at least for older transactions, in seconds. No save waits for it meanwhile.
  private static let patience = 60.0

  private var store: PostgreSQLStore { run.store }

  /// Builds it, unless it exists.
  ///
  /// - Throws: `migrationConstraintViolation` when records have the same values.
  func make() throws {
    // Another transaction, which runs nothing, holds the lock. A concurrent index build waits for the transactions
    // that have a snapshot, and not for that one.
    try run.take { holder in
      // The last query of a transaction keeps its snapshot until another statement takes its place.
      try holder.run(.once("SAVEPOINT roost_index"))
      var statements = ConcurrentStatements(try connect())
      let deadline = Deadline(after: store.description.timeout)
      while true {
        do {
          try attempt(&statements)
          return
        } catch let error as PostgreSQLError where error.isUniquenessViolation {
          try drop(&statements)
          throw try violation(error, holder)
        } catch let error as PostgreSQLError where error.isLimitOfTime || error.isCollision {
          guard !deadline.isOver else { throw error }
          try store.cancellation.check()
        }
      }
    }
  }

  private func connect() throws -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection.open(
      store.pool.settings, timeout: max(store.description.timeout, Self.longestTime),
      deadline: Deadline(after: store.description.timeout), isReadOnly: false)
    if connection.pooler == .none {
      let wait = SessionSettings.lockTimeout(
        within: max(store.description.timeout, Self.patience))
      try connection.run(.once("SET lock_timeout = \(wait)"))
    }
    return connection
  }

  private func attempt(_ statements: inout ConcurrentStatements) throws {
    let connection = statements.connection
    let name = PostgreSQLNamespace.literal(connection.namespace.table(index.name))
    let found = try connection.run(
      .once(
        "SELECT indisvalid FROM pg_catalog.pg_index"
          + " WHERE indexrelid = CAST(pg_catalog.to_regclass(\(name)) AS pg_catalog.oid)"))
    if found.count > 0 {
      guard !found.isTrue() else { return }
      try drop(&statements)
    }
    store.log(index.statement)
    try statements.run(index.statement)
  }

  private func drop(_ statements: inout ConcurrentStatements) throws {
    let name = statements.connection.namespace.table(index.name)
    let statement = "DROP INDEX CONCURRENTLY IF EXISTS \(name)"
    store.log(statement)
    try statements.run(statement)
  }

  /// Returns an error that names the records with the same values.
  private func violation(
    _ error: PostgreSQLError, _ connection: PostgreSQLConnection
  ) throws -> any Error {
    let evolution = run.expansion.evolution
    if let constraint = index.constraint {
      let session = PostgreSQLEvolutionSession(
        store, try PreparedSchema(evolution.destination), connection)
      try evolution.refuseDuplicates(constraint, index.table, session)
    }
    // They do not exist any more.
    return evolution.destination.uniquenessError(error) { name, _ in name == index.name }
  }
}
