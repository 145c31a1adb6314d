// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of `roost lock --fixtures` and `roost check --fixtures`.
@Suite struct FixtureCommandTests {
  let sample: Sample
  let file: String
  let folder: String

  init() throws {
    sample = try Sample()
    file = sample.path("HR.roostlock")
    folder = sample.path("Fixtures")
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Locks a version of the sample's model, and checks it.
  private func lock(_ version: String, _ words: String...) -> (
    code: Int32, output: String, errors: String
  ) {
    sample.run(["lock", sample.versionPath(version), "--file", file] + words)
  }

  private func check(_ version: String, _ words: String...) -> (
    code: Int32, output: String, errors: String
  ) {
    let model = sample.versionPath(version)
    return sample.run(["check", model, "--against", file, "--fixtures", folder] + words)
  }

  @Test("a release gets a store of each type, which later versions are tried on (M67)")
  func fixtures() throws {
    let first = lock("HR", "--release", "1.0", "--fixtures", folder)
    #expect(first.errors.isEmpty)
    #expect(first.output.contains("  1.0.sqlite  made\n"), "\(first.output)")
    #expect(try names() == ["1.0.binary", "1.0.lmdb", "1.0.sqlite"])
    let bytes = try Data(contentsOf: URL(filePath: folder + "/1.0.sqlite"))
    let same = check("HR")
    #expect(same.code == 0, "\(same.errors)")

    let second = lock("HR 2", "--fixtures", folder)
    #expect(second.output.contains("  1.0.sqlite  is there, and was left as it is\n"))
    #expect(try names().count == 3)
    let result = check("HR 2")
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("nothing in them is wrong"))
    #expect(try Data(contentsOf: URL(filePath: folder + "/1.0.sqlite")) == bytes)
  }

  @Test("types can be chosen, and those that are in the folder are checked (M67)")
  func types() throws {
    let locked = lock("HR", "--release", "1.0", "--fixtures", folder, "--type", "sqlite")
    #expect(locked.code == 0)
    #expect(try names() == ["1.0.sqlite"])
    #expect(check("HR").code == 0)
    let missing = check("HR", "--type", "sqlite", "--type", "lmdb")
    #expect(missing.code == 1)
    #expect(missing.errors.contains("1.0.lmdb is missing"), "\(missing.errors)")
  }

  @Test("a lock file without a release has no stores to make (M67)")
  func noRelease() throws {
    let locked = lock("HR", "--fixtures", folder)
    #expect(locked.output.contains("No version is released"))
    #expect(try names().isEmpty)
  }

  @Test("a damaged store is told, and a release that the program migrates itself is left out (M67)")
  func damaged() throws {
    #expect(lock("HR", "--release", "1.0", "--fixtures", folder, "--type", "sqlite").code == 0)
    #expect(lock("HR 4").code == 0)
    #expect(check("HR 4").code == 1)
    let excepted = check("HR 4", "--except", "1.0")
    #expect(excepted.code == 0, "\(excepted.errors)")
    #expect(lock("HR 2").code == 0)
    try Data("nothing".utf8).write(to: URL(filePath: folder + "/1.0.sqlite"))
    let result = check("HR 2")
    #expect(result.code == 1)
    #expect(result.errors.contains("1.0.sqlite of version 1.0"), "\(result.errors)")
  }

  @Test("a folder that is missing, and words that do not go together, are refused (M67)")
  func usage() throws {
    #expect(lock("HR", "--release", "1.0").code == 0)
    let missing = check("HR")
    #expect(missing.code == 1)
    #expect(missing.errors.contains("There is no folder of fixtures"), "\(missing.errors)")
    for words in [
      ["check", "a.sqlite", "--fixtures", folder], ["lock", "A.mom", "--type", "sqlite"],
      ["check", "A.mom", "--against", file, "--type", "sqlite"],
      ["lock", "A.mom", "--fixtures", folder, "--type", "postgresql"],
      ["check", "a.sqlite", "--type", "sqlite"],
    ] {
      #expect(sample.run(words).code == 2, "\(words)")
    }
  }
}
