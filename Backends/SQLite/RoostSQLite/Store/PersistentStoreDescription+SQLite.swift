// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostStore

extension PersistentStoreType {
  /// Stores in SQLite files.
  public static let sqlite = PersistentStoreType(rawValue: "SQLite", driver: SQLiteDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in a SQLite file, which is created if it is missing.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "HR", model: model, stores: [.sqlite(at: "hr.sqlite")])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the file, absolute or relative to the current folder; no character has a special meaning.
  ///     `/dev/null` is a store in memory.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public static func sqlite(
    at path: String, configuration: String? = nil
  ) -> PersistentStoreDescription {
    sqlite(at: URL(filePath: path), configuration: configuration)
  }

  /// Describes a store in a SQLite file, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - url: The URL of the file; `/dev/null` is a store in memory.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public static func sqlite(
    at url: URL, configuration: String? = nil
  ) -> PersistentStoreDescription {
    PersistentStoreDescription(type: .sqlite, url: url, configuration: configuration)
  }
}
