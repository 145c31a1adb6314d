// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// How the records of a request are received from the server.
extension PostgreSQLStore {
  /// The largest number of records that are received as one result: one by one takes more work, and less memory.
  private static let fewRecords = 512
  /// The number of records from which on a request counts as one for many.
  private static let manyRecords = 4096

  /// Receives the records of a request. They are copied out when the request has no parameters and has found many
  /// records the last time, because COPY takes less work per record; otherwise they are received as results.
  func receive(
    _ command: PostgreSQLCommand, _ types: [PostgreSQLType], _ request: ResolvedFetch,
    _ connection: PostgreSQLConnection, into taker: inout some RecordTaker
  ) throws {
    let isShort = request.limit.map { $0 <= Self.fewRecords } ?? false
    let canCopy = !isShort && command.parameters.count == 0
    if canCopy, findsMany(command.text) {
      log(PostgreSQLConnection.copyText(of: command.text))
      try connection.copyRecords(
        of: command.text, like: command, types: types, shown: command.text, into: &taker)
    } else {
      log(command.text)
      try connection.stream(command, types: types, rowByRow: !isShort, into: &taker)
    }
    if canCopy { setFindsMany(command.text, taker.count >= Self.manyRecords) }
  }
}
