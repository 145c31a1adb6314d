// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of the ordered map of byte keys, compared with a dictionary that is sorted for each request.
@Suite struct EntryMapTests {
  typealias Reference = [[UInt8]: [UInt8]]

  static func entries(of map: EntryMap, in range: KeyRange, descending: Bool = false)
    -> [([UInt8], [UInt8])]
  {
    var result: [([UInt8], [UInt8])] = []
    map.scan(range, descending: descending) { keys in
      let part = keys.indices.map { index in
        EntryKey.withBytes(at: keys.baseAddress! + index) { (Array($0), Array($1)) }
      }
      result += descending ? part.reversed() : part
      return true
    }
    return result
  }

  static func apply(_ changes: [([UInt8], [UInt8]?)], to map: EntryMap) -> EntryMap {
    var batch = EntryBatch()
    for (key, value) in changes {
      batch.append(value == nil ? .remove : .put) { bytes in
        bytes += key
        return (value ?? [])[...]
      }
    }
    return map.applying(EntryMap.changes(of: batch))
  }

  func check(_ map: EntryMap, against reference: Reference, _ random: inout SeededRandom) {
    map.checkInvariants()
    #expect(map.count == reference.count)
    let sorted = reference.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for isBounded in [true, false, true] {
      let lower = isBounded ? random.bytes(upTo: 4) : []
      let upper = isBounded ? random.bytes(upTo: 4) : nil
      let range = KeyRange(lower: lower, upper: upper)
      let expected = sorted.filter { key, _ in
        !key.lexicographicallyPrecedes(lower)
          && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
      }
      let found = EntryMapTests.entries(of: map, in: range)
      #expect(found.map(\.0) == expected.map(\.key))
      #expect(found.map(\.1) == expected.map(\.value))
      let backwards = EntryMapTests.entries(of: map, in: range, descending: true)
      #expect(backwards.map(\.0) == expected.map(\.key).reversed())
      #expect(
        map.rank(of: lower) == sorted.count { $0.key.lexicographicallyPrecedes(lower) })
    }
  }

  @Test(
    "the map answers as a sorted dictionary does, whatever is put and removed", arguments: 1...6)
  func randomChanges(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var map = EntryMap()
    var reference: Reference = [:]
    for _ in 0..<30 {
      let isShrinking = random.chance(1, in: 3)
      var changes: [([UInt8], [UInt8]?)] = []
      for _ in 0..<Int.random(in: 0...400, using: &random) {
        if isShrinking, let key = reference.keys.randomElement(using: &random) {
          changes.append((key, nil))
        } else {
          let value = random.chance(1, in: 4) ? random.bytes(upTo: 20) : []
          changes.append((random.bytes(upTo: 6), random.chance(1, in: 10) ? nil : value))
        }
      }
      for (key, value) in changes { reference[key] = value }
      if random.chance(1, in: 3) {
        // One by one, as small saves do it.
        for change in changes { map = EntryMapTests.apply([change], to: map) }
      } else {
        map = EntryMapTests.apply(changes, to: map)
      }
      check(map, against: reference, &random)
    }
    map = EntryMapTests.apply(reference.keys.map { ($0, nil) }, to: map)
    map.checkInvariants()
    #expect(map.count == 0)
  }

  @Test("an older copy of the map stays as it was")
  func snapshots() {
    var random = SeededRandom(seed: 99)
    var map = EntryMap()
    var reference: Reference = [:]
    var versions: [(EntryMap, Reference)] = []
    for _ in 0..<20 {
      let changes = (0..<50).map { _ in
        (random.bytes(upTo: 3), random.chance(1, in: 3) ? nil : random.bytes(upTo: 30))
      }
      for (key, value) in changes { reference[key] = value }
      map = EntryMapTests.apply(changes, to: map)
      versions.append((map, reference))
    }
    for (map, reference) in versions { check(map, against: reference, &random) }
  }

  @Test("changes in place are those that new nodes would show, and older copies stay as they were")
  func changesInPlace() {
    var random = SeededRandom(seed: 17)
    var map = EntryMap()
    var reference: Reference = [:]
    var copies: [(EntryMap, Reference)] = []
    var inPlace = 0
    for step in 0..<6000 {
      let key = random.bytes(upTo: 3)
      let value: [UInt8]? =
        random.chance(1, in: 3) ? nil : random.chance(1, in: 8) ? random.bytes(upTo: 30) : []
      var batch = EntryBatch()
      batch.append(value == nil ? .remove : .put) { bytes in
        bytes += key
        return (value ?? [])[...]
      }
      for change in EntryMap.changes(of: batch) {
        if map.changeInPlace(change) { inPlace += 1 } else { map = map.applying([change]) }
      }
      reference[key] = value
      if step % 500 == 499 {
        map.checkInvariants()
        copies.append((map, reference))
      }
    }
    // Other changes make new nodes: those of keys with values, after a copy of the map, and without room in the node.
    #expect(inPlace > 3000)
    for (map, reference) in copies { check(map, against: reference, &random) }
  }

  @Test("keys that come in order fill their nodes")
  func appending() {
    var map = EntryMap()
    for number in 0..<5000 {
      var key: [UInt8] = []
      KeyEncoding.appendInteger(Int64(number), to: &key)
      map = EntryMapTests.apply([(key, [])], to: map)
    }
    map.checkInvariants()
    #expect(map.count == 5000 && map.height == 2)
  }

  @Test("keys of every length around the inline limit are told apart")
  func lengths() {
    let keys = (0..<40).flatMap { length in
      [UInt8(0), 1, 255].map { [UInt8](repeating: $0, count: length) }
    }
    let map = EntryMapTests.apply(keys.map { ($0, []) }, to: EntryMap())
    map.checkInvariants()
    for key in Set(keys) { #expect(map.value(of: key) == []) }
    #expect(map.value(of: [UInt8](repeating: 1, count: 40)) == nil)
    #expect(map.count == Set(keys).count)
  }
}
