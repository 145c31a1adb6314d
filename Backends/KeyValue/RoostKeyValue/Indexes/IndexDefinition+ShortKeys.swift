// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Most indexes are over a number or a reference: their keys have a small, known number of bytes, and are written in
// one step, not byte by byte to the end of a list.
extension IndexDefinition {
  /// The most components that are written at once.
  private static let shortComponents = 4
  /// The most bytes of a component: a UUID and the byte before it.
  private static let shortComponentCount = 17
  /// The most bytes of a key that is written at once.
  private static let shortKeyCount =
    shortComponents * shortComponentCount + KeyEncoding.recordKeyCount

  /// Whether the entries' keys can be written at once: they are short, so that none is cut.
  static func areShort(_ components: [Component], longestKey: Int) -> Bool {
    components.count <= shortComponents && longestKey >= shortKeyCount + hashCount
      && components.allSatisfy { component in
        switch component.slot.kind {
        case .integer, .boolean, .reference, .position, .double, .date, .uuid: true
        default: false
        }
      }
  }

  /// Calls `body` with the key of a row's entry.
  @inline(__always)
  func withShortKey(of row: Row, _ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeTemporaryAllocation(
      byteCount: IndexDefinition.shortKeyCount + 8, alignment: 8
    ) { bytes in
      guard let start = bytes.baseAddress else { return }
      var end = 0
      for component in components {
        let first = end
        if row.isNull(component.slot) {
          start.storeBytes(of: KeyEncoding.null, toByteOffset: end, as: UInt8.self)
          end += 1
        } else {
          end = KeyEncoding.write(row, component.slot, to: start, at: end)
        }
        guard component.isDescending else { continue }
        for index in first..<end { bytes[index] = ~bytes[index] }
      }
      start.storeBytes(of: row.key.bigEndian, toByteOffset: end, as: Int64.self)
      body(UnsafeRawBufferPointer(start: start, count: end + KeyEncoding.recordKeyCount))
    }
  }
}

extension KeyEncoding {
  /// Writes the value of a slot of a kind of fixed size that is not nil, as ``append(_:_:to:)`` does. There must be
  /// room for eight bytes more than it takes.
  ///
  /// - Returns: Where it ends.
  @inline(__always)
  fileprivate static func write(
    _ row: Row, _ slot: RowSlot, to start: UnsafeMutableRawPointer, at place: Int
  ) -> Int {
    switch slot.kind {
    case .double, .date:
      start.storeBytes(of: present, toByteOffset: place, as: UInt8.self)
      start.storeBytes(
        of: orderedBits(of: row.double(slot)).bigEndian, toByteOffset: place + 1, as: UInt64.self)
      return place + 9
    case .uuid:
      start.storeBytes(of: present, toByteOffset: place, as: UInt8.self)
      start.storeBytes(of: row.uuid(slot).uuid, toByteOffset: place + 1, as: uuid_t.self)
      return place + 17
    default:
      let value = row.integer(slot)
      let count = byteCount(of: value)
      start.storeBytes(
        of: value < 0 ? 0x80 - UInt8(count) : 0x80 + UInt8(count), toByteOffset: place,
        as: UInt8.self)
      // The significant bytes come first; the next component overwrites the rest.
      let shifted = count == 0 ? 0 : UInt64(bitPattern: value) << UInt64(64 - count * 8)
      start.storeBytes(of: shifted.bigEndian, toByteOffset: place + 1, as: UInt64.self)
      return place + 1 + count
    }
  }
}
