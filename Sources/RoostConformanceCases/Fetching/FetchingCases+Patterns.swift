// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Patterns that make a matcher try every way of dividing a text.
extension FetchingCases {
  /// Regular expressions with exponential backtracking on texts that do not match.
  private static let backtracking = [
    "(a+)+b", "(a*)*b", "(a|aa)+b", "(a|a?)+b", "(.*a){20}b", "(a*)*\\1b", "(?=(a+)+b).*",
  ]

  static let patterns: [ConformanceCase] = [
    ConformanceCase(
      .fetching, "pattern.bound",
      "a pattern that backtracks without end is an error after a bound of steps (B368)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for (name, word) in [("a", String(repeating: "a", count: 60)), ("b", "aab"), ("c", nil)] {
        try stack.context.make("Sample", ["name": name, "string": word])
      }
      try stack.context.save()
      try stack.readAnew()
      for pattern in backtracking {
        for format in ["string MATCHES %@", "string MATCHES[cd] %@", "NOT string MATCHES %@"] {
          let request = try stack.context.request("Sample", format, [pattern])
          try expectError(.limitExceeded, "\(format) \(pattern)") {
            _ = try stack.context.fetch(request)
          }
          try expectError(.limitExceeded, "the number of \(format) \(pattern)") {
            _ = try stack.context.count(for: request)
          }
        }
      }
      let plain = try stack.context.request("Sample", "string MATCHES %@", ["a+b"])
      try expectEqual(
        try stack.context.fetch(plain).map { try $0.text("name") ?? "" }, ["b"], "after the errors")
    },
    ConformanceCase(
      .fetching, "pattern.pending",
      "a pattern that backtracks is an error for unsaved objects too, and LIKE never does (B368)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "b", "string": "aab"])
      try stack.context.save()
      try stack.context.make(
        "Sample", ["name": "a", "string": String(repeating: "a", count: 60)])
      let request = try stack.context.request("Sample", "string MATCHES %@", ["(a+)+b"])
      try expectError(.limitExceeded, "an unsaved object") { _ = try stack.context.fetch(request) }
      try stack.context.save()
      let stars = String(repeating: "*a", count: 40)
      for (pattern, wanted) in [(stars + "b", []), (stars + "*", ["a"]), ("a*b", ["b"])] {
        let request = try stack.context.request("Sample", "string LIKE %@", [pattern])
        try expectEqual(
          try stack.context.fetch(request).map { try $0.text("name") ?? "" }, wanted, pattern)
      }
    },
  ]
}
