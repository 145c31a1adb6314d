// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation

/// A direct connection to a database file, as another program has it.
final class RawDatabase {
  private var handle: OpaquePointer?

  init(_ url: URL) {
    sqlite3_open(url.path, &handle)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements, and returns the result code.
  @discardableResult
  func run(_ sql: String) -> Int32 {
    sqlite3_exec(handle, sql, nil, nil, nil)
  }

  /// Returns the first column of the first row.
  func text(_ sql: String) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }
}
