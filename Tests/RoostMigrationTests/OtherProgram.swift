// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Testing

/// A program that writes the file of a store with SQLite alone.
final class OtherProgram {
  private var handle: OpaquePointer?

  init(_ url: URL) {
    sqlite3_open(url.path, &handle)
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements.
  func run(_ sql: String) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    #expect(code == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
  }

  /// Returns the number in the first row; nil without one.
  func number(_ sql: String) -> Int? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return Int(sqlite3_column_int64(statement, 0))
  }
}
