// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import Testing

/// Tests that the article on writing a store names a case of the kit for each promise.
@Suite struct StoreArticleTests {
  /// Returns the names of cases in a text: a topic, a dot, and the name of the case, in backticks.
  private static func cases(in text: String) -> [String] {
    let topics = Set(ConformanceTopic.allCases.map(\.rawValue))
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
      .filter { code in
        topics.contains { code.hasPrefix($0 + ".") } && !code.contains { " ()\n".contains($0) }
      }
  }

  @Test("every case that the article on stores names is one of the kit's, and it names many (F45b)")
  func cases() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appending(path: "Sources/Roost/Roost.docc/WritingAStore.md")
    let names = Self.cases(in: try String(contentsOf: article, encoding: .utf8))
    #expect(names.count >= 20)
    #expect(names.filter { ConformanceCatalogue.conformanceCase(id: $0) == nil } == [])
  }

  @Test("the names of cases are found in a text")
  func control() {
    let text = "One (`saving.lost-answer`), `cases` and `identity.nobody`; `context.save()`."
    #expect(Self.cases(in: text) == ["saving.lost-answer", "identity.nobody"])
  }
}
