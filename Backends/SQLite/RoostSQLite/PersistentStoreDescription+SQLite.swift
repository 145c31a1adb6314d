// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostStore

extension PersistentStoreType {
  /// Stores in SQLite files.
  public static let sqlite = PersistentStoreType(rawValue: "sqlite", driver: SQLiteDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in a SQLite file, which is made if it is missing.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "HR", model: model, stores: [.sqlite(at: "hr.sqlite")])
  /// ```
  ///
  /// - Parameter path: The path of the file, absolute or from the current folder; every character stands for itself.
  ///   `/dev/null` is a store in memory.
  public static func sqlite(at path: String) -> PersistentStoreDescription {
    sqlite(at: URL(filePath: path))
  }

  /// Describes a store in a SQLite file, which is made if it is missing.
  ///
  /// - Parameter url: The URL of the file; `/dev/null` is a store in memory.
  public static func sqlite(at url: URL) -> PersistentStoreDescription {
    PersistentStoreDescription(type: .sqlite, url: url)
  }
}
