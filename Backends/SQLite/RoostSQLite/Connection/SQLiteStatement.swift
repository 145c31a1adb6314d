// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostSQL

/// A prepared statement of one connection.
///
/// It belongs to its connection and is used by the connection's holder.
final class SQLiteStatement {
  let handle: OpaquePointer
  let text: String
  /// Whether a caller is between `prepare` and `finish`.
  var isInUse = false
  /// Whether more follows in the text after the statement.
  let hasTail: Bool
  private let connection: OpaquePointer

  init(_ text: String, connection: OpaquePointer, isPersistent: Bool) throws {
    self.text = text
    self.connection = connection
    var statement: OpaquePointer?
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    var hasTail = false
    let code = text.withCString { start -> Int32 in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(connection, start, -1, flags, &statement, &tail)
      hasTail = tail.map { $0.pointee != 0 } ?? false
      return code
    }
    guard code == SQLITE_OK, let statement else {
      throw SQLiteError(code: code, handle: connection, statement: text)
    }
    handle = statement
    self.hasTail = hasTail
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Goes to the next row; false when there is none.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code: code, handle: connection, statement: text)
    }
  }

  /// Runs a statement that returns no rows.
  func run() throws {
    while try step() {}
  }

  /// Makes the statement ready to run again; bound values stay.
  func reset() {
    // The result repeats the error of the last step, which has been thrown.
    _ = sqlite3_reset(handle)
  }

  /// Lets go of rows, locks and bound values.
  func finish() {
    reset()
    _ = sqlite3_clear_bindings(handle)
    isInUse = false
  }
}

// MARK: - Values in

extension SQLiteStatement {
  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// Binds a value; parameters count from 1.
  func bind(_ value: SQLValue, at index: Int32) throws {
    switch value {
    case .null: try check(sqlite3_bind_null(handle, index))
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let data): try bind(data, at: index)
    case .boolean(let truth): try bind(truth ? 1 as Int64 : 0, at: index)
    case .uuid, .decimal: try bind(value.bytes, at: index)
    case .list(let list): try bind(list.json, at: index)
    }
  }

  /// Binds all values in order.
  func bind(_ values: [SQLValue]) throws {
    for (index, value) in values.enumerated() {
      try bind(value, at: Int32(index + 1))
    }
  }

  func bind(_ number: Int64, at index: Int32) throws {
    try check(sqlite3_bind_int64(handle, index, number))
  }

  func bind(_ number: Double, at index: Int32) throws {
    try check(sqlite3_bind_double(handle, index, number))
  }

  func bindNull(at index: Int32) throws {
    try check(sqlite3_bind_null(handle, index))
  }

  /// Binds a text; without a buffer, or when it is too large for that, SQLite makes a copy.
  func bind(_ text: String, at index: Int32, in buffer: BindBuffer? = nil) throws {
    var text = text
    try text.withUTF8 { try bind(text: $0, at: index, in: buffer) }
  }

  /// Binds the bytes of a text in UTF-8; without a buffer, or when they are too large for that, SQLite makes a copy.
  func bind(text bytes: UnsafeBufferPointer<UInt8>, at index: Int32, in buffer: BindBuffer?) throws
  {
    if let kept = buffer?.keep(UnsafeRawBufferPointer(bytes)) {
      return try check(
        sqlite3_bind_text64(
          handle, index, kept.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil,
          UInt8(SQLITE_UTF8)))
    }
    // A null pointer would bind NULL.
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return try check(sqlite3_bind_text(handle, index, "", 0, nil))
    }
    let code = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        handle, index, $0, UInt64(bytes.count), roost_sqlite3_transient(), UInt8(SQLITE_UTF8))
    }
    try check(code)
  }

  func bind(_ data: Data, at index: Int32) throws {
    try data.withUnsafeBytes { try bind(bytes: $0, at: index) }
  }

  /// Binds bytes; without a buffer, or when they are too large for that, SQLite makes a copy.
  func bind(bytes: UnsafeRawBufferPointer, at index: Int32, in buffer: BindBuffer? = nil) throws {
    if let kept = buffer?.keep(bytes) {
      return try check(sqlite3_bind_blob64(handle, index, kept, UInt64(bytes.count), nil))
    }
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return try check(sqlite3_bind_zeroblob(handle, index, 0))
    }
    try check(
      sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), roost_sqlite3_transient()))
  }

  @inline(__always)
  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw SQLiteError(code: code, handle: connection, statement: text) }
  }
}

// MARK: - Values out

extension SQLiteStatement {
  @inline(__always)
  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  @inline(__always)
  func double(_ column: Int32) -> Double {
    sqlite3_column_double(handle, column)
  }

  /// The bytes of a text; valid until the next step.
  @inline(__always)
  func textBytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  /// The bytes of a blob; valid until the next step.
  @inline(__always)
  func blobBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  /// The text; nil when it is no valid UTF-8.
  @inline(__always)
  func string(_ column: Int32) -> String? {
    let bytes = textBytes(column)
    return bytes.baseAddress.map { SQLiteStatement.text($0, count: bytes.count) } ?? ""
  }

  /// The text in bytes that SQLite has ended with a zero; nil when it is no valid UTF-8.
  @inline(__always)
  static func text(_ start: UnsafePointer<UInt8>, count: Int) -> String? {
    // Unlike the general initialiser this one has no generic code in it. It reads up to the first zero, and there may
    // be one within a text that others wrote.
    let string = start.withMemoryRebound(to: CChar.self, capacity: count + 1) {
      String(validatingCString: $0)
    }
    if let string, string.utf8.count == count { return string }
    return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
