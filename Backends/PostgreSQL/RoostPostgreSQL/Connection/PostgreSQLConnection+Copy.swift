// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel

// COPY in both directions, in the binary format: many rows without a statement for each.
extension PostgreSQLConnection {
  private static let chunk = 256 * 1024

  /// Writes rows into a table.
  ///
  /// - Parameters:
  ///   - target: The table and its columns, as they stand in a statement.
  ///   - rows: Appends the next row, without its number of fields, and returns whether there was one.
  func copy(
    into target: String, columns: Int, _ appendRow: (BinaryBuffer) throws -> Bool
  ) throws {
    try beginCopy("COPY \(target) FROM STDIN (FORMAT binary)", expecting: PGRES_COPY_IN)
    let buffer = BinaryBuffer(capacity: Self.chunk + 4096)
    CopiedRecords.beginning.withUnsafeBytes { buffer.append($0) }
    do {
      while true {
        let start = buffer.count
        buffer.append(Int16(columns))
        guard try appendRow(buffer) else {
          buffer.truncate(to: start)
          break
        }
        if buffer.count >= Self.chunk { try put(buffer) }
      }
    } catch {
      // The rows that were sent so far are discarded.
      abandon()
      throw error
    }
    buffer.append(-1 as Int16)
    try put(buffer)
    try endPutting()
  }

  /// Returns the statement that copies out the rows of a query.
  static func copyText(of query: String) -> String { "COPY (\(query)) TO STDOUT (FORMAT binary)" }

  /// Copies out the records of a query without parameters: less work per record, for the server and the client, than a
  /// result of its own.
  ///
  /// - Parameters:
  ///   - model: A statement with the same columns, which is described for their types: COPY does not report them.
  ///   - types: The types that they must have.
  ///   - shown: The query text for errors.
  func copyRecords(
    of query: String, like model: PostgreSQLCommand, types: [PostgreSQLType], shown: String,
    into taker: inout some RecordTaker
  ) throws {
    // In one transaction: until it ends, no other session can change the table that was described.
    let isOwn = !isInTransaction
    do {
      try run(isOwn ? [.beginReading, model.description] : [model.description])
        .get().last?.check(types)
      var records = CopiedRecords(columns: types.count)
      try copyOut(Self.copyText(of: query), shown: Self.copyText(of: shown)) { message in
        if let fields = try records.fields(in: message) { try taker.take(fields) }
      }
      // Treating the end of the messages as the end of the records could lose some.
      guard records.hasEnded else { throw lossError() }
      if isOwn { try run(.commit) }
    } catch {
      if isOwn { try? rollBack() }
      throw error
    }
  }

  /// Reads the rows of a table as bytes that another COPY can write.
  func copyOut(of source: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let text = "COPY \(source) TO STDOUT (FORMAT binary)"
    try copyOut(text, shown: text, body)
  }

  private func copyOut(
    _ text: String, shown: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try beginCopy(text, shown: shown, expecting: PGRES_COPY_OUT)
    while true {
      var bytes: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(handle, &bytes, 1)
      if count > 0 {
        defer { PQfreemem(bytes) }
        do {
          try body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        } catch {
          abandon()
          throw error
        }
      } else if count == 0 {
        try waitForData()
      } else {
        break
      }
    }
    try endCopy()
  }

  /// Writes bytes that `copyOut` has read.
  func copyBytes(
    into target: String, _ produce: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
  )
    throws
  {
    try beginCopy("COPY \(target) FROM STDIN (FORMAT binary)", expecting: PGRES_COPY_IN)
    do {
      try produce { bytes in try self.put(bytes) }
    } catch {
      abandon()
      throw error
    }
    try endPutting()
  }

  private func beginCopy(
    _ text: String, shown: String? = nil, expecting status: ExecStatusType
  ) throws {
    guard PQexitPipelineMode(handle) == 1 else { throw lossError() }
    guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1 else { throw lossError() }
    try flush()
    guard let result = try nextResult() else { throw lossError() }
    defer { PQclear(result) }
    guard PQresultStatus(result) == status else {
      let error = PostgreSQLError(result, statement: shown ?? text)
      try endCopy(failure: error)
      throw error
    }
  }

  private func put(_ buffer: BinaryBuffer) throws {
    try put(buffer.bytes)
    buffer.removeAll()
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws {
    let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
    while true {
      let code = PQputCopyData(handle, start, Int32(bytes.count))
      if code == 1 { break }
      guard code == 0 else { throw lossError() }
      try flush()
    }
    // Flushed, or libpq's output buffer would grow without bound.
    try flush()
  }

  /// Ends the COPY, and takes the answer.
  private func endPutting() throws {
    while true {
      let code = PQputCopyEnd(handle, nil)
      if code == 1 { break }
      guard code == 0 else { throw lossError() }
      try flush()
    }
    try endCopy()
  }

  /// Takes the answer and goes back to pipeline mode.
  private func endCopy(failure: PostgreSQLError? = nil) throws {
    var failure = failure
    try flush()
    while let result = try nextResult() {
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_FATAL_ERROR {
        failure = failure ?? PostgreSQLError(result, statement: "COPY")
      }
    }
    guard PQstatus(handle) == CONNECTION_OK, PQenterPipelineMode(handle) == 1 else {
      throw lossError()
    }
    if let failure { throw failure }
  }
}
