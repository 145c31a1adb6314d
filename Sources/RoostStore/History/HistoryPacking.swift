// SPDX-License-Identifier: Apache-2.0

/// Byte strings in one, with a version before them and a checksum after them.
package enum HistoryPacking {
  /// Puts byte strings into one.
  package static func pack(version: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
    var writer = HistoryWriter()
    writer.bytes.append(version)
    writer.put(UInt64(parts.count))
    for part in parts { writer.put(part) }
    return writer.bytes + checksum(of: writer.bytes)
  }

  /// The byte strings; nil when the bytes are of another version, or damaged.
  package static func unpack(_ bytes: [UInt8], version: UInt8) -> [[UInt8]]? {
    do {
      var reader = HistoryReader(try checked(bytes))
      guard try reader.byte() == version else { return nil }
      let parts = try (0..<reader.count()).map { _ in Array(try reader.counted()) }
      return reader.isAtEnd ? parts : nil
    } catch {
      return nil
    }
  }

  /// How long a checksum is.
  static let checksumLength = 4

  /// Bytes without the checksum that is after them.
  ///
  /// - Throws: `HistoryDamage` when it does not fit.
  static func checked(_ bytes: [UInt8]) throws -> [UInt8] {
    let body = Array(bytes.dropLast(checksumLength))
    guard Array(bytes.suffix(checksumLength)) == checksum(of: body) else { throw HistoryDamage() }
    return body
  }

  /// Four bytes against accidents.
  static func checksum(of bytes: [UInt8]) -> [UInt8] {
    let sum = HistoryLink.hash(bytes, seed: 0)
    return stride(from: UInt64(0), to: 32, by: 8).map { UInt8(truncatingIfNeeded: sum >> $0) }
  }
}
