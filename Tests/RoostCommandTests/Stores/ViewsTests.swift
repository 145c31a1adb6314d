// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of `roost views`.
@Suite struct ViewsTests {
  private static let sqlKinds = SampleKind.here.filter { $0 == .sqlite || $0 == .postgresql }

  /// The options for views that no other test has.
  private func options(_ kind: SampleKind) -> [String] {
    kind == .postgresql ? ["--schema", "views_\(UUID().uuidString)"] : ["--prefix", "x_"]
  }

  @Test("the views are printed, made, made again and removed", arguments: sqlKinds)
  func all(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let options = options(kind)
    let printed = sample.run(["views", store] + options)
    #expect(printed.code == 0, "\(printed.errors)")
    #expect(printed.output.contains("CREATE VIEW"))
    #expect(printed.output.hasSuffix(";\n"))
    #expect(sample.run(["views", store, "--drop"] + options).output == "0 views removed.\n")
    for _ in 0..<2 {
      let made = sample.run(["views", store, "--write"] + options)
      #expect(made.code == 0, "\(made.errors)")
      #expect(made.output.hasSuffix("\n5 views made.\n"), "\(made.output)")
      for name in ["Manager\"", "Person\"", "Person_skills\"", "Skill\"", "Team\""] {
        #expect(made.output.contains(name), "\(name)")
      }
    }
    // Neither reading nor writing minds the views.
    let checked = sample.roost("check", store, "-m", sample.modelPath)
    #expect(checked.output.hasSuffix("Nothing is wrong.\n"), "\(checked.output)\(checked.errors)")
    #expect(sample.roost("count", store, "Person").output == "4\n")
    let copy = sample.path("copy.sqlite")
    #expect(sample.roost("copy", store, "sqlite:\(copy)").code == 0)
    let to = sample.versionPath("HR 3")
    let migrated = sample.roost("migrate", store, "--to", to, "--allow-loss")
    #expect(migrated.code == 0, "\(migrated.errors)")
    let removed = sample.run(["views", store, "--drop"] + options)
    #expect(removed.output.hasSuffix("\n5 views removed.\n"), "\(removed.output)\(removed.errors)")
  }

  @Test("another program reads the views of a file")
  func reading() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    #expect(sample.roost("views", store, "--write").code == 0)
    #expect(
      try sample.rows("SELECT name, entity FROM v_Person", of: store) == [
        "Ada": "Person", "Bob \"the, builder\"": "Person", "Zoë": "Person", "Margaret": "Manager",
      ])
    #expect(
      try sample.rows("SELECT name, joined FROM v_Person WHERE joined IS NOT NULL", of: store)
        == ["Ada": "2001-01-01T00:00:00.000Z"])
    #expect(
      try sample.rows(
        "SELECT p.name, t.name FROM v_Person AS p JOIN v_Team AS t ON t.id = p.team_id", of: store)
        == ["Ada": "Engines", "Bob \"the, builder\"": "Engines"])
    #expect(
      try sample.rows(
        """
        SELECT p.name, s.title FROM v_Person_skills AS l JOIN v_Person AS p ON p.id = l.Person_id \
        JOIN v_Skill AS s ON s.id = l.skills_id
        """, of: store) == ["Ada": "Swift", "Margaret": "Swift"])
  }

  @Test("a store without SQL is refused", arguments: [SampleKind.lmdb, .binary])
  func refused(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    for words in [[], ["--write"], ["--drop"]] {
      let result = sample.run(["views", store, "-m", sample.modelPath] + words)
      #expect(result.code == 1)
      #expect(result.output.isEmpty)
      #expect(result.errors.contains("only SQLite files and PostgreSQL stores have views"))
    }
  }

  @Test("options that exclude each other, or are of the other database, are refused")
  func usage() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    for words in [["--write", "--drop"], ["--schema", "x"]] {
      let result = sample.run(["views", store] + words)
      #expect(result.code == 2)
      #expect(result.output.isEmpty)
    }
    let prefix = sample.run(["views", store, "--prefix", "a b"])
    #expect(prefix.code == 1)
    #expect(prefix.errors.contains("letters, digits and underscores"))
    #expect(sample.roost("views", sample.path("none.sqlite")).code == 1)
  }
}
