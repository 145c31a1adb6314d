// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// The identification of Roost's database files, and their tables that do not depend on a model.
enum SQLiteFile {
  /// `Roos` in ASCII, the value of `PRAGMA application_id`.
  static let applicationID: Int64 = 0x526F_6F73
  /// The store type in the metadata.
  static let storeType = "SQLite"
  /// The version of the tables below.
  static let formatVersion: Int64 = 1
  /// The newest known version: that of a file that has taken part in saves over several stores, or refers to records
  /// of other stores. A Roost that does not know of either would lose them, and refuses the file.
  static let newestFormatVersion: Int64 = 2

  /// The tables that every store has.
  static let tables = ["_roost_metadata", "_roost_sequence", "_roost_names"]

  /// Initialises an empty file.
  static func make(_ connection: SQLiteConnection) throws {
    try connection.writing {
      // Another process may have been faster.
      if try isEmpty(connection) { try fill(connection) }
    }
  }

  /// Returns the application ID of a file; 0 for a file without one.
  static func application(_ connection: SQLiteConnection) throws -> Int64? {
    try connection.number("PRAGMA application_id")
  }

  /// Checks that a file is Roost's, in a version that this code knows. Writes nothing.
  ///
  /// - Throws: `SQLiteEmptyFile` for an empty database.
  static func check(_ connection: SQLiteConnection) throws {
    try requireMark(connection) { throw SQLiteEmptyFile() }
  }

  /// Checks that a file is Roost's, after an empty one was initialised.
  ///
  /// - Parameter fill: Called for an empty file; another process may be faster.
  static func requireMark(_ connection: SQLiteConnection, filling fill: () throws -> Void) throws {
    var application = try application(connection)
    if application == 0 {
      if try isEmpty(connection) { try fill() }
      // The file may have been initialised since the first check.
      application = try self.application(connection)
    }
    try check(connection, of: application)
  }

  private static func check(_ connection: SQLiteConnection, of application: Int64?) throws {
    if application != applicationID, try isCoreDataStore(connection) {
      throw PersistenceError(
        .persistentStoreTypeMismatch,
        "The file is a store of Core Data's, which has another format, and is left as it is. No "
          + "product of this version opens it.")
    }
    guard application == applicationID else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The file is a SQLite database of another program.")
    }
    guard let number = try connection.number("PRAGMA user_version"),
      StoreFormat(number).version <= newestFormatVersion
    else {
      throw PersistenceError(.persistentStoreOpen, "The file was written by a newer Roost.")
    }
  }

  /// Returns whether a file is a SQLite store of Core Data, by its tables.
  static func isCoreDataStore(_ connection: SQLiteConnection) throws -> Bool {
    try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY')") == 2
  }

  /// Returns whether a file is new: a database without a schema and without marks (B322).
  static func isEmpty(_ connection: SQLiteConnection) throws -> Bool {
    try application(connection) == 0
      && connection.number("PRAGMA user_version") == 0
      && connection.number("SELECT count(*) FROM sqlite_schema") == 0
  }

  private static func fill(_ connection: SQLiteConnection) throws {
    try connection.execute("PRAGMA application_id=\(applicationID)")
    try connection.execute("PRAGMA user_version=\(formatVersion)")
    try connection.execute(
      "CREATE TABLE _roost_metadata (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT) STRICT")
    try connection.execute(
      "CREATE TABLE _roost_sequence (id INTEGER PRIMARY KEY CHECK (id = 1), next INTEGER) STRICT")
    try connection.execute(
      "CREATE TABLE _roost_names (path TEXT PRIMARY KEY, identifier TEXT) WITHOUT ROWID, STRICT")
    try connection.run("INSERT INTO _roost_sequence VALUES (1, 1)")
    try writeMetadata(StoreMetadata(storeType: storeType), connection)
  }
}

/// The state of a store as it was read when the store was opened.
struct OpenedState: Equatable, Sendable {
  /// The metadata.
  var text: String
  /// The version of the store's own tables, and the number of migrations of the store.
  var format: StoreFormat
}

/// Thrown when the file exists, but holds no store yet.
struct SQLiteEmptyFile: Error {}

// MARK: - Metadata

extension SQLiteFile {
  /// Reads the metadata.
  static func metadata(_ connection: SQLiteConnection) throws -> StoreMetadata {
    try metadata(in: metadataText(connection))
  }

  /// Reads the metadata as text.
  static func metadataText(_ connection: SQLiteConnection) throws -> String {
    guard let json = try connection.text("SELECT json FROM _roost_metadata") else {
      throw PersistenceError(.corruptStore, "The store's metadata is missing.")
    }
    return json
  }

  /// Reads the metadata as text, and the format number, which tells whether the store was migrated since.
  static func opening(_ connection: SQLiteConnection) throws -> OpenedState {
    let query =
      "SELECT json, (SELECT user_version FROM pragma_user_version) FROM _roost_metadata"
    return try connection.withStatement(query) { statement in
      guard try statement.step(), !statement.isNull(0), let json = statement.string(0) else {
        throw PersistenceError(.corruptStore, "The store's metadata is missing.")
      }
      return OpenedState(text: json, format: StoreFormat(statement.integer(1)))
    }
  }

  /// The statement that reads the format number. SQLite stores it in the page that every transaction reads anyway.
  static let readingFormat = "PRAGMA user_version"

  /// Writes the format number, as part of the open transaction.
  static func writeFormat(_ format: StoreFormat, _ connection: SQLiteConnection) throws {
    try connection.execute("PRAGMA user_version=\(format.number)")
  }

  /// Decodes the metadata.
  static func metadata(in json: String) throws -> StoreMetadata {
    let metadata = try StoreMetadata(json: Data(json.utf8))
    guard metadata.storeType == storeType else {
      throw PersistenceError(.persistentStoreTypeMismatch, "The file holds another type of store.")
    }
    return metadata
  }

  /// Writes the metadata, as part of the open transaction.
  ///
  /// - Returns: The text that was written.
  @discardableResult
  static func writeMetadata(
    _ metadata: StoreMetadata, _ connection: SQLiteConnection
  ) throws -> String {
    let json = String(decoding: try metadata.json(), as: UTF8.self)
    try connection.run(
      "INSERT INTO _roost_metadata VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET json = ?1",
      [.text(json)])
    return json
  }
}
