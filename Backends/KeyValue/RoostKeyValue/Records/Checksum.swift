// SPDX-License-Identifier: Apache-2.0

/// CRC-32C (Castagnoli), eight bytes a step: finds every error of up to five bits in a record, and all but one in four
/// thousand millions of the others.
package enum Checksum {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Eight tables of 256 numbers, one after the other.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1
      }
      tables[byte] = remainder
    }
    for table in 1..<8 {
      for byte in 0..<256 {
        let previous = tables[(table - 1) * 256 + byte]
        tables[table * 256 + byte] = previous >> 8 ^ tables[Int(previous & 0xFF)]
      }
    }
    return tables
  }()

  /// The checksum of bytes, going on from that of the bytes before them.
  package static func crc32c(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32
  {
    tables.withUnsafeBufferPointer { tables in
      guard let table = tables.baseAddress else { return previous }
      var crc = ~previous
      var offset = 0
      while offset &+ 8 <= bytes.count {
        let word =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
          ^ UInt64(crc)
        crc = step(table, word)
        offset &+= 8
      }
      while offset < bytes.count {
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])]
        offset &+= 1
      }
      return ~crc
    }
  }

  @inline(__always)
  private static func step(_ table: UnsafePointer<UInt32>, _ word: UInt64) -> UInt32 {
    func entry(_ number: Int, _ shift: UInt64) -> UInt32 {
      table[number &* 256 &+ Int((word &>> shift) & 0xFF)]
    }
    return entry(7, 0) ^ entry(6, 8) ^ entry(5, 16) ^ entry(4, 24)
      ^ entry(3, 32) ^ entry(2, 40) ^ entry(1, 48) ^ entry(0, 56)
  }
}
