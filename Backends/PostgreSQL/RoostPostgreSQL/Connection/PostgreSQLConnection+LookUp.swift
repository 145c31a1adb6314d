// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel

extension PostgreSQLConnection {
  /// Runs a statement with one integer parameter in one round trip, and calls `body` with its result.
  ///
  /// Most requests are for one record, and the server is idle between two of them. So this path avoids all allocations
  /// that a single statement does not need: no list of statements, of pending answers, or of values.
  ///
  /// - Throws: `PostgreSQLError` when the connection is lost, the server is silent, or the statement is refused; and
  ///   the errors of `body`.
  func run(
    _ text: String, with number: Int64, _ body: (OpaquePointer) throws -> Void
  ) throws {
    guard !isBroken, sessionCheck == nil,
      let name = statements.name(of: text, type: PostgreSQLType.integer.number)
    else {
      var parameters = Parameters()
      parameters.append(number)
      let result = try run(PostgreSQLCommand(text, parameters))
      return try withExtendedLifetime(result) { try body(result.handle) }
    }
    try send(name, number)
    let (result, failure) = try collect(text)
    defer { PQclear(result) }
    try checkConnection(failure)
    if let failure { throw failure }
    guard let result else { throw lossError() }
    try body(result)
  }

  /// Sends a prepared statement with its value.
  private func send(_ name: String, _ number: Int64) throws {
    let code = withUnsafeBytes(of: number.bigEndian) { bytes in
      var value = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var length = Int32(bytes.count)
      var format: Int32 = 1
      return PQsendQueryPrepared(handle, name, 1, &value, &length, &format, 1)
    }
    guard code == 1, PQpipelineSync(handle) == 1 else { throw lossError() }
    try flush()
    roundTrips += 1
  }

  /// Takes the results of one statement, up to the end of the pipeline.
  ///
  /// - Returns: The rows, to be cleared by the caller, and the server's error.
  private func collect(
    _ text: String
  ) throws -> (rows: OpaquePointer?, failure: PostgreSQLError?) {
    var rows: OpaquePointer?
    var failure: PostgreSQLError?
    // The statement has an end marker, and so has an error that comes after it.
    var ends = 0
    do {
      while ends <= 2, PQstatus(handle) == CONNECTION_OK || ends == 0 {
        guard let result = try nextResult() else {
          ends += 1
          continue
        }
        let status = PQresultStatus(result)
        if status == PGRES_TUPLES_OK, rows == nil {
          rows = result
          continue
        }
        if status == PGRES_FATAL_ERROR, failure == nil {
          failure = PostgreSQLError(result, statement: text)
        }
        PQclear(result)
        if status == PGRES_PIPELINE_SYNC { break }
      }
    } catch {
      PQclear(rows)
      throw error
    }
    return (rows, failure)
  }
}
