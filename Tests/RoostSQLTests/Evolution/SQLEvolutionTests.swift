// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore
import TestEvolution
import Testing

@Suite("The plan of an evolution") struct SQLEvolutionTests {
  private static let name = TestModel.Property.attribute("name", .string)

  /// Returns the plan of a migration from newly created tables of one version to another version.
  private func plan(
    _ before: TestModel, _ after: TestModel, dialect: SQLDialect = .sqlite, hides: Bool = false,
    forgetting path: String? = nil
  ) throws -> SQLEvolution {
    var metadata = StoreMetadata(storeType: "Test")
    metadata.entityCodes = before.codes
    let identity = StoreIdentity(identifier: metadata.identifier, type: "Test")
    let (change, _) = try before.change(to: after, metadata, identity)
    var names = SQLNames(lengthLimit: dialect.identifierLimit)
    let mapping = SQLSchema(change.source, dialect: dialect, names: &names)
    var catalog = SQLCatalog()
    for table in mapping.tables {
      catalog.columnsByTable[table.name] = mapping.columns(
        ofTable: table.name, madeBy: mapping.definition(table))
      for index in table.indexes {
        catalog.definitionsByIndex[index.name] = mapping.definition(
          index, on: table, isQualified: false)
      }
    }
    for table in mapping.linkTables {
      catalog.columnsByTable[table.name] = [:]
      catalog.definitionsByIndex[table.reverseIndex] = mapping.reverseDefinition(
        table, isQualified: false)
    }
    let kept = names.identifiers.filter { $0.key != path }
    return try SQLEvolution(
      change, names: SQLNames(kept, lengthLimit: dialect.identifierLimit), catalog: catalog,
      dialect: dialect, hidesFromReaders: hides)
  }

  private func statements(_ evolution: SQLEvolution) -> [String] {
    evolution.tasks.flatMap(\.statements)
  }

  @Test("to rename anything changes names alone")
  func renames() throws {
    let evolution = try plan(
      TestModel(
        .init(
          "Person", unique: [["name"]], indexes: [["name"]], Self.name,
          .many("friends", "Person")),
        .init("Child", parent: "Person", .attribute("toy", .string))),
      TestModel(
        .init(
          "Human", was: "Person", unique: [["title"]], indexes: [["title"]],
          .attribute("title", .string, was: "name"), .many("peers", "Human", was: "friends")),
        .init("Kid", was: "Child", parent: "Human", .attribute("toy", .string))), hides: true)
    #expect(statements(evolution) == [])
    #expect(
      evolution.tasks.map(\.title) == [
        "rename Person to Human", "rename Child to Kid", "rename Human.name to title",
      ])
    #expect(evolution.destination.tables.map(\.name) == ["Person"])
    #expect(evolution.destination.tables[0].columns.map(\.name) == ["name", "toy"])
    #expect(evolution.removedPaths.contains("column:Person/Person/name"))
    #expect(evolution.writtenNames.contains { $0.path == "column:Human/Human/title" })
  }

  @Test("a default is part of a definition only where it is read as the same value")
  func literals() throws {
    let evolution = try plan(
      TestModel(.init("Person")),
      TestModel(
        .init(
          "Person", .attribute("a", .integer64, value: -7), .attribute("b", .double, value: 0.1),
          .attribute("c", .double, value: 2.0), .attribute("d", .string, value: "it's"),
          .attribute("e", .string, value: "plain"), .attribute("f", .boolean, value: true),
          .attribute("g", .integer64, value: .integer(.min)), .attribute("h", .string))))
    let texts = statements(evolution)
    #expect(
      texts.filter { $0.contains(" DEFAULT ") }.map { $0.split(separator: "COLUMN ")[1] } == [
        "\"a\" INTEGER DEFAULT -7", "\"c\" REAL DEFAULT 2.0", "\"e\" TEXT DEFAULT 'plain'",
        "\"f\" INTEGER DEFAULT 1",
      ])
    #expect(texts.filter { $0.hasPrefix("UPDATE") }.count == 3)
  }

  @Test("PostgreSQL lets a column lose the default that old records have")
  func defaults() throws {
    let evolution = try plan(
      TestModel(.init("Person")),
      TestModel(.init("Person", .attribute("a", .boolean, value: true))),
      dialect: .postgreSQL)
    #expect(
      statements(evolution) == [
        "ALTER TABLE \"Person\" ADD COLUMN \"a\" boolean DEFAULT TRUE",
        "ALTER TABLE \"Person\" ALTER COLUMN \"a\" DROP DEFAULT",
      ])
  }

  private static let misread: [(hides: Bool, after: @Sendable () throws -> TestModel)] = [
    (false, { try TestModel(.init("Person", name, .attribute("new", .string))) }),
    (false, { try TestModel(.init("Person")) }),
    (true, { try TestModel(.init("Person", name), .init("Boss", parent: "Person")) }),
    (
      true,
      {
        try TestModel(.init("Person", .attribute("name", .string, isOptional: false, value: "x")))
      }
    ),
    (true, { try TestModel(.init("Person", .attribute("name", .uri))) }),
  ]

  @Test(
    "a table that the old version would misread gets another name (M34)",
    arguments: misread.indices)
  func hides(_ number: Int) throws {
    let (hides, after) = Self.misread[number]
    let evolution = try plan(TestModel(.init("Person", Self.name)), after(), hides: true)
    #expect(evolution.destination.tables[0].name == (hides ? "Person_2" : "Person"))
    #expect(
      statements(evolution).contains("ALTER TABLE \"Person\" RENAME TO \"Person_2\"") == hides)
    let open = try plan(TestModel(.init("Person", Self.name)), after())
    #expect(open.destination.tables[0].name == "Person")
  }

  @Test("what goes leaves its identifier behind (M34)")
  func retired() throws {
    let evolution = try plan(
      TestModel(.init("Person", Self.name), .init("Stone")), TestModel(.init("Person")))
    #expect(evolution.names.identifiers["column:Person//name"] == "name")
    #expect(evolution.names.identifiers["table//Stone"] == "Stone")
    var names = evolution.names
    let path = SQLNames.Path.column(table: "Person", entity: "Person", property: "name")
    #expect(names.identifier(for: path, suggestion: "name") == "name_2")
    #expect(names.identifier(for: .table(root: "Stone"), suggestion: "Stone") == "Stone_2")
  }

  @Test(
    "names that do not fit the model are damage (M53)",
    arguments: ["table/entity/Person", "column:Person/Person/name"])
  func damagedNames(_ path: String) throws {
    let before = try TestModel(.init("Person", Self.name))
    let error = #expect(throws: PersistenceError.self) {
      try plan(before, TestModel(.init("Person")), forgetting: path)
    }
    #expect(error?.code == .corruptStore)
  }

  @Test("planning again gives the same statements", arguments: EvolutionScenario.all)
  func stable(_ scenario: EvolutionScenario) throws {
    for dialect in [SQLDialect.sqlite, .postgreSQL] {
      let one = try plan(scenario.before(), scenario.after(), dialect: dialect, hides: true)
      let other = try plan(scenario.before(), scenario.after(), dialect: dialect, hides: true)
      #expect(statements(one) == statements(other))
      #expect(one.removedPaths == other.removedPaths)
      // The recorded names are all that the next opening needs.
      var names = SQLNames(one.names.identifiers, lengthLimit: 63)
      _ = SQLSchema(one.change.destination, dialect: dialect, names: &names)
      #expect(names.added.isEmpty)
    }
  }
}
