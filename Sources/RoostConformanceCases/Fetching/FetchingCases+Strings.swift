// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  /// The texts for the string operators, by the name of their object.
  static let words: [(name: String, word: String?)] = [
    ("a", "apple"), ("b", "Apple"), ("c", "APPLE pie"), ("d", "pineapple"), ("e", ""),
    ("f", nil), ("g", "caf\u{E9}"), ("h", "cafe\u{301}"), ("i", "CAF\u{C9}"), ("j", "100%"),
    ("k", "100x"), ("l", "a_b"), ("m", "axb"), ("n", "a*b"), ("o", "line\nbreak"),
    ("p", "\u{1F600} smile"), ("q", "Stra\u{DF}e"), ("r", "a\\b"), ("s", "it's"),
  ]

  /// A string condition and the objects that satisfy it.
  private struct Row {
    let name: String
    let format: String
    let arguments: [String]
    let wanted: String

    init(_ name: String, _ format: String, _ arguments: [String], _ wanted: String) {
      self.name = name
      self.format = format
      self.arguments = arguments
      self.wanted = wanted
    }
  }

  static let strings: [ConformanceCase] = rows.map { row in
    ConformanceCase(
      .fetching, "string.\(row.name)",
      "\(row.format) finds what it names, letter by letter (value contract: [c]/[cd])"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for (name, word) in words {
        try stack.context.make("Sample", ["name": name, "string": word])
      }
      try stack.context.save()
      try stack.readAnew()
      let request = try stack.context.request("Sample", row.format, row.arguments)
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }.joined()
      try expectEqual(found, row.wanted, "\(row.format) \(row.arguments)")
      let rest = try stack.context.request("Sample", "NOT (\(row.format))", row.arguments)
      let others = try stack.context.fetch(rest).map { try $0.text("name") ?? "" }
      try expectEqual(
        others, words.map(\.name).filter { !row.wanted.contains($0) },
        "NOT \(row.format) \(row.arguments)")
    }
  }

  private static let rows: [Row] = [
    Row("begins", "string BEGINSWITH %@", ["a"], "almnr"),
    Row("begins-nothing", "string BEGINSWITH %@", [""], "abcdeghijklmnopqrs"),
    Row("begins-whole", "string BEGINSWITH %@", ["apple"], "a"),
    Row("begins-longer", "string BEGINSWITH %@", ["applesauce"], ""),
    Row("begins-c", "string BEGINSWITH[c] %@", ["APP"], "abc"),
    Row("begins-cd", "string BEGINSWITH[cd] %@", ["CAFE"], "ghi"),
    Row("begins-d", "string BEGINSWITH[d] %@", ["cafe"], "gh"),
    Row("begins-half-a-letter", "string BEGINSWITH %@", ["cafe"], "h"),
    Row("ends", "string ENDSWITH %@", ["apple"], "ad"),
    Row("ends-nothing", "string ENDSWITH %@", [""], "abcdeghijklmnopqrs"),
    Row("ends-c", "string ENDSWITH[c] %@", ["PIE"], "c"),
    Row("ends-cd", "string ENDSWITH[cd] %@", ["FE"], "ghi"),
    Row("contains", "string CONTAINS %@", ["pp"], "abd"),
    Row("contains-nothing", "string CONTAINS %@", [""], "abcdeghijklmnopqrs"),
    Row("contains-c", "string CONTAINS[c] %@", ["APPLE"], "abcd"),
    Row("contains-cd", "string CONTAINS[cd] %@", ["\u{C9}"], "abcdghiopq"),
    Row("contains-percent", "string CONTAINS %@", ["%"], "j"),
    Row("contains-underscore", "string CONTAINS %@", ["_"], "l"),
    Row("contains-backslash", "string CONTAINS %@", ["\\"], "r"),
    Row("contains-quote", "string CONTAINS %@", ["'"], "s"),
    Row("contains-emoji", "string CONTAINS %@", ["\u{1F600}"], "p"),
    Row("equal-c", "string ==[c] %@", ["apple"], "ab"),
    Row("equal-cd", "string ==[cd] %@", ["cafe"], "ghi"),
    Row("equal-d", "string ==[d] %@", ["cafe"], "gh"),
    Row("equal-c-composed", "string ==[c] %@", ["CAF\u{C9}"], "ghi"),
    Row("not-equal-c", "string !=[c] %@", ["apple"], "cdefghijklmnopqrs"),
    Row("in-c", "string IN[c] {'APPLE', 'AXB'}", [], "abm"),
    Row("like-star", "string LIKE %@", ["*apple"], "ad"),
    Row("like-question", "string LIKE %@", ["a?b"], "lmnr"),
    Row("like-escaped-star", "string LIKE %@", ["a\\*b"], "n"),
    Row("like-percent-is-plain", "string LIKE %@", ["100%"], "j"),
    Row("like-underscore-is-plain", "string LIKE %@", ["a_b"], "l"),
    Row("like-whole", "string LIKE %@", ["apple"], "a"),
    Row("like-nothing", "string LIKE %@", [""], "e"),
    Row("like-everything", "string LIKE %@", ["*"], "abcdeghijklmnopqrs"),
    Row("like-c", "string LIKE[c] %@", ["APPLE*"], "abc"),
    Row("like-cd", "string LIKE[cd] %@", ["caf?"], "ghi"),
    Row("matches", "string MATCHES %@", ["[a-c]pple"], "a"),
    Row("matches-whole", "string MATCHES %@", [".*apple.*"], "ad"),
    Row("matches-c", "string MATCHES[c] %@", ["apple.*"], "abc"),
    Row("matches-anchors", "string MATCHES %@", ["^a.b$"], "lmnr"),
    Row("less-than-a-letter", "string < %@", ["a"], "bceijkq"),
  ]
}
