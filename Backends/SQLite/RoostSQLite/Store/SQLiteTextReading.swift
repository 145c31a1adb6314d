// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL
package import RoostStore

/// Answers statements of SQL that a program writes itself, on a connection that reads.
struct SQLiteTextReading: StoreSQL {
  let store: SQLiteStore

  func rows(of query: SQLText) throws -> SQLRows {
    let prepared = try store.prepared()
    let (text, values) = try prepared.mapping.statement(query)
    return try store.translating {
      store.log(text)
      return try store.pool.read(store.cancellation) { connection in
        let statement = try statement(text, values, connection)
        return try rows(of: statement, prepared)
      }
    }
  }

  /// The statement, compiled and bound. It is not kept: a program's statements can be many.
  private func statement(
    _ text: String, _ values: [SQLValue], _ connection: SQLiteConnection
  ) throws -> SQLiteStatement {
    let statement: SQLiteStatement
    do {
      statement = try SQLiteStatement(text, connection: connection.handle, isPersistent: false)
    } catch let error as SQLiteError where error.primaryCode == SQLITE_ERROR {
      throw SQLSchema.refusal(error.message, error)
    }
    guard !statement.hasTail else {
      throw PersistenceError(
        .invalidRequest, "The text has more than one statement: ask them one by one.")
    }
    guard sqlite3_stmt_readonly(statement.handle) != 0 else {
      throw PersistenceError(
        .invalidRequest, "The statement writes, and SQL of a program only reads.")
    }
    try statement.bind(values)
    return statement
  }

  private func rows(of statement: SQLiteStatement, _ prepared: PreparedSchema) throws -> SQLRows {
    let columns = (0..<Int32(statement.columnCount)).map { column in
      sqlite3_column_name(statement.handle, column).map { String(cString: $0) } ?? ""
    }
    var values: [Value] = []
    var count = 0
    while try statement.step() {
      for column in columns.indices { values.append(try value(statement, Int32(column))) }
      count += 1
    }
    return SQLRows(columns: columns, values: values, count: count, schema: prepared.mapping.store)
  }

  private func value(_ statement: SQLiteStatement, _ column: Int32) throws -> Value {
    switch sqlite3_column_type(statement.handle, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(statement.integer(column))
    case SQLITE_FLOAT: return .double(statement.double(column))
    case SQLITE_BLOB: return .data(Data(statement.blobBytes(column)))
    default:
      guard let text = statement.string(column) else {
        throw PersistenceError(.corruptStore, "A stored text is no valid UTF-8.")
      }
      return .string(text)
    }
  }
}

extension SQLiteStore {
  package var sql: (any StoreSQL)? { SQLiteTextReading(store: self) }
}
