// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of `roost check`.
@Suite struct CheckTests {
  @Test("nothing is found in a store that is whole", arguments: SampleKind.here)
  func whole(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    #expect(result.code == 0)
    #expect(result.output.hasSuffix(": 7 records and 4 links read.\nNothing is wrong.\n"))
  }

  @Test("a reference and a link that lead nowhere are found")
  func dangling() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let names = try sample.names(of: store)
    let team = try #require(names["table/entity/Team"])
    let skill = try #require(names["table/entity/Skill"])
    try sample.execute("PRAGMA foreign_keys = OFF; DELETE FROM \(team)", on: store)
    try sample.execute("PRAGMA foreign_keys = OFF; DELETE FROM \(skill)", on: store)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.code == 1)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count { $0.contains(".team leads to Team/p") } == 2, "\(result.output)")
    #expect(lines.count { $0.contains(".skills leads to Skill/p") } == 2, "\(result.output)")
  }

  @Test("references to records of other stores are whole (X41)", arguments: SampleKind.here)
  func elsewhere(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStoreAcross(kind)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.code == 0, "\(result.output) \(result.errors)")
    #expect(result.output.contains("1 record and 1 link read"), "\(result.output)")
  }

  @Test("a reference to another store that the store does not list is found (X41)")
  func unlisted() throws {
    let sample = try Sample()
    let store = try sample.makeStoreAcross(.sqlite)
    try sample.execute("DELETE FROM _roost_foreign", on: store)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.code == 1)
    #expect(result.output.contains(".team leads to"), "\(result.output)")
    #expect(result.output.contains(".skills leads to"), "\(result.output)")
  }

  @Test("values that are there twice although they are unique are found")
  func duplicates() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let names = try sample.names(of: store)
    let table = try #require(names["table/entity/Person"])
    let column = try #require(
      names.first { $0.key.hasPrefix("column:") && $0.key.hasSuffix("/Person/email") })
    for index in names where index.key.hasPrefix("table/unique/") {
      try sample.execute("DROP INDEX \(index.value)", on: store)
    }
    try sample.execute("UPDATE \(table) SET \(column.value) = 'same'", on: store)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.code == 1)
    #expect(result.output.contains("have the same email, which are unique."), "\(result.output)")
  }

  @Test("long unique values that differ are not taken for one", arguments: SampleKind.here)
  func longUniqueValues(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let file = sample.path("Person.csv")
    let lines = (1...3).map { "P\($0),person-number-\($0)@example.org" }
    try Data((["name,email"] + lines).joined(separator: "\n").utf8).write(to: URL(filePath: file))
    #expect(sample.roost("import", store, file, "-m", sample.modelPath).code == 0)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.output.contains("Nothing is wrong."), "\(result.output)")
  }

  @Test("damaged pages of a file are found", arguments: [SampleKind.sqlite, .lmdb, .binary])
  func damage(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let url = URL(filePath: String(store.dropFirst(kind.rawValue.count + 1)))
    var bytes = try Data(contentsOf: url)
    // Damages all bytes after the first pages, which identify the file.
    for index in stride(from: min(8200, bytes.count / 2), to: bytes.count, by: 7) {
      bytes[index] ^= 0x5A
    }
    try bytes.write(to: url)
    let result = sample.roost("check", store, "-m", sample.modelPath)
    #expect(result.code == 1)
    #expect(!(result.output + result.errors).isEmpty)
  }
}

extension Sample {
  /// Returns the names of the tables and columns of a SQLite store, by their paths.
  func names(of address: String) throws -> [String: String] {
    try rows("SELECT path, identifier FROM _roost_names", of: address)
  }
}
