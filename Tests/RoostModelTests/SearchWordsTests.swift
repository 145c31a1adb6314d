// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

/// Tests of the words of texts, which must never change, because stores keep them.
@Suite struct SearchWordsTests {
  static let texts: [(String, [String])] = [
    ("", []), (" -- !? ", []), ("Hello, World", ["hello", "world"]), ("a1 b_2", ["a1", "b", "2"]),
    ("don't e-mail 3.14", ["don", "t", "e", "mail", "3", "14"]),
    ("Crème BRÛLÉE", ["creme", "brulee"]), ("Cre\u{300}me", ["creme"]),
    ("Straße STRASSE ẞ", ["strasse", "strasse", "ss"]), ("İstanbul ışık", ["istanbul", "ısık"]),
    ("Ｔｏｋｙｏ １２ ｶﾞ", ["tokyo", "12", "ガ"]), ("ﬁne x² Nº", ["fine", "x2", "no"]),
    ("東京タワー", ["東", "京", "タ", "ワ", "ー"]), ("Ελληνικός ΛΌΓΟΣ", ["ελληνικοσ", "λογοσ"]),
    ("Ёлка и Йод", ["елка", "и", "иод"]), ("한국어 문장", ["한국어", "문장"]),
    ("مرحبا بالعالم", ["مرحبا", "بالعالم"]), ("हिन्दी", ["हिन्दी"]), ("ครับ", ["ค", "รั", "บ"]),
    ("co\u{AD}op a\u{200B}b c\u{200D}d", ["coop", "a", "b", "cd"]), ("🦆duck❤️", ["duck"]),
    ("\u{301}a\u{FE0F}b", ["ab"]),
  ]

  @Test("the words of texts of many scripts are these, and stay so (T1)", arguments: texts.indices)
  func words(_ index: Int) {
    let (text, words) = Self.texts[index]
    #expect(Array(SearchWords(of: text)) == words, "\(text)")
    #expect(SearchWords.version == 1)
    // Splitting the found words again gives the same words.
    #expect(Array(SearchWords(of: words.joined(separator: " "))) == words)
  }

  @Test("a word counts up to its 64th character (T1)")
  func longWords() {
    for letter in ["a", "ö", "ж"] {
      let word = String(repeating: letter, count: 1_000)
      let words = Array(SearchWords(of: "\(word) \(word.prefix(64)) \(word.prefix(63)) x"))
      #expect(words.map(\.count) == [64, 64, 63, 1])
    }
    #expect(SearchWords(of: String(repeating: "ab ", count: 100_000)).count == 100_000)
  }
}
