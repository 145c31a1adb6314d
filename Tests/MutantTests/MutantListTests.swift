// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import MutantRunner

/// Tests of the lists of mutants, and of their insertion into sources.
@Suite struct MutantListTests {
  private static let text = """
    folder: Sources/Thing

    A sum is a difference.
    file: Sum.swift
    from: a + b
    to: MUTANT ? a - b : a + b
    tests: ThingTests.Sum ThingTests.More

    Two lines are one.
    file: Lines.swift
    from:
    | first()
    |   second()
    to:
    | first()
    |   if !MUTANT { second() }
    tests: kit SQLite saving
    survives: yes

    """

  private func mutant(_ from: String, _ to: String, number: Int = 1) -> Mutant {
    Mutant(
      target: "Thing", number: number, sentence: "", file: "F.swift", fragment: from,
      replacement: to, tests: [], isControl: false)
  }

  @Test("every mutant of the lists still fits the sources")
  func fits() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let lists = try MutantList.all(in: root)
    #expect(!lists.isEmpty)
    let texts = try MutatedTree(root: root, tree: root, lists: lists).mutatedTexts()
    #expect(!texts.isEmpty)
    for mutant in lists.flatMap(\.mutants) {
      #expect(mutant.sentence.hasSuffix("."), "\(mutant.name) has no sentence")
      #expect(texts[mutant.file]?.contains("mutantIsActive(\(mutant.number))") == true)
    }
    let controls = lists.flatMap(\.mutants).filter { $0.isControl }
    #expect(!controls.isEmpty)
  }

  @Test("a list is read as it is written")
  func reading() throws {
    let mutants = try MutantList(target: "Thing", text: Self.text).mutants
    #expect(mutants.map(\.name) == ["Thing.1", "Thing.2"])
    #expect(mutants.map(\.file) == ["Sources/Thing/Sum.swift", "Sources/Thing/Lines.swift"])
    #expect(mutants[0].tests == [.tests(["ThingTests.Sum", "ThingTests.More"])])
    #expect(mutants[1].tests == [.kit(store: "SQLite", prefix: "saving")])
    #expect(mutants[1].fragment == "first()\n  second()")
    #expect(mutants.map(\.isControl) == [false, true])
  }

  @Test(
    "a list with a word that means nothing, or without what is needed, is refused",
    arguments: [("from: a + b\n", ""), ("MUTANT ? a", "a"), ("file: Sum", "fiel: Sum")])
  func refusing(_ old: String, _ new: String) throws {
    #expect(throws: ListError.self) {
      try MutantList(target: "Thing", text: Self.text.replacing(old, with: new))
    }
  }

  @Test("each fragment gets its own switch, and the rest of the file stays")
  func switching() throws {
    let text = try Switches.text(
      with: [mutant("b()", "if !MUTANT { b() }", number: 2), mutant("a", "MUTANT ? x : a")],
      in: "a; b(); c")
    #expect(text == "mutantIsActive(1) ? x : a; if !mutantIsActive(2) { b() }; c")
  }

  @Test("a fragment that is gone, stands there twice, or overlaps another one is refused")
  func stale() {
    for (mutants, text) in [
      ([mutant("b", "MUTANT")], "a"), ([mutant("b", "MUTANT")], "b b"),
      ([mutant("bb", "MUTANT")], "bbb"),
      ([mutant("a b", "MUTANT"), mutant("b c", "MUTANT", number: 2)], "a b c"),
    ] {
      #expect(throws: ListError.self) { try Switches.text(with: mutants, in: text) }
    }
  }

  @Test("a sample is the same for the same seed, and has the controls")
  func sample() throws {
    let all =
      (1...50).map { mutant("\($0)", "MUTANT", number: $0) }
      + (try MutantList(target: "Thing", text: Self.text).mutants.filter(\.isControl))
    func names(_ seed: String) throws -> [String] {
      try Options(["--sample", "7", "--seed", seed]).choice(of: all, hasServer: true).map(\.name)
    }
    #expect(try names("3").count == 8)
    #expect(try names("3") == names("3"))
    #expect(try names("3") != names("4"))
  }
}
