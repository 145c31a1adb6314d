// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import Testing

/// Tests that the advice of the error catalogue is tested: each code has tests that follow the advice.
@Suite struct WaysOutTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the names of the codes in the catalogue.
  private static func codes(in text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("### ") && $0.hasSuffix(")") }
      .compactMap { $0.dropFirst(4).split(separator: " ").first.map(String.init) }
  }

  /// Returns the sources of all tests as one text.
  private static func tests() throws -> String {
    let folder = root.appending(path: "Tests")
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (names ?? []).filter {
      $0.hasSuffix(".swift") && !$0.hasSuffix("/WaysOut.swift") && !$0.contains(".build/")
    }.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
  }

  /// Returns the errors in a table of proofs.
  private static func complaints(
    _ proofs: [String: WaysOut.Proof], codes: [String], tests: String
  ) -> [String] {
    let known = Set(codes)
    var result = codes.filter { proofs[$0] == nil }.map { "\($0) has no tested way out" }
    for (code, proof) in proofs.sorted(by: { $0.key < $1.key }) {
      if !known.contains(code) { result.append("\(code) is no code") }
      switch proof {
      case .none(let reason): if reason.isEmpty { result.append("\(code) has no reason") }
      case .tests(let names):
        if names.isEmpty { result.append("\(code) has no tests") }
        for name in names
        where ConformanceCatalogue.conformanceCase(id: name) == nil && !tests.contains(name) {
          result.append("\(code): there is no test “\(name)”")
        }
      }
    }
    return result
  }

  @Test("what is advised for each code of the catalogue is tried by a test (B362)")
  func everyAdvice() throws {
    let catalogue = try String(
      contentsOf: Self.root.appending(path: "Sources/Roost/Roost.docc/Errors.md"), encoding: .utf8)
    let codes = Self.codes(in: catalogue)
    #expect(codes.count > 50)
    #expect(Self.complaints(WaysOut.proofs, codes: codes, tests: try Self.tests()) == [])
  }

  @Test("a code without a way out, and a way out without a test, are found")
  func controls() {
    let proofs: [String: WaysOut.Proof] = [
      "one": .tests(["saving.rollback"]), "two": .tests(["nobody wrote this"]), "three": .tests([]),
      "four": .none(""), "five": .none("reason"),
    ]
    let codes = Self.codes(in: "### one (1)\n### two (2)\n### three (3)\n### four (4)\n### six (6)")
    #expect(
      Self.complaints(proofs, codes: codes, tests: "somebody wrote that") == [
        "six has no tested way out", "five is no code", "four has no reason",
        "three has no tests", "two: there is no test “nobody wrote this”",
      ])
  }
}
