// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// Writes rows into a table by COPY in the binary format.
struct RawCopy {
  private let connection: OpaquePointer?
  private var buffer: [UInt8] = []

  /// - Parameter target: The table and its columns.
  init(_ connection: OpaquePointer?, into target: String) throws {
    self.connection = connection
    _ = try RawResult(
      PQexec(connection, "COPY \(target) FROM STDIN WITH (FORMAT binary)"), connection)
    buffer.reserveCapacity(1 << 17)
    // The header of the binary format: the signature, no flags, no extension.
    buffer += [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
    buffer += [UInt8](repeating: 0, count: 8)
  }

  mutating func beginRow(columns: Int16) throws {
    if buffer.count > 1 << 16 { try flush() }
    append(columns.bigEndian)
  }

  mutating func add(_ number: Int) {
    append(Int32(8).bigEndian)
    append(Int64(number).bigEndian)
  }

  mutating func add(_ number: Int32) {
    append(Int32(4).bigEndian)
    append(number.bigEndian)
  }

  mutating func add(_ number: Double) {
    append(Int32(8).bigEndian)
    append(number.bitPattern.bigEndian)
  }

  mutating func add(_ truth: Bool) {
    append(Int32(1).bigEndian)
    buffer.append(truth ? 1 : 0)
  }

  mutating func add(_ text: String) {
    append(Int32(text.utf8.count).bigEndian)
    buffer.append(contentsOf: text.utf8)
  }

  mutating func add(_ uuid: UUID) {
    append(Int32(16).bigEndian)
    withUnsafeBytes(of: uuid.uuid) { buffer.append(contentsOf: $0) }
  }

  /// Ends the COPY and waits until the server has received all rows.
  mutating func finish() throws {
    append(Int16(-1).bigEndian)
    try flush()
    guard PQputCopyEnd(connection, nil) == 1 else {
      throw BenchError("PostgreSQL: \(String(cString: PQerrorMessage(connection)))")
    }
    while let result = PQgetResult(connection) { _ = try RawResult(result, connection) }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { buffer.append(contentsOf: $0) }
  }

  private mutating func flush() throws {
    let sent = buffer.withUnsafeBytes { bytes in
      PQputCopyData(
        connection, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard sent == 1 else {
      throw BenchError("PostgreSQL: \(String(cString: PQerrorMessage(connection)))")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
