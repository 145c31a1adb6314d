// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension SQLiteStore: StoreEvolution {
  package var evolution: (any StoreEvolution)? { self }

  package func storedModel() throws -> [UInt8]? {
    try translating { try readAsOpened(SQLiteFile.modelText) }
  }

  package func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try translating {
      try readAsOpened { connection in
        try connection.sortingOnDisk {
          try connection.reading {
            var evolution = try plan(change, inBatches: false, connection)
            if try SQLiteMigration.isLarge(evolution, self, connection) {
              evolution = try plan(change, inBatches: true, connection)
            }
            let session = SQLiteEvolutionSession(
              self, try PreparedSchema(evolution.destination), connection)
            return try connection.interruptible { try evolution.steps(session) }
          }
        }
      }
    }
  }

  package func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      let outcome = try pool.write(cancellation) { connection in
        try connection.sortingOnDisk {
          try SQLiteMigration(
            store: self, change: change, metadata: metadata, connection: connection
          ).run(reporter)
        }
      }
      guard let outcome else { return false }
      setEvolved(outcome.opened, metadata: outcome.metadata)
      remove(outcome.removals, reporter)
      return true
    }
  }

  /// Removes what the new version does not need any more. The version has changed, so what fails or is cancelled here
  /// stays in the metadata as left for later.
  private func remove(_ titles: [String], _ reporter: MigrationReporter) {
    guard !titles.isEmpty else { return }
    do {
      for title in titles { try reporter.begin(title) }
      while try finishDeferredStep(isEvolving: true) {}
    } catch {
      description.log?.remark(
        "The store was migrated, and what its new version does not need is still there: \(error)")
    }
  }

  /// Reads with the connection that opened the store: there may be no other one yet.
  private func readAsOpened<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try isReadOnly ? pool.read(cancellation, body) : pool.write(cancellation, body)
  }

  /// Plans an evolution.
  ///
  /// - Parameter inBatches: Whether it is to run in several transactions.
  func plan(
    _ change: SchemaChange, inBatches: Bool, _ connection: SQLiteConnection
  ) throws -> SQLEvolution {
    let dialect = dialect(connection)
    let names = SQLNames(
      try SQLiteFile.names(connection), lengthLimit: dialect.identifierLimit)
    var known = names
    let source = SQLSchema(change.source, dialect: dialect, names: &known)
    var catalog = try SQLCatalog(connection, source)
    if inBatches {
      // Indexes that it has built are left out of the plan, which is to be the same after a kill.
      let known = Set(names.identifiers.values)
      catalog.definitionsByIndex = catalog.definitionsByIndex.filter { known.contains($0.key) }
    }
    // Each reading is followed by a look at the number of the store's version, so no table needs to be hidden.
    return try SQLEvolution(
      change, names: names, catalog: catalog, dialect: dialect, hidesFromReaders: false,
      defers: description.evolution.defersLightweightMigration, inBatches: inBatches)
  }

  /// Refuses to begin what has no room: the log takes every page that is written, and the file grows by them at most.
  func checkSpace(for evolution: SQLEvolution, _ connection: SQLiteConnection) throws {
    guard let path = pool.location.path, evolution.presentTasks.contains(where: \.writes) else {
      return
    }
    let pages = try connection.number("PRAGMA page_count") ?? 0
    let size = try connection.number("PRAGMA page_size") ?? 0
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
    let needed = pages * size * 2
    // Records are counted only where the room can be too little.
    guard free < needed,
      try evolution.writesRecords(
        SQLiteEvolutionSession(self, try PreparedSchema(evolution.destination), connection))
    else { return }
    throw PersistenceError(
      .storeFull,
      "The migration can need \(needed >> 20) MB of the disk, and \(free >> 20) MB are free: make "
        + "room, and open the store again.")
  }
}

extension SQLiteConnection {
  /// Runs `body`, in which what is sorted and does not fit into the cache goes to a file without a name: all values of
  /// a column that is to be unique would be in memory otherwise.
  ///
  /// No transaction is open.
  func sortingOnDisk<Result>(_ body: () throws -> Result) throws -> Result {
    let place = try number("PRAGMA temp_store") ?? 2
    try execute("PRAGMA temp_store=FILE")
    defer { try? execute("PRAGMA temp_store=\(place)") }
    return try body()
  }
}
