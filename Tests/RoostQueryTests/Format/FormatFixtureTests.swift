// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Predicates as real programs write them.
@Suite(.enabled(if: Fixtures.arePresent, "needs the shared fixtures"))
struct FormatFixtureTests {
  /// Returns an argument of the type that each placeholder of a format expects.
  static func arguments(for format: String) throws -> [Any?] {
    let tokens = try FormatLexer.tokens(of: FormatSource(format))
    return tokens.enumerated().compactMap { index, token -> Any?? in
      guard case .placeholder(let placeholder) = token.kind else { return nil }
      switch placeholder {
      case .key: return "key\(index)"
      case .integer: return index
      case .double: return 1.5
      case .text: return "text"
      case .value: return isCollection(tokens, index) ? ["a", "b"] : "value\(index)"
      }
    }
  }

  private static func isCollection(_ tokens: [FormatToken], _ index: Int) -> Bool {
    guard index > 0, case .word(let word) = tokens[index - 1].kind else { return false }
    return word.uppercased() == "IN"
  }

  @Test("every format of the collection parses, and what is printed parses as the same tree")
  func roundTrip() throws {
    let rows = try Fixtures.rows("predicates.tsv").filter { !$0[1].contains("?") }
    #expect(rows.count > 400)
    for row in rows {
      let format = row[2]
      if format.hasPrefix("function(") {
        // The format that calls a method of the program is refused on purpose.
        #expect(throws: PersistenceError(.invalidPredicate, "")) {
          try FetchPredicate(format: format, argumentArray: [])
        }
        continue
      }
      do {
        let arguments = try Self.arguments(for: format)
        let predicate = try FetchPredicate(format: format, argumentArray: arguments)
        let again = try FetchPredicate(predicate.predicateFormat)
        #expect(again == predicate, "\(row[0]): \(format) -> \(predicate.predicateFormat)")
      } catch {
        Issue.record("\(row[0]): \(format): \(error)")
      }
    }
  }
}
