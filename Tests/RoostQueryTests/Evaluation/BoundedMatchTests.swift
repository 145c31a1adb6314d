// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that matching a pattern is limited to a number of steps, beyond which it is an error.
@Suite struct BoundedMatchTests {
  static let patterns = [
    "(a+)+b", "(a*)*b", "(a|aa)+b", "(a|a?)+b", "(.*a){20}b", "^(([a-z])+.)+[0-9]([a-z])+$",
    "(a+){10}(a+){10}(a+){10}b", "(?:a?){60}a{60}b", "(a*)*\\1b", "(?=(a+)+b).*",
    "((a{1,9}){1,9}){1,9}b",
  ]

  @Test("a pattern that backtracks is refused after a bound of steps (B368)", arguments: patterns)
  func backtracking(_ pattern: String) throws {
    for length in [30, 200, 5_000] {
      let text = String(repeating: "a", count: length)
      for options in [[], .caseInsensitive, .diacriticInsensitive] as [ComparisonPredicate.Options]
      {
        let error = #expect(throws: PersistenceError.self, "\(length)") {
          try StringMatcher(.matches, pattern, options: options).matches(text)
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("aaaa") == false)
      }
    }
  }

  @Test(
    "a pattern that the engine has no memory for is refused, and matches nothing by mistake (B368)")
  func memory() throws {
    let text = String(repeating: "ab", count: 400_000)
    let error = #expect(throws: PersistenceError.self) {
      try StringMatcher(.matches, "(a|b)*").matches(text)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("patterns that take one way through a text are matched, however long it is (B368)")
  func linear() throws {
    let text = String(repeating: "abc,", count: 100_000)
    #expect(try StringMatcher(.matches, ".*").matches(text))
    #expect(try StringMatcher(.matches, "[a-c,]*").matches(text))
    #expect(try !StringMatcher(.matches, "[a-c]*").matches(text))
    #expect(try !StringMatcher(.matches, ".*apple.*").matches(text))
    #expect(try StringMatcher(.matches, "(?i)ABC,.*").matches(text))
    #expect(try StringMatcher(.matches, "a+b").matches(String(repeating: "a", count: 50_000) + "b"))
  }

  @Test("LIKE with many stars takes no more steps than text times pattern (B368)")
  func like() throws {
    let text = String(repeating: "a", count: 4_000)
    #expect(try !StringMatcher(.like, String(repeating: "*a", count: 60) + "b").matches(text))
    #expect(try StringMatcher(.like, String(repeating: "*a", count: 60) + "*").matches(text))
    #expect(try !StringMatcher(.like, String(repeating: "?*", count: 60) + "b").matches(text))
  }

  @Test("a condition with such a pattern is an error wherever it is judged (B368)")
  func judged() throws {
    let text = String(repeating: "a", count: 60)
    for format in [
      "SELF MATCHES '(a+)+b'", "lowercase(SELF) MATCHES[c] '(a+)+b'", "NOT SELF MATCHES '(a+)+b'",
    ] {
      let error = #expect(throws: PersistenceError.self, "\(format)") {
        try RequestResolver(model: ManagedObjectModel()).evaluate(
          try FetchPredicate(format), with: .string(text))
      }
      #expect(error?.code == .limitExceeded, "\(format)")
    }
  }
}
