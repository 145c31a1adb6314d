// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of writing and sorting the entries of a save.
@Suite struct EntryOrderTests {
  @Test(
    "a large batch is in order, and of several changes of a key the last one counts",
    arguments: 1...6 as ClosedRange<UInt64>)
  func order(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var batch = EntryBatch()
    var expected: [[UInt8]: (EntryBatch.Kind, [UInt8])] = [:]
    for _ in 0..<2_000 {
      let key = random.bytes(upTo: 3)
      let value = random.bytes(upTo: 1)
      let kind: EntryBatch.Kind = random.chance(1, in: 3) ? .remove : .put
      if value.isEmpty {
        key.withUnsafeBytes { batch.append(kind, key: $0) }
      } else {
        batch.append(kind) { bytes in
          bytes += key
          return value[...]
        }
      }
      expected[key] = (kind, value)
    }
    batch.order()
    var found: [([UInt8], EntryBatch.Kind, [UInt8])] = []
    batch.forEach { found.append((Array($0.key), $0.kind, Array($0.value))) }
    let sorted = expected.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(found.map(\.0) == sorted.map(\.key))
    #expect(found.map(\.1) == sorted.map(\.value.0))
    #expect(found.map(\.2) == sorted.map(\.value.1))
  }

  @Test("an entry that is too large is an error that says what to do, and nothing is written")
  func tooLarge() throws {
    func batch(_ key: Int, _ value: Int) -> EntryBatch {
      var batch = EntryBatch(largestPart: 100)
      batch.append(.put) { bytes in
        bytes += [UInt8](repeating: 1, count: key)
        return [UInt8](repeating: 2, count: value)[...]
      }
      return batch
    }
    #expect(batch(100, 100).refusedSize == nil)
    var short = EntryBatch(largestPart: 100)
    [UInt8](repeating: 3, count: 101).withUnsafeBytes { short.append(.put, key: $0) }
    var joined = batch(1, 101)
    joined.append(contentsOf: batch(1, 1))
    var added = batch(1, 1)
    added.append(contentsOf: batch(1, 101))
    for large in [batch(1, 101), batch(101, 1), short, joined, added] {
      #expect(large.refusedSize == 101)
      let engine = MemoryEngine()
      let table = EntryTable(number: 1)
      let error = #expect(throws: PersistenceError.self) {
        try engine.writing { _, batch in
          batch.setBlob([1], named: "other")
          batch.addEntries(large, of: table)
        }
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("101 bytes") == true)
      #expect(error?.message.contains("make smaller saves") == true)
      let blob = try engine.reading { try $0.blob(named: "other") }
      #expect(blob == nil)
      #expect(try engine.reading { try $0.entryCount(of: table, in: .all) } == 0)
    }
    // What follows a refused entry is in order, and has its own bytes.
    joined.order()
    joined.forEach { #expect(Array($0.value) == [2]) }
  }

  @Test("a key that is written at once has the bytes of one that is written value by value")
  func shortKeys() throws {
    let company = try Company()
    let kinds = ["age", "score", "born", "active", "badge"].map { company.slot($0) }
    let reference = company.slot("department")
    for slots in kinds.map({ [$0] }) + [[reference], [kinds[0], kinds[1]], [kinds[4], kinds[0]]] {
      for isDescending in [false, true] {
        let components = slots.map {
          IndexDefinition.Component(slot: $0, name: "", isDescending: isDescending)
        }
        // Keys that may be truncated are written value by value.
        let both = [Int.max, 83].map { longestKey in
          IndexDefinition(
            purpose: .fetch, name: "", entity: company.person, entityCodes: [1],
            components: components, longestKey: longestKey)
        }
        #expect(both.map(\.hasShortKeys) == [true, false])
        for row in rows(company, slots) {
          #expect(key(of: row, in: both[0]) == key(of: row, in: both[1]))
        }
      }
    }
  }

  private func key(of row: Row, in index: IndexDefinition) -> [UInt8] {
    var batch = EntryBatch()
    index.put(row, to: &batch)
    var key: [UInt8] = []
    batch.forEach { key = Array($0.key) }
    return key
  }

  /// Returns rows with values at the limits of each number of bytes, and with nil.
  private func rows(_ company: Company, _ slots: [RowSlot]) -> [Row] {
    let numbers: [Int64] = [
      0, 1, -1, 255, 256, -256, -257, 65_535, 65_536, 1 << 40, -(1 << 56), .max, .min,
    ]
    var random = SeededRandom(seed: 3)
    var rows = [Row(layout: company.person.layout, key: company.key(1), version: 1)]
    for (place, number) in numbers.enumerated() {
      let row = Row(
        layout: company.person.layout, key: company.key(Int64(place) + 2), version: 1)
      for slot in slots {
        switch slot.kind {
        case .double, .date: row.setDouble(Double(number) / 3, at: slot)
        case .uuid: row.setUUID(UUID.random(&random), at: slot)
        case .boolean: row.setInteger(number & 1, at: slot)
        default: row.setInteger(number, at: slot)
        }
      }
      rows.append(row)
    }
    return rows
  }
}

extension UUID {
  fileprivate static func random(_ random: inout SeededRandom) -> UUID {
    let (high, low) = (random.next(), random.next())
    return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
