// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of `roost new-store`. `Scripts/new-store` checks that its output builds and passes the conformance kit.
@Suite struct NewStoreTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let exampleSources = root.appending(path: "Examples/Sources/SortedFile").path

  private func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
      .sorted()
  }

  @Test(
    "the store is that of the example, which is compiled and passes the conformance kit",
    // A copy of the package that was made for tests may lack the examples.
    .enabled(if: FileManager.default.fileExists(atPath: exampleSources)))
  func example() throws {
    let sample = try Sample()
    let folder = sample.path("SortedFile")
    let result = sample.roost("new-store", "SortedFile", "--folder", folder)
    #expect(result.code == 0, "\(result.errors)")
    let sources = Self.exampleSources
    let names = try files(in: sources)
    #expect(names.count == 5)
    #expect(try files(in: "\(folder)/Sources/SortedFile") == names)
    for name in names {
      let example = try String(contentsOfFile: "\(sources)/\(name)", encoding: .utf8)
      let made = try String(contentsOfFile: "\(folder)/Sources/SortedFile/\(name)", encoding: .utf8)
      // The example begins with its licence; generated files have none, because they belong to the author.
      #expect("// SPDX-License-Identifier: Apache-2.0\n\n" + made == example, "\(name)")
    }
  }

  @Test("every file has the names of the new package, and the path of Roost")
  func names() throws {
    let sample = try Sample()
    let folder = sample.path("My Store")
    let result = sample.roost(
      "new-store", "PlainFile", "--folder", folder, "--roost", "/src/\"Roost\"")
    #expect(result.code == 0, "\(result.errors)")
    let made = try files(in: folder)
    #expect(made.contains("Package.swift"))
    #expect(made.contains("Sources/PlainFile/PlainFileEngine.swift"))
    #expect(made.contains("Tests/PlainFileTests/ConformanceTests.swift"))
    for path in made {
      let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      #expect(!text.contains("{{") && !text.contains("SortedFile"), "\(path)")
      #expect(result.output.contains(path))
    }
    let manifest = try String(contentsOfFile: "\(folder)/Package.swift", encoding: .utf8)
    #expect(manifest.contains(#"path: "/src/\"Roost\"""#))
    let driver = try String(
      contentsOfFile: "\(folder)/Sources/PlainFile/PlainFileDriver.swift", encoding: .utf8)
    #expect(driver.contains("static func plainFile(at url: URL)"))
  }

  @Test(
    "names that cannot be those of a module are refused, and nothing is written",
    arguments: [
      "plainFile", "Plain File", "Plain-File", "1File", "../Up", "Näh", "", "Roost", "RoostX",
      "Foundation",
    ])
  func wrongNames(name: String) throws {
    let sample = try Sample()
    let folder = sample.path("new")
    let result = sample.roost("new-store", name, "--folder", folder)
    #expect(result.code == 2)
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test(
    "names whose types would hide those that the package uses are refused",
    arguments: [
      "KeyValue", "PersistentStore", "Data", "URL", "String", "Any", "Self", "Type", "Conformance",
      "Mutex", "Row", "StoreHarness", "Date", "Array", "XCTest",
    ])
  func takenNames(name: String) throws {
    let sample = try Sample()
    let folder = sample.path("new")
    let result = sample.roost("new-store", name, "--folder", folder)
    #expect(result.code == 2)
    #expect(result.errors.contains("take another"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test("nothing is overwritten")
  func overwriting() throws {
    let sample = try Sample()
    let folder = sample.path("full")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let note = "\(folder)/Package.swift"
    try Data("mine".utf8).write(to: URL(filePath: note))
    let result = sample.roost("new-store", "PlainFile", "--folder", folder)
    #expect(result.code == 1)
    #expect(result.errors.contains("already"))
    #expect(try String(contentsOfFile: note, encoding: .utf8) == "mine")
    #expect(try files(in: folder) == ["Package.swift"])
  }

  @Test("acronyms and words of the language become names that can be used")
  func variables() throws {
    let sample = try Sample()
    for (name, variable) in [
      ("JSONFile", "jsonFile"), ("CSV", "csv"), ("Default", "defaultStore"),
      ("Binary", "binaryStore"),
    ] {
      let folder = sample.path(name)
      #expect(sample.roost("new-store", name, "--folder", folder).code == 0)
      let driver = try String(
        contentsOfFile: "\(folder)/Sources/\(name)/\(name)Driver.swift", encoding: .utf8)
      #expect(driver.contains("static func \(variable)(at url: URL)"), "\(name)")
    }
  }
}
