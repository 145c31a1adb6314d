// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// Tests of bytes that stores keep: they must not change between versions, and damaged ones must not be read.
@Suite struct FoldedBytesTests {
  @Test("folded letters are composed, whatever they were composed of")
  func composed() {
    for text in ["É", "E\u{301}", "é", "e\u{301}"] {
      #expect(Array(StringFolding.fold(text, [.caseInsensitive]).utf8) == [0xC3, 0xA9])
    }
  }

  @Test(
    "a decimal with a pair of digits that cannot be is not read", arguments: [0, 101, 127, 200])
  func damagedPair(_ pair: UInt8) {
    let whole = Array(DecimalCode.encode(12))
    #expect(whole.withUnsafeBytes { DecimalCode.decode($0) } == 12)
    var damaged = whole
    damaged[3] = pair
    #expect(damaged.withUnsafeBytes { DecimalCode.decode($0) } == nil)
  }
}
