// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel

// Transactions, and their settings where a session is shared.
extension PostgreSQLConnection {
  /// Whether an idle connection is still open, as far as can be seen without asking the server.
  var isAlive: Bool {
    guard !isBroken, PQstatus(handle) == CONNECTION_OK else { return false }
    guard SocketWait.isReadable(PQsocket(handle)) else { return true }
    // The server has sent data without a request: a setting has changed, or it is shutting down.
    guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 0, PQstatus(handle) == CONNECTION_OK
    else { return false }
    return !isBroken && !SocketWait.isReadable(PQsocket(handle))
  }

  var isInTransaction: Bool {
    let status = PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
  }

  /// Runs statements that write as one transaction, in one round trip.
  ///
  /// - Returns: The results of the statements, without those of BEGIN and COMMIT.
  func runWriting(_ commands: [PostgreSQLCommand]) throws -> [PostgreSQLResult] {
    // The statements of one pipeline are a transaction by themselves, under the session's settings.
    guard pooler != .none else { return try run(commands).get() }
    let outcome = try run([.begin] + commands + [.commit])
    if outcome.failure != nil { try rollBack() }
    return Array(try outcome.get().dropFirst().dropLast())
  }

  /// Runs statements on one snapshot of the database, in one round trip. In an open transaction, each statement has
  /// the snapshot of the transaction's isolation level.
  func runOnSnapshot(_ commands: [PostgreSQLCommand]) throws -> [PostgreSQLResult] {
    if commands.count == 1 || isInTransaction { return try run(commands).get() }
    let outcome = try run([.beginReading] + commands + [.commit])
    if outcome.failure != nil { try rollBack() }
    return Array(try outcome.get().dropFirst().dropLast())
  }

  /// Rolls the transaction back, if there is one.
  func rollBack() throws {
    guard !isBroken, isInTransaction else { return }
    try run(PostgreSQLCommand("ROLLBACK"))
  }

  /// Forgets the prepared statements; new ones get other names.
  func forgetStatements() {
    statements.removeAll()
  }

  /// Drops the prepared statements after one no longer fitted the tables, or did not exist any more.
  func renewStatements() throws {
    guard !isBroken else { return }
    try rollBack()
    guard keepsStatements else { return }
    try run(.once("DEALLOCATE ALL"))
    forgetStatements()
  }
}
