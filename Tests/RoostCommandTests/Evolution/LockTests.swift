// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostCommandKit

/// Tests of `roost lock` and `roost check --against`.
@Suite struct LockTests {
  @Test("a model is locked, released, and checked against its lock file (M62, M66)")
  func lock() throws {
    let sample = try Sample()
    let file = sample.path("Models/HR.roostlock")
    let (first, second) = (sample.versionPath("HR"), sample.versionPath("HR 2"))
    let locked = sample.roost("lock", first, "--file", file)
    #expect(locked.errors.isEmpty)
    #expect(locked.output.contains("  under development  "))
    #expect(sample.roost("check", first, "--against", file).code == 0)

    let changed = sample.roost("check", second, "--against", file)
    #expect(changed.code == 1)
    #expect(changed.errors.contains("Person.score"), "\(changed.errors)")

    #expect(sample.roost("lock", first, "--file", file, "--release", "1.0").code == 0)
    let released = sample.roost("lock", second, "--file", file)
    #expect(released.output.contains("  1.0                "), "\(released.output)")
    #expect(sample.roost("check", second, "--against", file).code == 0)
    let before = try Data(contentsOf: URL(filePath: file))
    let third = sample.versionPath("HR 4")
    #expect(sample.roost("lock", third, "--file", file, "--release", "1.0").code == 1)
    // A label that exists already leaves the file unchanged.
    #expect(try Data(contentsOf: URL(filePath: file)) == before)
    #expect(sample.roost("lock", second, "--file", file, "--release", "1.1").code == 0)
    // The model of an earlier release again.
    #expect(sample.roost("check", first, "--against", file).code == 1)
  }

  @Test("a release from which nothing leads is told, unless the program maps it itself")
  func mapped() throws {
    let sample = try Sample()
    let file = sample.path("HR.roostlock")
    let (first, fourth) = (sample.versionPath("HR"), sample.versionPath("HR 4"))
    #expect(sample.roost("lock", first, "--file", file, "--release", "1.0").code == 0)
    #expect(sample.roost("lock", fourth, "--file", file).code == 0)
    let result = sample.roost("check", fourth, "--against", file)
    #expect(result.code == 1)
    #expect(result.errors.contains("Version 1.0"), "\(result.errors)")
    #expect(sample.roost("check", fourth, "--against", file, "--except", "1.0").code == 0)
  }

  @Test("lock files are models: of a store, of a difference, of a diagram")
  func models() throws {
    let sample = try Sample()
    let file = sample.path("HR.roostlock")
    let (first, second) = (sample.versionPath("HR"), sample.versionPath("HR 2"))
    #expect(sample.roost("lock", first, "--file", file, "--release", "1.0").code == 0)
    #expect(sample.roost("lock", second, "--file", file).code == 0)
    let store = try sample.makeStore()
    let count = sample.roost("count", store, "Team", "--model", file)
    #expect(count.errors.isEmpty)
    #expect(count.output == "2\n")
    #expect(
      sample.roost("diagram", file + "@1.0").output == sample.roost("diagram", first).output)
    #expect(sample.roost("diagram", file).output == sample.roost("diagram", second).output)
    let none = sample.roost("diagram", file + "@9")
    #expect(none.code == 1)
    #expect(none.errors.contains("HR.roostlock has no version “9”, only 1.0."), "\(none.errors)")
    #expect(sample.roost("check", store, "--against", file + "@1.0").code == 1)
  }

  @Test("the model of a program is what its first container has; no store is opened (M63)")
  func program() throws {
    let sample = try Sample()
    let file = sample.path("App.roostlock")
    let store = sample.path("app.sqlite")
    let writer = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "CrashWriter").path(percentEncoded: false)
    let app = try sample.script("app", "exec '\(writer)' write sqlite '\(store)'")
    let locked = sample.roost("lock", "--program", app, "--file", file)
    #expect(locked.errors.isEmpty)
    #expect(locked.code == 0)
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(sample.roost("check", "--program", app, "--against", file).code == 0)
    #expect(sample.roost("diagram", file).output.contains("digraph model {"))
  }

  @Test("a program without a container, and one that does not end, are told")
  func noModel() throws {
    let sample = try Sample()
    let file = sample.path("App.roostlock")
    let app = try sample.script("app", "exit 3")
    let result = sample.roost("lock", "--program", app, "--file", file)
    #expect(result.code == 1)
    #expect(result.errors.contains("ended with 3 and has written no model"), "\(result.errors)")
    #expect(sample.roost("lock", "--program", sample.path("none"), "--file", file).code == 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    let endless = try sample.script("endless", "exec sleep 600")
    #expect(throws: (any Error).self) {
      try ProgramModel(patience: 0.1).model(ofProgram: endless)
    }
  }

  @Test(
    "words that do not go together are refused",
    arguments: [
      ["lock"], ["lock", "A.mom", "--product", "App"], ["check"],
      ["check", "--against", "A.roostlock"], ["check", "a.sqlite", "--except", "1"],
      ["check", "a.sqlite", "--product", "App"], ["check", "a.sqlite", "--allow-type-changes"],
      ["check", "A.mom", "--against", "A.roostlock", "--model", "B.mom"], ["check", "x:y"],
    ])
  func usage(words: [String]) throws {
    let sample = try Sample()
    let result = sample.run(words)
    #expect(result.code == 2, "\(result.errors)")
  }

  @Test("a lock file that is missing, damaged or edited is told")
  func damaged() throws {
    let sample = try Sample()
    let file = sample.path("HR.roostlock")
    let first = sample.versionPath("HR")
    #expect(sample.roost("check", first, "--against", file).code == 1)
    #expect(sample.roost("lock", first, "--file", file, "--release", "1.0").code == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try Data(text.replacing("\"joined\"", with: "\"entered\"").utf8).write(to: URL(filePath: file))
    for words in [["check", first, "--against", file], ["lock", first, "--file", file]] {
      let result = sample.run(words)
      #expect(result.code == 1)
      #expect(result.errors.contains("HR.roostlock"), "\(result.errors)")
    }
  }
}

extension Sample {
  /// Creates a shell script from lines.
  fileprivate func script(_ name: String, _ lines: String) throws -> String {
    let path = path(name)
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }
}
