// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostSQL

/// The functions of Roost that statements call: what SQLite lacks, computed as everywhere else in Roost.
enum SQLiteFunctions {
  /// Registers the functions on a connection.
  static func register(on handle: OpaquePointer) throws {
    try add("roost_double", 1, handle) { context, _, arguments in
      guard let argument = arguments?[0] else { return }
      sqlite3_result_double(
        context, Double(bitPattern: UInt64(bitPattern: sqlite3_value_int64(argument))))
    }
    try add("roost_bytes", 1, handle) { context, _, arguments in
      SQLiteFunctions.bytes(context, arguments)
    }
  }

  typealias Body =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(
    _ name: String, _ arguments: Int32, _ handle: OpaquePointer, _ body: Body
  ) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = sqlite3_create_function_v2(
      handle, name, arguments, flags, nil, body, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle) }
  }

  /// `roost_bytes(text)`: the bytes of hexadecimal digits.
  private static func bytes(
    _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let argument = arguments?[0], let text = sqlite3_value_text(argument) else {
      return sqlite3_result_null(context)
    }
    let count = Int(sqlite3_value_bytes(argument)) / 2
    guard count > 0 else { return sqlite3_result_zeroblob(context, 0) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
      for index in 0..<count {
        buffer[index] = digit(text[index * 2]) << 4 | digit(text[index * 2 + 1])
      }
      sqlite3_result_blob(context, buffer.baseAddress, Int32(count), roost_sqlite3_transient())
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "a") ? byte - UInt8(ascii: "a") + 10 : byte - UInt8(ascii: "0")
  }
}
