// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// The rows of a statement in PostgreSQL's binary format, read in place from libpq's memory.
final class RawResult {
  private let handle: OpaquePointer?
  let count: Int32

  /// - Throws: ``BenchError`` when the server refused the statement.
  init(_ handle: OpaquePointer?, _ connection: OpaquePointer?) throws {
    let status = PQresultStatus(handle)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_COPY_IN else {
      let message = String(cString: PQerrorMessage(connection))
      PQclear(handle)
      throw BenchError("PostgreSQL: \(message)")
    }
    self.handle = handle
    count = PQntuples(handle)
  }

  deinit {
    PQclear(handle)
  }

  @inline(__always)
  func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
  }

  @inline(__always)
  func integer(_ row: Int32, _ column: Int32) -> Int {
    Int(Int64(bigEndian: bytes(row, column).loadUnaligned(as: Int64.self)))
  }

  @inline(__always)
  func integer32(_ row: Int32, _ column: Int32) -> Int {
    Int(Int32(bigEndian: bytes(row, column).loadUnaligned(as: Int32.self)))
  }

  @inline(__always)
  func double(_ row: Int32, _ column: Int32) -> Double {
    Double(bitPattern: UInt64(bigEndian: bytes(row, column).loadUnaligned(as: UInt64.self)))
  }

  @inline(__always)
  func truth(_ row: Int32, _ column: Int32) -> Bool { bytes(row, column)[0] != 0 }

  @inline(__always)
  func uuid(_ row: Int32, _ column: Int32) -> uuid_t {
    bytes(row, column).loadUnaligned(as: uuid_t.self)
  }

  @inline(__always)
  func string(_ row: Int32, _ column: Int32) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }
}
