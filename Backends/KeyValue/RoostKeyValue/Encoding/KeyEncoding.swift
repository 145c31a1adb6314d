// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// An order-preserving encoding of values as bytes.
///
/// No encoding of a value is a prefix of another of the same kind, hence concatenated encodings are ordered as tuples
/// are. nil is a zero byte and sorts first; every other value begins with a larger byte. A descending value is the
/// complement of the ascending one. The format is part of stored files: it never changes, new formats get a new name.
///
/// | kind | bytes |
/// |---|---|
/// | integer, boolean, reference, position | 0x80 plus the number of bytes, then those bytes; minus it for negatives |
/// | double, date | 1, then 8 bytes: sign flipped, negatives complemented |
/// | string, data, URI | 1, then the bytes, 0 as 0 255, then 0 1 |
/// | UUID | 1, then 16 bytes |
/// | decimal | see `appendDecimal` |
package enum KeyEncoding {
  static let null: UInt8 = 0
  static let present: UInt8 = 1

  /// The bytes that a record key takes at the end of an entry's key.
  package static let recordKeyCount = 8

  /// Appends nil.
  package static func appendNull(to bytes: inout [UInt8]) {
    bytes.append(null)
  }

  /// Appends an integer: a length byte, then the fewest bytes that hold it.
  package static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
    let count = byteCount(of: value)
    bytes.append(value < 0 ? 0x80 - UInt8(count) : 0x80 + UInt8(count))
    let shifted = UInt64(bitPattern: value) << UInt64(64 - count * 8)
    guard count > 0 else { return }
    withUnsafeBytes(of: shifted.bigEndian) { bytes.append(contentsOf: $0.prefix(count)) }
  }

  /// The number of bytes of an integer after its length byte.
  @inline(__always)
  static func byteCount(of value: Int64) -> Int {
    let magnitude = value < 0 ? UInt64(bitPattern: ~value) : UInt64(value)
    let count = (71 - magnitude.leadingZeroBitCount) / 8
    return value < 0 && count == 0 ? 1 : count
  }

  /// Reads an integer that ``appendInteger(_:to:)`` wrote.
  ///
  /// - Throws: `corruptStore` when the bytes are no integer.
  package static func integer(in bytes: Slice<UnsafeRawBufferPointer>) throws -> Int64 {
    guard let mark = bytes.first, (0x78...0x88).contains(mark),
      bytes.count == 1 + abs(Int(mark) - 0x80)
    else {
      throw PersistenceError(.corruptStore, "An index of the store is damaged.")
    }
    let start: UInt64 = mark < 0x80 ? .max : 0
    return Int64(bitPattern: bytes.dropFirst().reduce(start) { $0 << 8 | UInt64($1) })
  }

  /// Appends a double that is a number.
  package static func appendDouble(_ value: Double, to bytes: inout [UInt8]) {
    bytes.append(present)
    withUnsafeBytes(of: orderedBits(of: value).bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Maps a double to an integer with the same order; the double must not be NaN.
  @inline(__always)
  static func orderedBits(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  /// Appends a string by its UTF-8 bytes.
  package static func appendString(_ value: String, to bytes: inout [UInt8]) {
    var value = value
    value.withUTF8 { appendBytes(UnsafeRawBufferPointer($0), to: &bytes) }
  }

  /// Appends bytes, and an end that no bytes contain.
  package static func appendBytes(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    appendUnterminated(value, to: &bytes)
    bytes.append(0)
    bytes.append(1)
  }

  /// Appends bytes without the terminator: the common prefix of all values that begin with them.
  package static func appendUnterminated(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(present)
    var rest = value[...]
    while let zero = rest.firstIndex(of: 0) {
      bytes.append(contentsOf: rest[rest.startIndex...zero])
      bytes.append(0xFF)
      rest = rest[(zero + 1)...]
    }
    bytes.append(contentsOf: rest)
  }

  /// Complements the bytes from `start` on, which reverses their order.
  package static func complement(_ bytes: inout [UInt8], from start: Int) {
    for index in start..<bytes.count { bytes[index] = ~bytes[index] }
  }

  /// Appends a record key, the last part of an entry's key.
  package static func appendRecordKey(_ key: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: key.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Returns the record key at the end of an entry's key.
  @inline(__always)
  package static func recordKey(atEndOf bytes: UnsafeRawBufferPointer) -> Int64 {
    Int64(
      bigEndian: bytes.loadUnaligned(
        fromByteOffset: bytes.count &- recordKeyCount, as: Int64.self))
  }

  /// Compares bytes as unsigned numbers; a beginning of the other comes first.
  package static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    if let leftStart = left.baseAddress, let rightStart = right.baseAddress {
      let order = memcmp(leftStart, rightStart, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
