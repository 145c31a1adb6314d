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
    do {
      return try store.translating {
        store.log(text)
        return try store.pool.read(store.cancellation) { connection in
          do {
            return try rows(of: statement(text, values, connection), prepared)
          } catch let error as SQLiteError where error.isOfView {
            return try connection.allowingViews {
              try rows(of: statement(text, values, connection), prepared)
            }
          }
        }
      }
    } catch let error as PersistenceError where error.code == .persistentStoreOperation {
      // Only now: before, the error of the database shows that another program has migrated the store.
      guard let cause = error.underlying as? SQLiteError, cause.primaryCode == SQLITE_ERROR else {
        throw error
      }
      throw SQLSchema.refusal(cause.message, cause)
    }
  }

  /// The statement, compiled and bound. It is not kept: a program's statements can be many.
  private func statement(
    _ text: String, _ values: [SQLValue], _ connection: SQLiteConnection
  ) throws -> SQLiteStatement {
    let statement = try SQLiteStatement(text, connection: connection.handle, isPersistent: false)
    guard sqlite3_stmt_readonly(statement.handle) != 0 else {
      throw PersistenceError(
        .invalidRequest, "The statement writes, and SQL of a program only reads.")
    }
    guard Int(sqlite3_bind_parameter_count(statement.handle)) == values.count else {
      throw PersistenceError(
        .invalidRequest, "The text has parameters of its own: interpolate the values instead.")
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
        throw PersistenceError(
          .invalidRequest,
          "A text of the answer is no valid UTF-8: ask for the bytes, without a CAST.")
      }
      return .string(text)
    }
  }
}

extension SQLiteConnection {
  /// Runs `body` while views can be read. The store's own statements read none: a view that another program has put in
  /// the place of a table is refused.
  fileprivate func allowingViews<Result>(_ body: () throws -> Result) rethrows -> Result {
    _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 1)
    defer { _ = roost_sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0) }
    return try body()
  }
}

extension SQLiteError {
  /// Whether a statement was refused because it reads a view.
  fileprivate var isOfView: Bool {
    primaryCode == SQLITE_ERROR && message.hasPrefix("access to view")
  }
}

extension SQLiteStore {
  package var sql: (any StoreSQL)? { SQLiteTextReading(store: self) }
}
