// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation

/// A prepared statement, as a thin wrapper of the C functions.
final class RawStatement {
  private let database: OpaquePointer?
  private let handle: OpaquePointer?

  init(_ database: OpaquePointer?, _ sql: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_prepare_v3(database, sql, -1, 0, &handle, nil) == SQLITE_OK else {
      throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(database))) in \(sql)")
    }
    self.database = database
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  @inline(__always)
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(database)))")
  }

  /// Runs a statement without results.
  @inline(__always)
  func run() throws {
    _ = try step()
    sqlite3_reset(handle)
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  @inline(__always)
  func bind(_ number: Int, _ index: Int32) { sqlite3_bind_int64(handle, index, Int64(number)) }

  @inline(__always)
  func bind(_ number: Double, _ index: Int32) { sqlite3_bind_double(handle, index, number) }

  /// Binds a text without copying it: it must stay in place until the statement has run.
  @inline(__always)
  func bind(_ text: UnsafeBufferPointer<UInt8>, _ index: Int32) {
    text.withMemoryRebound(to: CChar.self) {
      // A nil destructor is `SQLITE_STATIC`: SQLite makes no copy.
      _ = sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), nil)
    }
  }

  /// Binds bytes without copying them, in the same way.
  @inline(__always)
  func bind(_ bytes: UnsafeRawBufferPointer, _ index: Int32) {
    sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  @inline(__always)
  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the bytes of a text or blob, which are valid until the next step.
  @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  @inline(__always)
  func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  @inline(__always)
  func uuid(_ column: Int32) -> uuid_t { bytes(column).loadUnaligned(as: uuid_t.self) }
}
