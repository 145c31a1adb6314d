// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// The keys of a batch deletion, which are sent to the server as lists. A temporary table would keep the connection's
/// transaction from being prepared, and needs a privilege that programs may lack.
final class PostgreSQLBatchSession: SQLBatchSession {
  private let connection: PostgreSQLConnection
  private let store: PostgreSQLStore
  private var steps: [[Int64]] = []
  private var known: Set<Int64> = []

  init(_ connection: PostgreSQLConnection, _ store: PostgreSQLStore) {
    self.connection = connection
    self.store = store
  }

  func collect(_ statement: SQLSetStatement, step: Int) throws -> Int {
    var taker = KeyTaker(nil)
    let command = try command(statement)
    try connection.stream(command, types: [.integer], into: &taker)
    var found: [Int64] = []
    for key in taker.keys where known.insert(key).inserted { found.append(key) }
    while steps.count <= step { steps.append([]) }
    steps[step] = (steps[step] + found).sorted()
    return found.count
  }

  func codes(ofStep step: Int) throws -> [Int] {
    Set(steps[step].map { RecordKey.entityCode(of: $0) }).sorted()
  }

  func run(_ statement: SQLSetStatement) throws -> Int {
    try connection.run(try command(statement)).affected
  }

  func forEachRow(
    of statement: SQLSetStatement, flags: Int, _ body: (Int64, [Bool]) throws -> Void
  ) throws {
    var taker = FlagTaker(flags)
    try connection.stream(try command(statement), types: taker.types, into: &taker)
    for (key, bits) in zip(taker.keys, taker.changed) {
      try body(key, (0..<flags).map { bits & 1 << UInt64($0) != 0 })
    }
  }

  func keys() throws -> [Int64] { steps.flatMap(\.self) }

  func locking(_ alias: String) -> String { " FOR UPDATE OF " + alias }

  private func command(_ statement: SQLSetStatement) throws -> PostgreSQLCommand {
    var parameters = try Parameters(statement.bindings)
    for set in statement.sets { try parameters.append(keys(of: set)) }
    store.log(statement.text)
    return PostgreSQLCommand(statement.text, parameters)
  }

  private func keys(of set: SQLKeySet) -> [Int64] {
    let codes = Set(set.codes)
    let members = set.step.map { steps[$0] } ?? steps.flatMap(\.self)
    return members.filter { codes.contains(RecordKey.entityCode(of: $0)) }
  }
}
