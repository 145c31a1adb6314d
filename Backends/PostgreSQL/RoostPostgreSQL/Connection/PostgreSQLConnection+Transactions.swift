// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel

// Transactions, and what is set for them where a session is shared.
extension PostgreSQLConnection {
  /// Whether a connection that nobody uses still stands, as far as can be told without asking the server.
  var isAlive: Bool {
    guard !isBroken, PQstatus(handle) == CONNECTION_OK else { return false }
    guard SocketWait.isReadable(PQsocket(handle)) else { return true }
    // The server says something without being asked: a setting has changed, or it is going down.
    guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 0, PQstatus(handle) == CONNECTION_OK
    else { return false }
    return !isBroken && !SocketWait.isReadable(PQsocket(handle))
  }

  var isInTransaction: Bool {
    let status = PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
  }

  /// Runs statements that write, as one transaction in one round trip.
  ///
  /// - Returns: The results of the statements, without those of the transaction's own.
  func runWriting(_ commands: [PostgreSQLCommand]) throws -> [PostgreSQLResult] {
    // Statements that are sent together are a transaction by themselves, under the session's settings.
    guard pooler != .none else { return try run(commands).get() }
    let outcome = try run([.begin] + commands + [.commit])
    if outcome.failure != nil { try rollBack() }
    return Array(try outcome.get().dropFirst().dropLast())
  }

  /// Runs statements on one snapshot of the database, in one round trip. In an open transaction, each has that of the
  /// transaction's isolation.
  func runOnSnapshot(_ commands: [PostgreSQLCommand]) throws -> [PostgreSQLResult] {
    if commands.count == 1 || isInTransaction { return try run(commands).get() }
    let outcome = try run([.beginReading] + commands + [.commit])
    if outcome.failure != nil { try rollBack() }
    return Array(try outcome.get().dropFirst().dropLast())
  }

  /// Ends the transaction, if there is one; nothing of it remains.
  func rollBack() throws {
    guard !isBroken, isInTransaction else { return }
    try run(PostgreSQLCommand("ROLLBACK"))
  }

  /// Forgets the prepared statements; those of other names take their place.
  func forgetStatements() {
    statements.removeAll()
  }

  /// Gives up what is prepared after a statement no longer fitted the tables, or was gone.
  func renewStatements() throws {
    guard !isBroken else { return }
    try rollBack()
    guard keepsStatements else { return }
    try run(.once("DEALLOCATE ALL"))
    forgetStatements()
  }
}
