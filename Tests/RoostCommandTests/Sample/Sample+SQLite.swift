// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Roost

// Direct access to the file of a SQLite store, without Roost.
extension Sample {
  /// Runs statements.
  func execute(_ statements: String, on address: String) throws {
    try withFile(address) { handle in
      guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
        throw failure(handle)
      }
    }
  }

  /// Returns the first two columns of a query's result as a dictionary.
  func rows(_ text: String, of address: String) throws -> [String: String] {
    try withFile(address) { handle in
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else {
        throw failure(handle)
      }
      var rows: [String: String] = [:]
      while sqlite3_step(statement) == SQLITE_ROW {
        guard let name = sqlite3_column_text(statement, 0),
          let value = sqlite3_column_text(statement, 1)
        else { continue }
        rows[String(cString: name)] = String(cString: value)
      }
      return rows
    }
  }

  private func failure(_ handle: OpaquePointer?) -> PersistenceError {
    PersistenceError(.persistentStoreOperation, String(cString: sqlite3_errmsg(handle)))
  }

  private func withFile<Result>(
    _ address: String, _ body: (OpaquePointer?) throws -> Result
  ) throws -> Result {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let path = String(address.dropFirst("sqlite:".count))
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw failure(handle)
    }
    return try body(handle)
  }
}
