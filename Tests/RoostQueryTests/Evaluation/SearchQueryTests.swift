// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostQuery

/// Tests of the terms of search queries, and of the ranking of texts.
@Suite struct SearchQueryTests {
  private func terms(_ text: String) -> [String] {
    SearchQuery(text).terms.map { $0.words.joined(separator: "+") + ($0.isPrefix ? "*" : "") }
  }

  @Test("queries are words, beginnings and phrases (T2)")
  func reading() {
    for (text, expected) in [
      ("", []), ("*", []), ("\"", []), ("\"\" !", []), ("Wild goose", ["wild", "goose"]),
      ("goo* a", ["goo*", "a"]), ("\"the Goose\"", ["the+goose"]), ("\"the goo*\"", ["the+goo*"]),
      ("\"the goo\"*", ["the+goo*"]), ("\"open end", ["open+end"]), ("e-mail", ["e+mail"]),
      ("e-ma*", ["e+ma*"]), ("a A a*", ["a", "a*"]), ("a\"b c\"d", ["a", "b+c", "d"]),
      ("東京 x", ["東+京", "x"]), ("a*b", ["a+b"]), ("*a", ["a"]), ("goo*, a", ["goo*", "a"]),
      ("(goo*)", ["goo*"]), ("\"the goose *\"", ["the+goose"]), ("goose!*", ["goose"]),
      ("goo**", ["goo*"]),
    ] as [(String, [String])] {
      #expect(terms(text) == expected, "\(text)")
      #expect(SearchQuery(text).isEmpty == expected.isEmpty)
      #expect(SearchQuery(text).description == text)
    }
  }

  @Test("a text matches when everything occurs (T2)")
  func matching() {
    let text = "The goose, wild and free; the geese"
    for query in ["goose", "WILD", "wild goose", "g* f*", "\"wild and free\"", "\"the ge*\""] {
      #expect(SearchQuery(query).matches(text), "\(query)")
    }
    for query in ["", "goos", "duck goose", "\"goose and\"", "\"the gee\"", "geese geeses"] {
      #expect(!SearchQuery(query).matches(text), "\(query)")
      #expect(SearchQuery(query).score(of: text) == 0, "\(query)")
    }
  }

  @Test("scores are these numbers, on every machine (T5)")
  func scores() {
    func score(_ query: String, _ text: String) -> Double { SearchQuery(query).score(of: text) }
    #expect(score("a", "a") == 2.2 / (1 + 0.3 + 0.009))
    #expect(score("a", "a b A") == 2.2 * 2 / (2 + 0.3 + 0.009 * 3))
    #expect(score("a b", "a b") == 2 * (2.2 / (1 + 0.3 + 0.009 * 2)))
    #expect(score("a b*", "a ba bc") == 2.2 / 1.327 + 2.2 * 2 / (2 + 0.3 + 0.009 * 3))
    #expect(score("\"a b\"", "a b a b a") == 2.2 * 2 / (2 + 0.3 + 0.009 * 5))
    #expect(score("a a", "a") == score("a", "a"))
    #expect(score("a", "a a") > score("a", "a b"))
    #expect(score("a", "a b") > score("a", "a b c"))
  }

  @Test("a request has at most 64 words to search for (T12)")
  func limit() throws {
    func words(_ count: Int) -> String { (0..<count).map { "w\($0)" }.joined(separator: " ") }
    #expect(try StringMatcher(.search, words(64)).matches(words(70)))
    #expect(!SearchQuery(words(65)).matches(words(70)))
    #expect(SearchQuery(words(65)).score(of: words(70)) == 0)
    for query in [words(65), words(100_000), words(65).replacing(" ", with: "-")] {
      let error = #expect(throws: PersistenceError.self) { try StringMatcher(.search, query) }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test("SEARCH is read and printed, and a key of that name stays one (T3)")
  func format() throws {
    let predicate = try FetchPredicate("title search %@ AND search SEARCH 'b*'", "wild \"goose\"")
    #expect(
      predicate.predicateFormat
        == #"title SEARCH "wild \"goose\"" AND search SEARCH "b*""#)
    #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
    #expect(try FetchPredicate("search == 1").predicateFormat == "search == 1")
  }
}
