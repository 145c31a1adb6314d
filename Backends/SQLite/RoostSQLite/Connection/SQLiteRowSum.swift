// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostStore

/// An aggregate function over the values of rows, `roost_rows(a, b, …)`: their number and a sum of their hashes, which
/// does not depend on the order of the rows.
enum SQLiteRowSum {
  /// The number of values that one call takes: SQLite limits the arguments of a function.
  private static let largestCount = 100

  /// Registers the function on a connection.
  static func register(on handle: OpaquePointer) throws {
    let code = sqlite3_create_function_v2(
      handle, "roost_rows", -1, SQLiteFunctions.flags, nil, nil, add, finish, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle) }
  }

  /// Returns a query for the sum over all rows of a table, as text.
  ///
  /// - Parameter columns: The columns, as statements name them; the first ones tell the rows apart.
  static func query(_ table: String, key: [String], columns: [String]) -> String {
    var calls: [String] = []
    var rest = columns[...]
    repeat {
      let part = rest.prefix(largestCount)
      rest = rest.dropFirst(part.count)
      calls.append("roost_rows(\((key + part).joined(separator: ", ")))")
    } while !rest.isEmpty
    return "SELECT \(calls.joined(separator: " || ' ' || ")) FROM \(table)"
  }

  private struct Sum {
    var count: Int64
    var sum: UInt64
  }

  private static let add: SQLiteFunctions.Body = { context, count, arguments in
    guard
      let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<Sum>.size))
    else { return sqlite3_result_error_nomem(context) }
    var hash = StableHash()
    for index in 0..<Int(count) {
      guard let value = arguments?[index] else { continue }
      SQLiteRowSum.mix(value, &hash)
    }
    let sum = memory.assumingMemoryBound(to: Sum.self)
    sum.pointee.count += 1
    sum.pointee.sum &+= hash.value
  }

  private static let finish: SQLiteAggregates.Final = { context in
    let sum = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: Sum.self).pointee
    let text = "\(sum?.count ?? 0)-\(String(sum?.sum ?? 0, radix: 16))"
    sqlite3_result_text(context, text, -1, roost_sqlite3_transient())
  }

  private static func mix(_ value: OpaquePointer, _ hash: inout StableHash) {
    let type = sqlite3_value_type(value)
    hash.mix(UInt64(type.magnitude))
    switch type {
    case SQLITE_INTEGER: hash.mix(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT: hash.mix(sqlite3_value_double(value).bitPattern)
    case SQLITE_NULL: break
    default:
      // The bytes of a text are read like those of data.
      let bytes = sqlite3_value_blob(value)
      hash.mix(
        bytes: UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
    }
  }
}
