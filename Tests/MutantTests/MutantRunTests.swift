// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import MutantRunner

/// Tests of when a run counts a mutant as noticed, with a script in place of the tests.
@Suite struct MutantRunTests {
  /// Creates a program that behaves as the name of the active mutant says, and passes its run to a body.
  private func withRun(_ names: [String], _ body: (MutantRun) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "mutants-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "RoostPackageTests.xctest").path()
    let script = """
      #!/bin/sh
      case "$ROOST_MUTANT $*" in
        fail*|*broken*) exit 1 ;;
        crash*) kill -SEGV $$ ;;
        hang*) exec sleep 600 ;;
        *--list-tests*) echo 'Some broken' ;;
        *) echo 'Test run with 3 tests in 1 suite passed' ;;
      esac
      """
    let isMade = FileManager.default.createFile(
      atPath: program, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755])
    try #require(isMade)
    let mutants = names.enumerated().map { index, name in
      let words = name.split(separator: " ").map(String.init)
      return Mutant(
        target: words[0], number: index + 1, sentence: name, file: "", fragment: "",
        replacement: "", tests: [.tests([words.count > 1 ? words[1] : "Some"])], isControl: false)
    }
    let process = TestProcess(tree: folder, programs: folder, limit: 2)
    try body(MutantRun(mutants: mutants, process: process, width: 2))
  }

  @Test("tests that fail, crash or hang have noticed; those that pass, or stay away, have not")
  func survivors() throws {
    try withRun(["fail", "pass", "crash", "hang", "quiet"]) { run in
      let survivors = try run.survivors().map(\.sentence)
      #expect(survivors == ["pass", "quiet"])
      let findings = try run.findings()
      #expect(findings == [])
    }
  }

  @Test("tests that fail without a mutant, and names that no test has, are found")
  func findings() throws {
    try withRun(["pass broken", "pass nothing", "pass"]) { run in
      let findings = try run.findings()
      #expect(findings.count == 2)
      #expect(findings.first == "no test is called nothing")
      #expect(findings.last?.hasPrefix("Some broken nothing: failed without a mutant") == true)
    }
  }
}
