// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Everything is one transaction that has the right to write: killed anywhere, the file is of the old version or of the
// new one, and who reads meanwhile goes on in the log's older state.
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
            let evolution = try plan(change, connection)
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
      return try pool.write(cancellation) { connection in
        let evolved = try connection.sortingOnDisk {
          try connection.writing { try evolve(change, to: metadata, reporter, connection) }
        }
        guard let evolved else { return false }
        setEvolved(evolved.0, metadata: evolved.1)
        return true
      }
    }
  }

  /// Does everything in the open transaction.
  ///
  /// - Returns: nil when the store is no longer what it was.
  private func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, _ reporter: MigrationReporter,
    _ connection: SQLiteConnection
  ) throws -> (OpenedState, StoreMetadata)? {
    let opened = try SQLiteFile.opening(connection)
    guard opened.format == self.opened.format else { return nil }
    let stored = try SQLiteFile.metadata(in: opened.text)
    guard stored.isSame(as: change.metadata) else { return nil }
    var metadata = metadata
    metadata.userValues = stored.userValues
    // A part is kept as the old version has its records.
    connection.keepsPrepared = opened.format.version >= PreparedTables.formatVersion
    if let part = try PreparedTables.parts(connection).first {
      throw part.inDoubt(in: identity.identifier)
    }
    let evolution = try plan(change, connection)
    try checkLimits(evolution.destination, connection)
    try checkSpace(for: evolution, connection)
    do {
      func session(_ schema: SQLSchema) throws -> SQLiteEvolutionSession {
        SQLiteEvolutionSession(self, try PreparedSchema(schema), connection)
      }
      try connection.interruptible {
        try evolution.run(
          session(evolution.destination), reading: session(evolution.source),
          verify: description.evolution.verify, reporter)
      }
    } catch let error as SQLiteError where error.isUniquenessViolation {
      throw evolution.destination.uniquenessError(error) { _, definition in
        definition == error.statement
      }
    }
    return try finish(evolution, opened, metadata, connection)
  }

  private func finish(
    _ evolution: SQLEvolution, _ opened: OpenedState, _ metadata: StoreMetadata,
    _ connection: SQLiteConnection
  ) throws -> (OpenedState, StoreMetadata) {
    try SQLiteFile.writeNames(of: evolution, connection)
    var metadata = metadata
    metadata.setDeferredSteps(evolution.deferredSteps)
    let text = try SQLiteFile.writeMetadata(metadata, connection)
    if metadata.keepsModel == true {
      try SQLiteFile.writeModelText(
        of: evolution.change.destination, checksum: metadata.versionChecksum, connection)
    }
    let format = opened.format.next
    try SQLiteFile.writeFormat(format, connection)
    return (OpenedState(text: text, format: format), metadata)
  }

  /// Reads with the connection that opened the store: there may be no other one yet.
  private func readAsOpened<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try isReadOnly ? pool.read(cancellation, body) : pool.write(cancellation, body)
  }

  private func plan(
    _ change: SchemaChange, _ connection: SQLiteConnection
  ) throws -> SQLEvolution {
    let dialect = dialect(connection)
    let names = SQLNames(
      try SQLiteFile.names(connection), lengthLimit: dialect.identifierLimit)
    var known = names
    let source = SQLSchema(change.source, dialect: dialect, names: &known)
    // Each reading is followed by a look at the number of the store's version, so no table needs to be hidden.
    return try SQLEvolution(
      change, names: names, catalog: try SQLCatalog(connection, source), dialect: dialect,
      hidesFromReaders: false, defers: description.evolution.defersLightweightMigration)
  }

  /// Refuses to begin what has no room: the log takes every page that is written, and the file grows by them at most.
  private func checkSpace(for evolution: SQLEvolution, _ connection: SQLiteConnection) throws {
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
