// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel
import RoostSQL

/// A statement with the values of its parameters.
struct PostgreSQLCommand {
  let text: String
  let parameters: Parameters
  /// Whether it is worth being prepared.
  let isKept: Bool
  /// Whether it does not run, and its result has no rows: it only says which columns there would be.
  private(set) var isDescribed = false
  /// Whether it divides by zero where a record is in another version than a save expects.
  var checksVersions = false
  /// How many records it changes or removes unless one is in another version than a save expects; nil where nobody has
  /// to look.
  var expectedCount: Int?

  init(_ text: String, _ parameters: Parameters = Parameters(), isKept: Bool = true) {
    self.text = text
    self.parameters = parameters
    self.isKept = isKept
  }

  init(_ text: String, _ values: [SQLValue], isKept: Bool = true) throws {
    self.init(text, try Parameters(values), isKept: isKept)
  }

  /// A statement that is not worth being prepared, as one that changes the schema.
  static func once(_ text: String) -> PostgreSQLCommand {
    PostgreSQLCommand(text, isKept: false)
  }

  /// The question which columns the statement has.
  var description: PostgreSQLCommand {
    var command = PostgreSQLCommand(text, parameters)
    command.isDescribed = true
    return command
  }

  /// Whether it begins a transaction: no other statement may run in that before.
  var beginsTransaction: Bool { text.hasPrefix("BEGIN") }

  /// Whether the server runs it outside of transactions only: nothing may be sent before it, not even the settings of
  /// the session, since what comes in one group is one transaction.
  var standsAlone: Bool { text.hasPrefix("COMMIT PREPARED") || text.hasPrefix("ROLLBACK PREPARED") }

  static var begin: PostgreSQLCommand {
    PostgreSQLCommand("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
  }
  static var beginReading: PostgreSQLCommand {
    PostgreSQLCommand("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  }
  static var commit: PostgreSQLCommand { PostgreSQLCommand("COMMIT") }
}

/// The result of a statement, freed with this object.
final class PostgreSQLResult {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    PQclear(handle)
  }

  /// The number of rows.
  var count: Int32 { PQntuples(handle) }

  var columnCount: Int { Int(PQnfields(handle)) }

  /// Refuses a result whose columns have other types than those of the store's tables.
  ///
  /// - Throws: `corruptStore`.
  func check(_ types: [PostgreSQLType]) throws {
    try Self.check(handle, types)
  }

  static func check(_ handle: OpaquePointer, _ types: [PostgreSQLType]) throws {
    guard Int(PQnfields(handle)) == types.count,
      types.indices.allSatisfy({ PQftype(handle, Int32($0)) == types[$0].number })
    else {
      throw PersistenceError(
        .corruptStore, "A table of the store is not as the store has made it.")
    }
  }

  /// What was done, as `COMMIT` or `ROLLBACK`.
  var tag: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

  /// How many rows were inserted, changed or removed.
  var affected: Int {
    PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
  }

  func integer(_ row: Int32 = 0, _ column: Int32 = 0) -> Int64 {
    ResultField.integer(handle, row, column)
  }

  func text(_ row: Int32 = 0, _ column: Int32 = 0) -> String? {
    ResultField.text(handle, row, column)
  }

  func double(_ row: Int32 = 0, _ column: Int32 = 0) -> Double {
    Double(bitPattern: UInt64(bitPattern: integer(row, column)))
  }

  func data(_ row: Int32 = 0, _ column: Int32 = 0) -> [UInt8] {
    Array(ResultField.bytes(handle, row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Whether a truth value is true.
  func isTrue(_ row: Int32 = 0, _ column: Int32 = 0) -> Bool {
    ResultField.bytes(handle, row, column)?.first == 1
  }
}

/// What became of statements that were sent together.
struct PipelineOutcome {
  /// The results, as far as the statements ran.
  var results: [PostgreSQLResult?]
  /// The first error, and which statement had it; what came after it did not run.
  var failure: (index: Int, error: PostgreSQLError)?

  /// The results.
  ///
  /// - Throws: The first error.
  func get() throws -> [PostgreSQLResult] {
    if let failure { throw failure.error }
    return results.compactMap { $0 }
  }
}
