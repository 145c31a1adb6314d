// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// In which way the records of a request come from the server.
extension PostgreSQLStore {
  /// Up to how many records are taken together: one after the other costs more work, and less memory.
  private static let fewRecords = 512
  /// From how many records on a request is one for many.
  private static let manyRecords = 4096

  /// Lets the server send what a request finds: copied out, where nothing has to be bound and the request has found
  /// much the last time, because that is less work for each record, and else as results.
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
