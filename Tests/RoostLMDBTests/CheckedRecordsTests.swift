// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostLMDB

/// Tests of a reader's cache of checked records, which is valid for one state of a file.
@Suite struct CheckedRecordsTests {
  private let records = CheckedRecords()

  private func key(_ sequence: Int64, code: Int = 3) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: code)
  }

  @Test("a record is found where it was, until the state or the file's addresses are others")
  func placesAreOfOneState() {
    let bytes = [UInt8](repeating: 7, count: 300)
    bytes.withUnsafeBytes { bytes in
      records.begin(1, moves: 0)
      for sequence: Int64 in [1, 2, 511, 512, 40_000] {
        #expect(!records.contains(key(sequence)) && records.record(key(sequence)) == nil)
        records.insert(key(sequence), bytes)
        #expect(records.contains(key(sequence)))
        #expect(records.record(key(sequence))?.baseAddress == bytes.baseAddress)
        #expect(records.record(key(sequence))?.count == 300)
      }
      #expect(records.record(key(3)) == nil && records.record(key(1, code: 4)) == nil)
      records.begin(1, moves: 0)
      #expect(records.contains(key(512)))
      records.begin(2, moves: 0)
      #expect(!records.contains(key(512)) && records.record(key(1)) == nil)
      records.insert(key(1), bytes)
      // The neighbouring words are still of the old state.
      #expect(records.contains(key(1)) && !records.contains(key(2)))
      records.begin(2, moves: 1)
      #expect(!records.contains(key(1)))
    }
  }

  @Test("of records with large numbers, or of great length, it is known that they are whole")
  func largeOnesAreLookedFor() {
    let bytes = [UInt8](repeating: 7, count: 70_000)
    bytes.withUnsafeBytes { bytes in
      records.begin(1, moves: 0)
      let short = UnsafeRawBufferPointer(rebasing: bytes[..<100])
      records.insert(key(1), bytes)
      records.insert(key(1 << 20), short)
      #expect(records.contains(key(1)) && records.record(key(1)) == nil)
      #expect(records.contains(key(1 << 20)) && records.record(key(1 << 20)) == nil)
      #expect(!records.contains(key((1 << 20) + 1)))
      records.begin(2, moves: 0)
      #expect(!records.contains(key(1)) && !records.contains(key(1 << 20)))
    }
  }

  @Test("keys that no store gives out are never known", arguments: [-1, Int64.min, Int64.max])
  func strangeKeys(key: Int64) {
    let bytes = [UInt8](repeating: 7, count: 100)
    bytes.withUnsafeBytes { bytes in
      records.begin(1, moves: 0)
      records.insert(key, bytes)
      #expect(!records.contains(key) && records.record(key) == nil)
    }
  }
}
