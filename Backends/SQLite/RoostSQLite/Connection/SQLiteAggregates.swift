// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel

/// Aggregate functions that are exact where SQLite's own are not: sums of large integers, whose intermediate results
/// may be out of range, their averages, and sums and averages of decimals. Sums of doubles are added in row order
/// without compensation, as everywhere in Roost, whatever the version of SQLite.
enum SQLiteAggregates {
  /// Registers the functions on a connection.
  static func register(on handle: OpaquePointer) throws {
    try add("roost_sum", handle, addInteger) { context in
      let sum = SQLiteAggregates.total(context)?.integer ?? 0
      guard let result = Int64(exactly: sum) else {
        return SQLiteAggregates.reportOverflow(context)
      }
      sqlite3_result_int64(context, result)
    }
    try add("roost_average", handle, addInteger) { context in
      guard let total = SQLiteAggregates.total(context), total.count > 0 else { return }
      sqlite3_result_double(context, Double(total.integer) / Double(total.count))
    }
    try add("roost_total", handle, addDouble) { context in
      sqlite3_result_double(context, SQLiteAggregates.doubles(context)?.sum ?? 0)
    }
    try add("roost_double_average", handle, addDouble) { context in
      guard let total = SQLiteAggregates.doubles(context), total.count > 0 else { return }
      sqlite3_result_double(context, total.sum / Double(total.count))
    }
    try add("roost_decimal_sum", handle, addDecimal) { context in
      let sum = SQLiteAggregates.endDecimals(context)?.sum ?? DecimalSum()
      guard let decimal = sum.decimal else { return SQLiteAggregates.reportOverflow(context) }
      DecimalCode.encode(decimal).withUnsafeBytes { bytes in
        sqlite3_result_blob(
          context, bytes.baseAddress, Int32(bytes.count), roost_sqlite3_transient())
      }
    }
    try add("roost_decimal_average", handle, addDecimal) { context in
      guard let total = SQLiteAggregates.endDecimals(context), total.count > 0 else { return }
      let sum = DecimalParts.double(total.sum.decimal ?? .nan)
      sqlite3_result_double(context, sum / Double(total.count))
    }
  }

  typealias Final = @convention(c) (OpaquePointer?) -> Void

  private static func add(
    _ name: String, _ handle: OpaquePointer, _ step: SQLiteFunctions.Body, _ final: Final
  ) throws {
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLiteFunctions.flags, nil, nil, step, final, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle) }
  }

  /// A running total. It is in memory that SQLite zeroes and frees, so it holds no references.
  private struct Total {
    var count: Int64
    var integer: Int128
  }

  /// A running total of doubles, which are added most often.
  private struct DoubleTotal {
    var count: Int64
    var sum: Double
  }

  /// A running total of decimals.
  private final class DecimalTotal {
    var count: Int64 = 0
    var sum = DecimalSum()
  }

  private static let addInteger: SQLiteFunctions.Body = { context, _, arguments in
    guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL,
      let total = SQLiteAggregates.storage(context)
    else { return }
    total.pointee.count += 1
    total.pointee.integer += Int128(sqlite3_value_int64(value))
  }

  private static let addDouble: SQLiteFunctions.Body = { context, _, arguments in
    guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
    let size = Int32(MemoryLayout<DoubleTotal>.size)
    guard let memory = sqlite3_aggregate_context(context, size) else {
      return sqlite3_result_error_nomem(context)
    }
    let total = memory.assumingMemoryBound(to: DoubleTotal.self)
    total.pointee.count += 1
    total.pointee.sum += sqlite3_value_double(value)
  }

  /// Returns the total of doubles; nil when no row was added.
  private static func doubles(_ context: OpaquePointer?) -> DoubleTotal? {
    sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: DoubleTotal.self).pointee
  }

  private static let addDecimal: SQLiteFunctions.Body = { context, _, arguments in
    guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
    let size = Int32(MemoryLayout<Unmanaged<DecimalTotal>?>.size)
    guard let memory = sqlite3_aggregate_context(context, size) else {
      return sqlite3_result_error_nomem(context)
    }
    let place = memory.assumingMemoryBound(to: Unmanaged<DecimalTotal>?.self)
    let reference = place.pointee ?? .passRetained(DecimalTotal())
    place.pointee = reference
    let bytes = UnsafeRawBufferPointer(
      start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
    let total = reference.takeUnretainedValue()
    total.count += 1
    total.sum.add(DecimalCode.decode(bytes) ?? .nan)
  }

  /// Returns the total of decimals and releases it; nil when no row was added. SQLite ends each aggregate that it has
  /// begun, also that of a statement which is interrupted.
  private static func endDecimals(_ context: OpaquePointer?) -> DecimalTotal? {
    let memory = sqlite3_aggregate_context(context, 0)
    let place = memory?.assumingMemoryBound(to: Unmanaged<DecimalTotal>?.self)
    defer { place?.pointee = nil }
    return place?.pointee?.takeRetainedValue()
  }

  /// Returns the memory of a total, which is zeroed before the first value: all zeros are the number zero in each of
  /// its fields.
  private static func storage(_ context: OpaquePointer?) -> UnsafeMutablePointer<Total>? {
    let size = MemoryLayout<Total>.size + MemoryLayout<Total>.alignment
    guard let memory = sqlite3_aggregate_context(context, Int32(size)) else {
      sqlite3_result_error_nomem(context)
      return nil
    }
    return aligned(memory)
  }

  /// Returns the total; nil when no row was added.
  private static func total(_ context: OpaquePointer?) -> Total? {
    sqlite3_aggregate_context(context, 0).map { aligned($0).pointee }
  }

  /// Aligns memory: SQLite aligns it to eight bytes, and an `Int128` needs more.
  private static func aligned(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Total> {
    memory.alignedUp(for: Total.self).assumingMemoryBound(to: Total.self)
  }

  private static func reportOverflow(_ context: OpaquePointer?) {
    sqlite3_result_error(context, SQLiteError.overflowMessage, -1)
  }
}
