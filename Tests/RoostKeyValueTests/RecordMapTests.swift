// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of the ordered map of rows, compared with a dictionary.
@Suite struct RecordMapTests {
  let company: Company

  init() throws { company = try Company() }

  func row(_ sequence: Int64, version: Int64) -> Row {
    Row(layout: company.tag.layout, key: company.key(sequence, company.tag), version: version)
  }

  func contents(of map: RecordMap, from start: Int64 = 0) -> [(Int64, Int64)] {
    var result: [(Int64, Int64)] = []
    map.scan(from: start) { part in
      for address in part {
        let row = Row(storage: Unmanaged<RowStorage>.fromOpaque(address).takeUnretainedValue())
        result.append((RecordKey.sequence(of: row.key), row.version))
      }
      return true
    }
    return result
  }

  /// Returns whether records exist, with one lookup for all.
  func presence(of sequences: [Int64], in map: RecordMap) -> [Bool] {
    let keys = sequences.map { company.key($0, company.tag) }
    return withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: keys.count) {
      found in
      guard let start = found.baseAddress else { return [] }
      keys.withUnsafeBufferPointer { map.find($0, into: start) }
      return found.map { $0 != nil }
    }
  }

  @Test("the map answers as a dictionary does, whatever is put and removed", arguments: 1...8)
  func randomChanges(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var map = RecordMap()
    var reference: [Int64: Int64] = [:]
    var versions: [(RecordMap, [Int64: Int64])] = []
    for step in 0..<25 {
      var changed: [Int64: Int64?] = [:]
      let largest: Int64 = [70, 5000, 1 << 20, SequenceCounter.largest][step % 4]
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        if random.chance(1, in: 3), let known = reference.keys.randomElement(using: &random) {
          changed[known] = .some(random.chance(1, in: 2) ? nil : Int64(step))
        } else {
          changed[Int64.random(in: 0...largest, using: &random)] = .some(Int64(step))
        }
      }
      let changes = changed.sorted { $0.key < $1.key }.map { sequence, version in
        RecordChange(
          key: company.key(sequence, company.tag),
          row: version.map { row(sequence, version: $0) })
      }
      for (sequence, version) in changed { reference[sequence] = version }
      map = map.applying(changes)
      map.checkInvariants()
      versions.append((map, reference))
    }
    for (map, reference) in versions {
      #expect(map.count == reference.count)
      let sorted = reference.sorted { $0.key < $1.key }
      let all = contents(of: map)
      #expect(all.map(\.0) == sorted.map(\.key) && all.map(\.1) == sorted.map(\.value))
      let start = reference.keys.randomElement(using: &random) ?? 0
      #expect(contents(of: map, from: start).map(\.0) == sorted.map(\.key).filter { $0 >= start })
      // In any order, together with their neighbours, which may be missing.
      let sequences = reference.keys.prefix(50).flatMap { [$0, $0 + 1] }
      let isFound = presence(of: sequences, in: map)
      #expect(isFound == sequences.map { reference[$0] != nil })
      #expect(
        presence(of: sequences.sorted(), in: map) == sequences.sorted().map { reference[$0] != nil }
      )
    }
  }

  @Test("changes in place are those that new nodes would show, and older copies stay as they were")
  func changesInPlace() {
    var random = SeededRandom(seed: 7)
    var map = RecordMap()
    var reference: [Int64: Int64] = [:]
    var copies: [(RecordMap, [Int64: Int64])] = []
    var inPlace = 0
    for step in 0..<6000 {
      let sequence = Int64.random(in: 0...3000, using: &random)
      let version: Int64? = random.chance(1, in: 3) ? nil : Int64(step)
      let change = RecordChange(
        key: company.key(sequence, company.tag), row: version.map { row(sequence, version: $0) })
      if map.changeInPlace(change) { inPlace += 1 } else { map = map.applying([change]) }
      reference[sequence] = version
      if step % 500 == 499 {
        map.checkInvariants()
        copies.append((map, reference))
      }
    }
    // Other changes make new nodes: the first one after a copy of the map, and those without room in the node.
    #expect(inPlace > 3000)
    for (map, reference) in copies {
      map.checkInvariants()
      let sorted = reference.sorted { $0.key < $1.key }
      let all = contents(of: map)
      #expect(all.map(\.0) == sorted.map(\.key) && all.map(\.1) == sorted.map(\.value))
    }
  }

  @Test("rows that leave a map in place are let go")
  func rowsAreLetGo() {
    var map = RecordMap()
    weak var gone: RowStorage?
    do {
      let first = row(1, version: 1)
      gone = first.storage
      map = map.applying([RecordChange(key: first.key, row: first)])
    }
    #expect(gone != nil)
    func isChanged(_ sequence: Int64, to row: Row?) -> Bool {
      map.changeInPlace(RecordChange(key: company.key(sequence, company.tag), row: row))
    }
    #expect(isChanged(1, to: row(1, version: 2)))
    #expect(gone == nil)
    #expect(isChanged(2, to: row(2, version: 1)))
    #expect(isChanged(1, to: nil))
    #expect(contents(of: map).map(\.0) == [2])
    // The leaf of the last row is removed with it, which is a separate code path.
    #expect(!isChanged(2, to: nil))
  }
}
