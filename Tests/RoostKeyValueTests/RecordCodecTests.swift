// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostKeyValue

/// Tests of encoding records: an exact round trip, and never a trap for invalid bytes.
@Suite struct RecordCodecTests {
  let company: Company
  let codec: RecordCodec

  init() throws {
    company = try Company()
    codec = try RecordCodec(company.employee.layout)
  }

  func decode(_ bytes: [UInt8], key: Int64, slots: RowSlots = .all) throws -> Row {
    try bytes.withUnsafeBytes {
      try codec.decode($0, key: key, selection: codec.selection(of: slots))
    }
  }

  /// Returns whether two rows have identical bits in a slot.
  func areIdentical(_ left: Row, _ right: Row, _ slot: RowSlot) -> Bool {
    guard left.isNull(slot) == right.isNull(slot) else { return false }
    return switch slot.kind {
    case .integer, .boolean, .reference, .position: left.integer(slot) == right.integer(slot)
    case .double, .date: left.double(slot).bitPattern == right.double(slot).bitPattern
    case .string: Array(left.string(slot).utf8) == Array(right.string(slot).utf8)
    case .data: left.data(slot) == right.data(slot)
    case .uuid: left.uuid(slot) == right.uuid(slot)
    case .decimal: DecimalParts(left.decimal(slot)) == DecimalParts(right.decimal(slot))
    case .uri: left.uri(slot)?.absoluteString == right.uri(slot)?.absoluteString
    case .transformable: true
    }
  }

  @Test("a row comes back bit by bit from its bytes (value contract)")
  func roundTrip() throws {
    var rows = NastyRows(company, seed: 5)
    for number in 0..<400 {
      let row = rows.next(Int64(number), of: company.employee, version: Int64(number) * 7)
      let back = try decode(codec.encode(row), key: row.key)
      #expect(back.key == row.key && back.version == row.version)
      for slot in company.employee.layout.storedSlots { #expect(areIdentical(row, back, slot)) }
    }
  }

  @Test("a value that is kept in memory only is not in the bytes (B313)")
  func transient() throws {
    let row = Row(
      layout: company.employee.layout, key: company.key(1, company.employee), version: 1)
    row.setString("secret", at: company.slot("note"))
    let bytes = try codec.encode(row)
    #expect(try decode(bytes, key: row.key).isNull(company.slot("note")))
    #expect(!bytes.contains(UInt8(ascii: "s")))
  }

  @Test("only the slots that are wanted are read")
  func partial() throws {
    var rows = NastyRows(company, seed: 6)
    let name = company.slot("name")
    let row = rows.next(1, of: company.employee)
    row.setString("Ada", at: name)
    row.setInteger(3, at: company.slot("age"))
    let part = try decode(codec.encode(row), key: row.key, slots: .some([name.index]))
    #expect(part.string(name) == "Ada" && part.isNull(company.slot("age")))
  }

  @Test("a record of another format is read field by field, by name")
  func otherFormat() throws {
    let row = Row(layout: company.person.layout, key: company.key(1), version: 2)
    row.setString("Ada", at: company.slot("name"))
    row.setInteger(36, at: company.slot("age"))
    let bytes = try RecordCodec(company.person.layout).encode(row)
    var format = RecordFormat(company.person.layout)
    let reader = try RecordCodec(format: format, layout: company.tag.layout)
    let other = try bytes.withUnsafeBytes { try reader.decode($0, key: row.key) }
    #expect(other.isNull(company.slot("label", of: company.tag)) && other.version == 2)
    format.fields[0].kind = 99
    #expect(throws: PersistenceError(.corruptStore, "")) {
      try RecordCodec(format: format, layout: company.person.layout)
    }
    format.fields[0].kind = SlotKind.integer.rawValue
    #expect(throws: PersistenceError(.persistentStoreIncompatibleSchema, "")) {
      try RecordCodec(format: format, layout: company.person.layout)
    }
  }

  @Test("every changed byte, every missing byte and every other key is found")
  func corruption() throws {
    var rows = NastyRows(company, seed: 7)
    let row = rows.next(1, of: company.employee)
    let bytes = try codec.encode(row)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= UInt8(1 << (index % 8))
      #expect(throws: PersistenceError(.corruptStore, "")) { try decode(changed, key: row.key) }
      #expect(throws: PersistenceError(.corruptStore, "")) {
        try decode(Array(bytes[..<index]), key: row.key)
      }
    }
    #expect(throws: PersistenceError(.corruptStore, "")) { try decode(bytes, key: row.key + 1) }
    #expect(throws: PersistenceError(.corruptStore, "")) { try decode(bytes + [0], key: row.key) }
  }

  @Test(
    "bytes with a right checksum that are no record are refused without a trap", arguments: 1...4)
  func fuzz(seed: UInt64) throws {
    var rows = NastyRows(company, seed: seed)
    var refused = 0
    for number in 0..<3000 {
      let row = rows.next(Int64(number), of: company.employee)
      var bytes = try codec.encode(row)
      for _ in 0..<Int.random(in: 1...4, using: &rows.random) {
        switch Int.random(in: 0..<4, using: &rows.random) {
        case 0: bytes.removeLast(min(bytes.count, Int.random(in: 0...40, using: &rows.random)))
        case 1: bytes += rows.random.bytes(upTo: 20)
        default:
          guard let index = bytes.indices.randomElement(using: &rows.random) else { break }
          bytes[index] = UInt8.random(in: 0...255, using: &rows.random)
        }
      }
      if bytes.count >= 8 {
        let sum = bytes.withUnsafeBytes { RecordCodec.checksum($0, key: row.key) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
      }
      do {
        _ = try decode(bytes, key: row.key)
      } catch let error as PersistenceError {
        #expect(error.code == .corruptStore)
        refused += 1
      }
    }
    #expect(refused > 500)
  }

  @Test("the checksum is the same for ever, and differs for bytes, lengths and seeds that differ")
  func checksum() {
    func sum(_ bytes: [UInt8], _ seed: UInt64 = 1) -> UInt64 {
      bytes.withUnsafeBytes { Checksum.sum($0, seed: seed) }
    }
    let bytes = Array("123456789 and what else there may be in a record".utf8)
    #expect(sum(bytes) == 0x363A_F20C_5CF1_ECA9)
    var seen: Set<UInt64> = [sum([])]
    for count in 1...bytes.count {
      #expect(seen.insert(sum(Array(bytes[..<count]))).inserted)
      #expect(seen.insert(sum([UInt8](repeating: 0, count: count))).inserted)
      #expect(seen.insert(sum(bytes, UInt64(count + 1))).inserted)
    }
  }
}
