// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Strings")
struct StringTests {
  private let samples = [
    "", "a", "A", "aa", "ab", "b", "e\u{301}", "\u{E9}", "ﬀ", "\u{FFFD}", "😀", "日本語", "日本",
    String(repeating: "x", count: 100),
  ]

  @Test("strings are compared by their UTF-8 bytes")
  func order() {
    for left in samples {
      for right in samples {
        let bytes = (Array(left.utf8), Array(right.utf8))
        let isLess = bytes.0.lexicographicallyPrecedes(bytes.1)
        #expect(UTF8Order.isLess(left, right) == isLess)
        #expect(UTF8Order.areEqual(left, right) == (bytes.0 == bytes.1))
        #expect(UTF8Order.compare(left, right).signum() == -UTF8Order.compare(right, left).signum())
        #expect(UTF8Order.hasPrefix(left, right) == bytes.0.starts(with: bytes.1))
        #expect(
          UTF8Order.hasSuffix(left, right) == bytes.0.reversed().starts(with: bytes.1.reversed()))
      }
    }
  }

  @Test("a string contains another when its bytes do")
  func contains() {
    #expect(UTF8Order.contains("abcabd", "abd"))
    #expect(UTF8Order.contains("aaab", "aab"))
    #expect(UTF8Order.contains("abc", "abc"))
    #expect(UTF8Order.contains("abc", ""))
    #expect(UTF8Order.contains("", ""))
    #expect(!UTF8Order.contains("", "a"))
    #expect(!UTF8Order.contains("abc", "abcd"))
    #expect(!UTF8Order.contains("abcabc", "abd"))
    #expect(UTF8Order.contains("e\u{301}", "e"))
    #expect(!UTF8Order.contains("\u{E9}", "e"))
  }

  @Test("folding ignores case by Unicode's full folding, and no more")
  func caseFolding() {
    let same = [
      ("ABC", "abc"), ("Straße", "STRASSE"), ("STRAẞE", "strasse"), ("ΣΊΣΥΦΟΣ", "σίσυφος"),
      ("ÀÉÎ", "àéî"), ("Ж", "ж"), ("ﬁ", "FI"), ("\u{212A}", "k"), ("Ａ", "ａ"), ("ǰ", "J\u{30C}"),
    ]
    for (left, right) in same {
      #expect(StringFolding.areEqual(left, right, .caseInsensitive), "\(left) \(right)")
    }
    for (left, right) in [("e", "é"), ("ı", "i"), ("Ａ", "A"), ("ø", "o"), ("a", "ａ")] {
      #expect(!StringFolding.areEqual(left, right, .caseInsensitive), "\(left) \(right)")
    }
  }

  @Test("folding ignores diacritics of Latin, Greek and Cyrillic, and no other marks")
  func diacriticFolding() {
    let same = [
      ("é", "e"), ("e\u{301}\u{323}", "e"), ("ộ", "o"), ("Å", "A"), ("й", "и"), ("ά", "α"),
      ("ş", "s"),
    ]
    for (left, right) in same {
      #expect(StringFolding.areEqual(left, right, .diacriticInsensitive), "\(left) \(right)")
    }
    for (left, right) in [("E", "e"), ("ø", "o"), ("ł", "l"), ("が", "か"), ("हि", "ह")] {
      #expect(!StringFolding.areEqual(left, right, .diacriticInsensitive), "\(left) \(right)")
    }
    let both: StringFolding.Options = [.caseInsensitive, .diacriticInsensitive]
    #expect(StringFolding.fold("Crème BRÛLÉE", both) == "creme brulee")
    #expect(StringFolding.fold("İstanbul", both) == "istanbul")
    #expect(Array(StringFolding.fold("e\u{301}", []).utf8) == [0x65, 0xCC, 0x81])
  }

  @Test("folding a folded string changes nothing; the fast ways agree with the rule")
  func idempotent() {
    let all: [StringFolding.Options] = [
      .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]
    var text = ""
    for value in UInt32(1)...0x2FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for options in all {
        let folded = StringFolding.fold(String(scalar), options)
        #expect(UTF8Order.areEqual(StringFolding.fold(folded, options), folded), "\(value)")
        #expect(
          UTF8Order.areEqual(folded, StringFolding.foldAny(String(scalar), options)), "\(value)")
      }
      text.unicodeScalars.append(scalar)
      if text.unicodeScalars.count == 16 {
        for options in all {
          #expect(
            UTF8Order.areEqual(
              StringFolding.fold(text, options), StringFolding.foldAny(text, options)))
        }
        text = ""
      }
    }
  }
}
