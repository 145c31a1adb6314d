// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The error of damaged history bytes.
struct HistoryDamage: Error {}

/// Encodes numbers, strings and values sequentially.
struct HistoryWriter {
  var bytes: [UInt8] = []

  /// Writes a variable-length integer (LEB128): seven bits per byte, the lowest first; the high bit marks
  /// continuation.
  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a signed integer (zigzag encoding); small absolute values are short.
  mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func put(_ counted: some Collection<UInt8>) {
    put(UInt64(counted.count))
    bytes.append(contentsOf: counted)
  }

  mutating func put(_ text: String) {
    put(text.utf8)
  }

  mutating func put(_ id: UUID) {
    withUnsafeBytes(of: id.uuid) { bytes += $0 }
  }

  /// Writes an optional text.
  mutating func put(optional text: String?) {
    bytes.append(text == nil ? 0 : 1)
    if let text { put(text) }
  }
}

/// Decodes the output of a ``HistoryWriter``. It accepts untrusted bytes: it never traps, and allocates no more than
/// their size justifies.
struct HistoryReader {
  private let bytes: [UInt8]
  /// The offset after the last byte to read.
  private let end: Int
  var position = 0

  /// - Parameter trailer: The number of bytes at the end that are not to be read.
  init(_ bytes: [UInt8], trailer: Int = 0) {
    self.bytes = bytes
    end = max(0, bytes.count - trailer)
  }

  var isAtEnd: Bool { position == end }

  mutating func byte() throws -> UInt8 {
    guard position < end else { throw HistoryDamage() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let next = try byte()
      let part = UInt64(next & 0x7F)
      guard shift < 63 || part <= 1 else { throw HistoryDamage() }
      result |= part << shift
      if next & 0x80 == 0 { return result }
    }
    throw HistoryDamage()
  }

  mutating func signed() throws -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Reads the number of following elements, each of which takes at least one byte.
  mutating func count() throws -> Int {
    let number = try number()
    guard number <= UInt64(end - position) else { throw HistoryDamage() }
    return Int(number)
  }

  mutating func counted() throws -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func skipCounted() throws {
    let count = try count()
    position += count
  }

  mutating func text() throws -> String {
    guard let text = String(validating: try counted(), as: UTF8.self) else {
      throw HistoryDamage()
    }
    return text
  }

  mutating func uuid() throws -> UUID {
    guard end - position >= 16 else { throw HistoryDamage() }
    defer { position += 16 }
    return bytes.withUnsafeBytes {
      UUID(uuid: $0.loadUnaligned(fromByteOffset: position, as: uuid_t.self))
    }
  }

  mutating func optionalText() throws -> String? {
    switch try byte() {
    case 0: nil
    case 1: try text()
    default: throw HistoryDamage()
    }
  }
}
