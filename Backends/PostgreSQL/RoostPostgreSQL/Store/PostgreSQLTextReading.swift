// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostSQL
package import RoostStore

/// Answers statements of SQL that a program writes itself, each in a transaction that only reads.
struct PostgreSQLTextReading: StoreSQL {
  let store: PostgreSQLStore

  func rows(of query: SQLText) throws -> SQLRows {
    let prepared = try store.prepared()
    let (text, values) = try prepared.mapping.statement(query)
    // Locks of a session are not undone with the transaction, and the store holds some.
    guard !text.lowercased().contains("pg_advisory") else {
      throw PersistenceError(
        .invalidRequest, "A statement of the program cannot take or release locks of the session.")
    }
    let command = PostgreSQLCommand(text, try Self.parameters(values), isKept: false)
    do {
      return try store.translating {
        store.log(text)
        return try store.withConnection { connection in try rows(of: command, connection, prepared)
        }
      }
    } catch let error as PersistenceError {
      // Only now: before, the error of the server shows that another program has migrated the store.
      guard let cause = error.underlying as? PostgreSQLError, cause.isOfStatement else {
        throw error
      }
      throw SQLSchema.refusal(cause.message, cause)
    }
  }

  /// The parameters; the server finds the type of NULL.
  private static func parameters(_ values: [SQLValue]) throws -> Parameters {
    var parameters = Parameters(capacity: values.count * 24)
    for value in values {
      if value == .null { parameters.appendNull(.unknown) } else { try parameters.append(value) }
    }
    return parameters
  }

  /// Runs the statement in a transaction that only reads, and that is rolled back: settings that the statement changes
  /// are undone with it.
  private func rows(
    of command: PostgreSQLCommand, _ connection: PostgreSQLConnection, _ prepared: PreparedSchema
  ) throws -> SQLRows {
    let outcome = try connection.run([.beginReading, command, PostgreSQLCommand("ROLLBACK")])
    if let failure = outcome.failure {
      try connection.rollBack()
      // Of a statement that is prepared this would mean that the tables have changed.
      if failure.error.sqlState == "0A000" {
        throw SQLSchema.refusal(failure.error.message, failure.error)
      }
    }
    return try rows(of: outcome.get()[1], prepared)
  }

  private func rows(of result: PostgreSQLResult, _ prepared: PreparedSchema) throws -> SQLRows {
    let columns = (0..<Int32(result.columnCount)).map { column in
      PQfname(result.handle, column).map { String(cString: $0) } ?? ""
    }
    let types = columns.indices.map { PQftype(result.handle, Int32($0)) }
    var values: [Value] = []
    values.reserveCapacity(columns.count * Int(result.count))
    for row in 0..<result.count {
      for (column, type) in types.enumerated() {
        let bytes = ResultField.bytes(result.handle, row, Int32(column))
        values.append(try bytes.map { try TextColumn.value($0, type, columns[column]) } ?? .null)
      }
    }
    return SQLRows(
      columns: columns, values: values, count: Int(result.count), schema: prepared.mapping.store)
  }
}

/// Turns fields of any type into values: a program's statement can give what no table of a store holds.
private enum TextColumn {
  /// Seconds from 2000-01-01, from which the server counts, to 2001-01-01.
  private static let epoch = 31_622_400.0

  static func value(
    _ bytes: UnsafeRawBufferPointer, _ type: UInt32, _ column: String
  ) throws -> Value {
    switch type {
    case 16: return .boolean(bytes.first != 0)
    case 17: return .data(Data(bytes))
    case 18, 19, 25, 114, 705, 1042, 1043:
      return .string(try checked(String(validating: bytes, as: UTF8.self)))
    case 20: return .integer(try number(bytes, Int64.self))
    case 21: return .integer(Int64(try number(bytes, Int16.self)))
    case 23: return .integer(Int64(try number(bytes, Int32.self)))
    case 26: return .integer(Int64(try number(bytes, UInt32.self)))
    case 700: return .double(Double(Float(bitPattern: try number(bytes, UInt32.self))))
    case 701: return .double(Double(bitPattern: try number(bytes, UInt64.self)))
    case 1082:
      return .date(seconds(Double(try finite(number(bytes, Int32.self), column)) * 86_400))
    case 1114, 1184:
      return .date(seconds(Double(try finite(number(bytes, Int64.self), column)) / 1_000_000))
    case 1700:
      guard case .decimal(let decimal) = NumericCode.decode(bytes) else {
        throw PersistenceError(
          .arithmeticOverflow,
          "The number in the column \(column) is beyond the range of a decimal.",
          key: column)
      }
      return .decimal(decimal)
    case 2950:
      return .uuid(try checked(bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) : nil))
    default:
      throw PersistenceError(
        .invalidRequest,
        "The column \(column) has a type that no Swift type stands for (\(type) in pg_type): cast it, as "
          + "to text.",
        key: column)
    }
  }

  /// A date's number, of which the largest and the smallest one stand for no date.
  private static func finite<Number: FixedWidthInteger>(
    _ number: Number, _ column: String
  ) throws -> Number {
    guard number != .max, number != .min else {
      throw PersistenceError(
        .invalidRequest, "The date in the column \(column) is infinite: cast it, as to text.",
        key: column)
    }
    return number
  }

  private static func seconds(_ since2000: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: since2000 - epoch)
  }

  private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _ type: Number.Type
  ) throws -> Number {
    try checked(
      bytes.count == MemoryLayout<Number>.size
        ? Number(bigEndian: bytes.loadUnaligned(as: Number.self)) : nil)
  }

  private static func checked<Result>(_ value: Result?) throws -> Result {
    guard let value else {
      throw PersistenceError(.corruptStore, "A field that the server has sent cannot be read.")
    }
    return value
  }
}

extension PostgreSQLError {
  /// Whether the statement is to blame: it is no SQL, names what is not there, or would write.
  fileprivate var isOfStatement: Bool {
    kind == .refused && (sqlState.hasPrefix("42") || sqlState == "25006")
  }
}

extension PostgreSQLStore {
  package var sql: (any StoreSQL)? { PostgreSQLTextReading(store: self) }
}
