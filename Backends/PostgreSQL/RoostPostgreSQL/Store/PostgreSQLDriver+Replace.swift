// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLDriver {
  /// Copies one store over another, or to where there is none (B240), on one server or from one to another. The old
  /// store goes and the copy comes in one transaction: whatever fails, one of them is there.
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
        // Copies that each hold one session of a pool while they wait for another could wait for each other for ever.
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

  /// Makes a store of `layout`, in place of the one that may be there, in one transaction.
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
      // Half a copy is none, and what was there before stays.
      try? output.rollBack()
      throw error
    }
  }
}

extension PostgreSQLDriver: SecondPlaceDriver {
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

  /// The store has other contents than when its mark was taken.
  private struct WrittenMeanwhile: Error {}

  /// Waits for the saves that are under way, keeps further ones waiting, and compares.
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
