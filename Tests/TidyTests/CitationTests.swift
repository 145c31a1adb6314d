// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import Testing

/// Tests of the numbers of behaviours, in the document and in the names of tests and cases.
@Suite struct CitationTests {
  private func document() throws -> BehaviourDocument {
    let file = SourceTree.files.first { $0.path == "Documentation/Behaviours.md" }
    return BehaviourDocument(try #require(file, "the document of the behaviours is missing"))
  }

  @Test("every behaviour is cited by a test, or on a list with a reason that only shrinks")
  func behaviours() throws {
    let rule = CitationRule(
      behaviours: Set(try document().numbers), uncited: UncitedBehaviours.reasons)
    var names = SourceTree.files.flatMap(CitingName.tests(in:))
    #expect(names.count > 1000)
    names += ConformanceCatalogue.all.map { CitingName(place: $0.id, text: $0.title) }
    for complaint in rule.complaints(about: names) { Issue.record("\(complaint)") }
  }

  @Test("every statement on evolution is cited by a test, or on a list with a reason")
  func evolution() throws {
    try expectCited("M", in: ["Evolution"], but: UncitedEvolution.reasons)
  }

  @Test("every statement on history is cited by a test, or on a list with a reason")
  func history() throws { try expectCited("H", in: ["History"]) }

  /// Reverting and past states are described in the document on history.
  @Test("every statement on live results is cited by a test, or on a list with a reason")
  func live() throws { try expectCited("L", in: ["Live", "History"]) }

  @Test("every statement on saves over several stores is cited by a test")
  func acrossStores() throws { try expectCited("X", in: ["AcrossStores"]) }

  @Test("every statement on export and import is cited by a test")
  func exchange() throws { try expectCited("E", in: ["Exchange"]) }

  @Test("every statement on full-text search is cited by a test")
  func search() throws { try expectCited("T", in: ["Search"]) }

  private func expectCited(
    _ letter: String, in documents: [String], but uncited: [Int: String] = [:]
  ) throws {
    let numbers = try documents.flatMap { name in
      let path = "Documentation/\(name).md"
      let file = SourceTree.files.first { $0.path == path }
      return BehaviourDocument(try #require(file, "\(path) is missing"), letter: letter).numbers
    }
    let rule = CitationRule(letter: letter, behaviours: Set(numbers), uncited: uncited)
    for complaint in rule.complaints(about: citingNames()) { Issue.record("\(complaint)") }
  }

  private func citingNames() -> [CitingName] {
    SourceTree.files.flatMap(CitingName.tests(in:))
      + ConformanceCatalogue.all.map { CitingName(place: $0.id, text: $0.title) }
  }

  @Test("the document numbers its statements without a gap, as many as the conformance kit knows")
  func numbering() throws {
    let numbers = try document().numbers
    #expect(numbers == Array(1...(numbers.last ?? 1)))
    let check = SourceTree.files.first { $0.path.hasSuffix("/ConformanceSelfCheck.swift") }
    let range = "behaviours = 1...\(numbers.count)"
    #expect(try #require(check).codeLines.contains { $0.hasSuffix(range) }, "\(range)")
  }

  @Test("a behaviour that nothing cites is found, and a number that does not exist")
  func controls() {
    let rule = CitationRule(behaviours: [1, 2, 3, 4, 5, 6], uncited: [:])
    let names = [
      CitingName(place: "A", text: "one (B1)"), CitingName(place: "B", text: "more (B3-B5, F7)"),
    ]
    #expect(rule.complaints(about: names) == ["nothing cites B2", "nothing cites B6"])
    let wrong = names + [CitingName(place: "C", text: "wrong (B2 to B6, B369)")]
    #expect(
      rule.complaints(about: wrong) == ["C cites B369, and there is no such behaviour"])
  }

  @Test("a place on the list that is not needed, or without a reason, is found")
  func listControls() {
    let rule = CitationRule(behaviours: [1, 2, 3], uncited: [1: "a", 2: "b", 3: "", 4: "d"])
    #expect(
      rule.complaints(about: [CitingName(place: "A", text: "one (B1)")]) == [
        "B1 is cited: take it off the list", "B3 is on the list without a reason in one line",
        "B4 is on the list, and there is no such behaviour",
      ])
  }

  @Test("names are those of tests, wherever they begin, and nothing else")
  func names() {
    let text = """
      @Test("one (B1)") func a() { expect("two (B2)") }
      @Test(
        "three (\\"B3\\")", arguments: ["four (B4)"])
      // @Test("five (B5)")
      @Test(.disabled(), arguments: ["six (B6)"])
      let a = "@Test(\\"seven (B7)\\")"
      """
    func found(_ path: String) -> [String] {
      CitingName.tests(in: SourceFile(path: path, text: text)).map(\.text)
    }
    #expect(found("Tests/A/A.swift") == ["one (B1)", "three (\\\"B3\\\")"])
    #expect(found("Sources/A/A.swift") == [])
    let old =
      "import XCTest\n/// One (B1).\n  /// Two.\nfunc testA() {}\n/// B2\n\nfunc testB() {}\n"
    let names = CitingName.tests(in: SourceFile(path: "Tests/A/A.swift", text: old))
    #expect(names.map(\.text) == ["/// One (B1).\n/// Two."])
  }
}
