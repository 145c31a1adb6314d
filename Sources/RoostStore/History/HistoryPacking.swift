// SPDX-License-Identifier: Apache-2.0

/// Packing of byte strings into one: a version byte, the strings, and a checksum.
package enum HistoryPacking {
  /// Packs byte strings into one.
  package static func pack(version: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
    var writer = HistoryWriter()
    writer.bytes.append(version)
    writer.put(UInt64(parts.count))
    for part in parts { writer.put(part) }
    return writer.bytes + checksum(of: writer.bytes)
  }

  /// Unpacks the byte strings; nil when the bytes have another version, or are damaged.
  package static func unpack(_ bytes: [UInt8], version: UInt8) -> [[UInt8]]? {
    do {
      var reader = try reader(of: bytes)
      guard try reader.byte() == version else { return nil }
      let parts = try (0..<reader.count()).map { _ in Array(try reader.counted()) }
      return reader.isAtEnd ? parts : nil
    } catch {
      return nil
    }
  }

  /// The length of a checksum in bytes.
  static let checksumLength = 4

  /// Verifies the checksum at the end, and returns a reader of the bytes before it.
  ///
  /// - Throws: `HistoryDamage` when it does not match.
  static func reader(of bytes: [UInt8]) throws -> HistoryReader {
    let end = bytes.count - checksumLength
    guard end >= 0 else { throw HistoryDamage() }
    let stored = bytes[end...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let sum = bytes.withUnsafeBufferPointer {
      HistoryLink.hash(UnsafeBufferPointer(rebasing: $0[..<end]), seed: 0)
    }
    guard sum & 0xFFFF_FFFF == stored else { throw HistoryDamage() }
    return HistoryReader(bytes, trailer: checksumLength)
  }

  /// Returns a four-byte checksum against accidental damage.
  static func checksum(of bytes: [UInt8]) -> [UInt8] {
    let sum = bytes.withUnsafeBufferPointer { HistoryLink.hash($0, seed: 0) }
    return stride(from: UInt64(0), to: 32, by: 8).map { UInt8(truncatingIfNeeded: sum >> $0) }
  }
}
