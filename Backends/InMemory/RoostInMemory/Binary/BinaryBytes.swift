// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Bytes of a binary store that are being written. Numbers are little-endian.
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes the number of bytes, and the bytes.
  mutating func put(counted: some Collection<UInt8>) {
    put(UInt64(counted.count))
    bytes.append(contentsOf: counted)
  }

  mutating func put(_ raw: some Collection<UInt8>) {
    bytes.append(contentsOf: raw)
  }
}

/// A cursor over the bytes of a binary store. It trusts nothing: missing bytes throw `corruptStore`.
struct BinaryReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws
    -> Number
  {
    let bytes = try raw(MemoryLayout<Number>.size)
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  /// Reads a count of items with a minimum size, and checks it against the remaining bytes.
  mutating func count(ofAtLeast bytesEach: Int) throws -> Int {
    let count = try number(UInt64.self)
    guard count <= UInt64(rest.count / max(1, bytesEach)) else { throw Self.corrupt }
    return Int(count)
  }

  mutating func counted() throws -> ArraySlice<UInt8> {
    try raw(count(ofAtLeast: 1))
  }

  mutating func raw(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw Self.corrupt }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  static var corrupt: PersistenceError {
    PersistenceError(.corruptStore, "The file of the binary store is damaged.")
  }
}
