// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Rows with edge-case values, from the shared tables of the value contract.
struct NastyRows {
  let company: Company
  var random: SeededRandom

  static let strings = [
    "", "a", "A", "aa", "ab", "b", "e\u{301}", "\u{E9}", "\u{FFFF}", "\u{1F600}", "\u{7F}",
    "ß", "ss", "Straße", "STRASSE", "İ", "a\u{1}", String(repeating: "x", count: 40),
    String(repeating: "x", count: 40) + "y", String(repeating: "long ", count: 200),
  ]
  static let integers: [Int64] = [0, 1, -1, 17, 18, 19, 255, 256, -256, 65_536, .max, .min]
  static let doubles = [
    0, 1, -1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    9_007_199_254_740_992, -1e-9, 50, 75.5,
  ]
  static let decimals = [
    "0", "1", "1.1", "1.10", "-1.1", "12345678901234567890123456789012345678", "1e-20", "-99.99",
    "100",
  ].map { Decimal(string: $0)! }
  static let data = [
    Data(), Data([0]), Data([0, 0]), Data([0, 255]), Data([255]), Data(repeating: 7, count: 300),
  ]

  init(_ company: Company, seed: UInt64) {
    self.company = company
    random = SeededRandom(seed: seed)
  }

  mutating func next(_ sequence: Int64, of entity: EntityDescription, version: Int64 = 1) -> Row {
    let row = Row(layout: entity.layout, key: company.key(sequence, entity), version: version)
    for slot in entity.layout.storedSlots { fill(row, slot) }
    return row
  }

  /// Sets a slot to another value, or to nil.
  mutating func fill(_ row: Row, _ slot: RowSlot) {
    guard !random.chance(1, in: 6) else { return row.setNull(slot) }
    switch slot.kind {
    case .integer: row.setInteger(pick(NastyRows.integers) % (1 << 31), at: slot)
    case .boolean: row.setInteger(random.chance(1, in: 2) ? 1 : 0, at: slot)
    case .double: row.setDouble(pick(NastyRows.doubles), at: slot)
    case .date: row.setDouble(pick(NastyRows.doubles) / 3, at: slot)
    case .string: row.setString(pick(NastyRows.strings), at: slot)
    case .data: row.setData(pick(NastyRows.data), at: slot)
    case .uuid:
      let byte = pick([UInt8(0), 1, 127, 128, 255])
      row.setUUID(
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)), at: slot)
    case .decimal: row.setDecimal(pick(NastyRows.decimals), at: slot)
    case .uri: row.setURI(URL(string: pick(["a:b", "https://example.org/?q=1#x", "x"]))!, at: slot)
    case .reference, .position: row.setNull(slot)
    case .transformable: break
    }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }
}
