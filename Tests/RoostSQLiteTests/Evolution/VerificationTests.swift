// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore
import TestEvolution
import Testing

@testable import RoostSQLite

@Suite("Comparing SQLite stores before and after a migration") struct VerificationTests {
  private static func before() throws -> TestModel {
    try TestModel(
      .init("Person", .attribute("name", .string), .attribute("note", .string)))
  }

  private static func after() throws -> TestModel {
    try TestModel(
      .init(
        "Person", .attribute("name", .string),
        .attribute("note", .string, isOptional: false, value: "none")))
  }

  /// Runs the statements of a migration and an additional one, and rolls everything back.
  private func outcome(
    _ verification: EvolutionPolicy.Verification, _ extra: String
  ) throws -> PersistenceError.Code? {
    let file = try EvolvingFile(Self.before())
    for number in 1...3 {
      try file.evolving.insert("Person", Int64(number), ["name": .string("n\(number)")])
    }
    let (change, _) = try file.evolving.change(to: Self.after())
    let store = try #require(file.evolving.store as? SQLiteStore)
    do {
      try store.pool.write(nil) { connection in
        try connection.writing {
          let dialect = store.dialect(connection)
          var names = SQLNames(
            try SQLiteFile.names(connection), lengthLimit: dialect.identifierLimit)
          let source = SQLSchema(change.source, dialect: dialect, names: &names)
          let evolution = try SQLEvolution(
            change, names: names, catalog: try SQLCatalog(connection, source), dialect: dialect,
            hidesFromReaders: false)
          func session(_ schema: SQLSchema) throws -> TamperingSession {
            TamperingSession(
              base: SQLiteEvolutionSession(store, try PreparedSchema(schema), connection),
              extra: extra)
          }
          try evolution.run(
            session(evolution.destination), reading: session(evolution.source),
            verify: verification, MigrationReporter())
          throw CancellationError()
        }
      }
      return nil
    } catch is CancellationError {
      return nil
    } catch let error as PersistenceError {
      return error.code
    }
  }

  @Test("a migration that loses a record is taken back (M57)")
  func lost() throws {
    let statement = "DELETE FROM \"Person\" WHERE \"name\" = 'n2'"
    #expect(try outcome(.counts, statement) == .migration)
    #expect(try outcome(.checksums, statement) == .migration)
    #expect(try outcome(.off, statement) == nil)
  }

  @Test("a migration that changes a value is taken back where checksums are compared (M57)")
  func changed() throws {
    let statement = "UPDATE \"Person\" SET \"name\" = 'n4' WHERE \"name\" = 'n2'"
    #expect(try outcome(.counts, statement) == nil)
    #expect(try outcome(.checksums, statement) == .migration)
  }

  @Test("a migration that does it right passes every comparison (M57)")
  func right() throws {
    let statement = "UPDATE \"Person\" SET \"name\" = \"name\""
    #expect(try outcome(.counts, statement) == nil)
    #expect(try outcome(.checksums, statement) == nil)
  }
}

/// A session that runs an additional statement with the first one that writes.
private final class TamperingSession: SQLEvolutionSession {
  private let base: SQLiteEvolutionSession
  private var extra: String?

  init(base: SQLiteEvolutionSession, extra: String) {
    self.base = base
    self.extra = extra
  }

  func define(_ statement: String) throws { try base.define(statement) }
  func remove(_ statement: String) throws -> Bool { try base.remove(statement) }

  func write(_ statement: String, _ values: [SQLValue]) throws -> Int {
    let count = try base.write(statement, values)
    if let extra { _ = try base.write(extra, []) }
    extra = nil
    return count
  }

  func read(_ statement: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
    try base.read(statement, values)
  }

  func write(_ rows: [Row], _ slots: [RowSlot], of entity: SQLEntity) throws {
    try base.write(rows, slots, of: entity)
  }

  func rows(forKeys keys: [Int64]) throws -> [Row] { try base.rows(forKeys: keys) }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try base.destinations(of: relationship, forSources: sources)
  }
}
