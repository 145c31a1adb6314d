// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import RoostModel
import RoostSQL

/// A statement with the values of its parameters.
struct PostgreSQLCommand {
  let text: String
  let parameters: Parameters
  /// Whether it is worth preparing.
  let isKept: Bool
  /// Whether the statement is only described: it does not run, and its result has columns but no rows.
  private(set) var isDescribed = false
  /// Whether it divides by zero when a record is in another version than the save expects.
  var checksVersions = false
  /// The number of records that it changes or removes unless one is in another version than the save expects; nil when
  /// the number need not be checked.
  var expectedCount: Int?

  init(_ text: String, _ parameters: Parameters = Parameters(), isKept: Bool = true) {
    self.text = text
    self.parameters = parameters
    self.isKept = isKept
  }

  init(_ text: String, _ values: [SQLValue], isKept: Bool = true) throws {
    self.init(text, try Parameters(values), isKept: isKept)
  }

  /// A statement that is not worth preparing, such as a schema change.
  static func once(_ text: String) -> PostgreSQLCommand {
    PostgreSQLCommand(text, isKept: false)
  }

  /// The command that describes the statement's columns.
  var description: PostgreSQLCommand {
    var command = PostgreSQLCommand(text, parameters)
    command.isDescribed = true
    return command
  }

  /// Whether it begins a transaction: no other statement may run in the transaction before it.
  var beginsTransaction: Bool { text.hasPrefix("BEGIN") }

  /// Whether the server runs it only outside of transactions. Nothing may be sent before it, not even the settings of
  /// the session, because the statements of one pipeline are one transaction.
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

  /// Checks the types of the columns against those of the store's tables.
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

  /// The command tag, such as `COMMIT` or `ROLLBACK`.
  var tag: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

  /// The number of rows that were inserted, changed or removed.
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

  /// Returns whether a boolean field is true.
  func isTrue(_ row: Int32 = 0, _ column: Int32 = 0) -> Bool {
    ResultField.bytes(handle, row, column)?.first == 1
  }
}

/// The outcome of statements that were sent in one pipeline.
struct PipelineOutcome {
  /// The results of the statements that ran.
  var results: [PostgreSQLResult?]
  /// The first error, with the index of its statement; the statements after it did not run.
  var failure: (index: Int, error: PostgreSQLError)?

  /// Returns the results.
  ///
  /// - Throws: The first error.
  func get() throws -> [PostgreSQLResult] {
    if let failure { throw failure.error }
    return results.compactMap { $0 }
  }
}
