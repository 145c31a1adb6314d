// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
package import RoostStore

/// Opens SQLite stores, and does what concerns a file that is not open.
package struct SQLiteDriver: MetadataChangingDriver {
  package var optionNames: Set<String>? {
    [
      StoreOption.sqlitePragmas, StoreOption.sqliteAnalyze, StoreOption.sqliteManualVacuum,
      StoreOption.connectionPoolMaxSize,
    ]
  }

  package init() {}

  package func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try translating(description) {
      let location = try SQLiteLocation(description.url)
      let pool = try ConnectionPool(location, settings: ConnectionSettings(description))
      let opened = try pool.readFirst(SQLiteFile.opening)
      return SQLiteStore(
        description, pool: pool, metadata: try SQLiteFile.metadata(in: opened.text),
        opened: opened)
    }
  }

  package func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try translating(description) {
      let location = try SQLiteLocation(description.url)
      guard location.fileIdentity() != nil else { return nil }
      try location.requireFile()
      var readOnly = description
      readOnly.isReadOnly = true
      do {
        let connection = try ConnectionSettings(readOnly).openReader(location)
        return try SQLiteFile.metadata(connection)
      } catch is SQLiteEmptyFile {
        return nil
      }
    }
  }

  package func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    try translating(description) {
      let location = try SQLiteLocation(description.url)
      guard location.fileIdentity() != nil else {
        throw PersistenceError(
          .persistentStoreOpen, "There is no store whose metadata could be set.")
      }
      guard !description.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is described as read-only.")
      }
      let connection = try SQLiteConnection(
        location, access: .readWrite, timeout: description.timeout)
      try SQLiteFile.check(connection)
      try connection.writing {
        let metadata = try SQLiteFile.metadata(connection).changed(by: change)
        try SQLiteFile.writeMetadata(metadata, connection)
      }
    }
  }

  /// Runs `body` and maps the engine's errors to `PersistenceError`.
  func translating<Result>(
    _ description: PersistentStoreDescription, _ body: () throws -> Result
  ) throws -> Result {
    try translatingErrors(store: description.url?.lastPathComponent, body)
  }
}
