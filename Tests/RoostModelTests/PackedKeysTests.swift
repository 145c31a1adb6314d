// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite struct PackedKeysTests {
  private func key(_ sequence: Int64, _ code: Int = 1) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: code)
  }

  @Test(
    "packed keys are the keys, however they lie: in a row, with gaps, backwards, of two entities, far apart (B126)"
  )
  func keysAreKept() {
    let last = Int64.max >> RecordKey.entityBits
    let lists: [[Int64]] = [
      [], [key(7)], (1...1_024).map { key($0) }, (1...5_000).map { key($0) },
      (1...5_000).map { key($0 * 3) }, (1...5_000).reversed().map { key($0) },
      (1...5_000).map { key($0, Int($0 % 2) + 1) }, (1...3_000).map { key($0 * 5_000_000) },
      (1...3_000).map { $0 % 2 == 0 ? key($0) : key(last - $0) },
      (1...2_500).map { key($0) } + (1...2_500).map { key($0 * 9) } + [key(1), key(1)],
    ]
    for keys in lists {
      let packed = PackedKeys(keys)
      #expect(packed.count == keys.count)
      #expect(Array(packed) == keys)
      #expect(packed.reversed().elementsEqual(keys.reversed()))
    }
  }
}
