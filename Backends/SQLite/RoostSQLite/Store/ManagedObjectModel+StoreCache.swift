// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostQuery
import RoostStore

extension ManagedObjectModel {
  /// Reads the model that Core Data keeps in each of its SQLite stores: the model that the store was last written
  /// with, for when the model's file does not exist any more.
  ///
  /// Such a model has no version identifiers, and can be edited until it is used. The file is read and never written.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(storeCacheOf: URL(filePath: "Recipes.sqlite"))
  /// print(model.entities.compactMap(\.name))
  /// ```
  /// - Parameter url: The file of a SQLite store that Core Data wrote.
  /// - Throws: ``PersistenceError`` with code `persistentStoreTypeMismatch` for a file that is not a store of Core
  ///   Data; `persistentStoreOpen` when it cannot be read; `corruptStore` when it contains no model, or a truncated or
  ///   damaged one; `invalidModel` when the model has faults; `limitExceeded`.
  /// - Complexity: Two queries, whatever is stored.
  public convenience init(storeCacheOf url: URL) throws {
    try self.init(
      storeCache: try StoreCache.content(of: url), name: "\(url.lastPathComponent)'s model")
  }
}

/// The table in which Core Data keeps the model of a store.
private enum StoreCache {
  static func content(of url: URL) throws -> [UInt8] {
    var description = PersistentStoreDescription.sqlite(at: url)
    description.isReadOnly = true
    return try SQLiteDriver().translating(description) {
      let location = try SQLiteLocation(url)
      guard location.fileIdentity() != nil else {
        throw PersistenceError(.persistentStoreOpen, "There is no file at \(url.path).")
      }
      try location.requireFile()
      let connection = try SQLiteConnection(
        location, access: .readOnly, timeout: description.timeout)
      guard try SQLiteFile.isCoreDataStore(connection) else {
        throw PersistenceError(
          .persistentStoreTypeMismatch, "The file is no SQLite store of Core Data's.")
      }
      return try content(connection)
    }
  }

  private static func content(_ connection: SQLiteConnection) throws -> [UInt8] {
    let isThere = try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE'")
    guard isThere == 1 else { throw missing }
    return try connection.withStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") { statement in
      guard try statement.step(), !statement.blobBytes(0).isEmpty else { throw missing }
      return Array(statement.blobBytes(0))
    }
  }

  private static let missing = PersistenceError(
    .corruptStore, "The store keeps no model: read that of the program that wrote it.")
}
