// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLDriver {
  /// Copies one store over another, or to a new place (B240), on one server or from one to another. The old store is
  /// removed and the copy created in one transaction: if it fails, the old one remains.
  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try replace(destination, with: source, mark: nil)
  }

  private func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    mark: String?
  ) throws {
    let from = try PostgreSQLDriver.driver(of: source).settings(source)
    let to = try settings(destination)
    try translating(destination) {
      let input = try Self.connect(from, source, isReadOnly: true)
      guard case .store = try input.namespace.state(input) else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      try input.namespace.check(input)
      guard PostgreSQLURI.place(from) != PostgreSQLURI.place(to) else {
        throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
      }
      _ = try input.run([.beginReading]).get()
      let layout = try StoreLayout(input)
      if from.pooler != .none, to.pooler != .none {
        // Two copies that each hold one session of a pool and wait for another would deadlock.
        let spool = try RowSpool()
        for table in layout.tables + layout.ownTables {
          try spool.write(table.name) { put in try table.read(input, put) }
        }
        try input.run(.commit)
        try replace(destination, at: to, layout, mark) { table in
          { put in try spool.read(table.name, put) }
        }
      } else {
        try replace(destination, at: to, layout, mark) { table in
          { put in try table.read(input, put) }
        }
        try input.run(.commit)
      }
    }
  }

  private static func driver(of description: PersistentStoreDescription) -> PostgreSQLDriver {
    description.type.driver as? PostgreSQLDriver ?? PostgreSQLDriver()
  }

  /// Creates a store of `layout`, in place of an existing one, in one transaction.
  private func replace(
    _ destination: PersistentStoreDescription, at settings: PostgreSQLSettings,
    _ layout: StoreLayout, _ mark: String?, rows: StoreLayout.Rows
  ) throws {
    let output = try Self.connect(settings, destination)
    do {
      let namespace = output.namespace
      _ = try output.run([.begin, try namespace.makingLock()]).get()
      switch try namespace.state(output) {
      case .empty: break
      case .store, .foreign:
        try namespace.check(output)
        if let mark { try Self.requireUnchanged(since: mark, output) }
        try Self.remove(destination, output)
      }
      try namespace.fill(output)
      try layout.make(output, rows: rows)
      try output.run(.commit)
    } catch {
      // A partial copy is rolled back, and the earlier store stays.
      try? output.rollBack()
      throw error
    }
  }
}

extension PostgreSQLDriver: StagingLocationDriver {
  /// The schema `NAME__next` of the same database.
  package func secondPlace(
    of description: PersistentStoreDescription
  ) throws -> PersistentStoreDescription {
    var settings = try settings(description)
    settings.schema += "__next"
    try settings.check()
    var result = PersistentStoreDescription(settings, configuration: description.configuration)
    result.timeout = description.timeout
    result.options = description.options
    result.evolution = description.evolution
    return result
  }

  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    ifUnchangedSince mark: String
  ) throws -> Bool {
    do {
      try replace(destination, with: source, mark: mark)
      return true
    } catch is WrittenMeanwhile {
      return false
    }
  }

  /// The contents of the store have changed since its mark was taken.
  private struct WrittenMeanwhile: Error {}

  /// Waits for the saves in progress, blocks further ones, and compares the mark.
  private static func requireUnchanged(
    since mark: String, _ connection: PostgreSQLConnection
  ) throws {
    let namespace = connection.namespace
    let results = try connection.run([
      .once("LOCK TABLE \(namespace.commitsTable) IN ACCESS EXCLUSIVE MODE"),
      namespace.readingChangeMark,
    ]).get()
    guard results[1].text() ?? "" == mark else { throw WrittenMeanwhile() }
  }

  package func lockMigration(
    of description: PersistentStoreDescription, for use: StoreMigrationUse
  ) throws -> any StoreMigrationLock {
    let settings = try settings(description)
    return try translating(description) {
      try SessionMigrationLock(
        Self.connect(settings, description), for: use, timeout: description.timeout)
    }
  }
}
