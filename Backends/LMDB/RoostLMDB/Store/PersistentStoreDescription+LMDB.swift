// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreType {
  /// Stores in LMDB files: ordered tables in one file that is mapped into memory, read without copies and without
  /// locks.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .lmdb, at: url)
  /// ```
  public static let lmdb = PersistentStoreType(
    rawValue: LMDBStoreType.name, driver: LMDBDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in an LMDB file, which is created if it is missing. LMDB keeps its lock file beside it, under
  /// the same name with `-lock`.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "HR", model: model, stores: [.lmdb(at: "hr.lmdb")])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the file, absolute or relative to the current folder; no character is special.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - durability: The durability of an acknowledged save.
  ///   - maximumSize: The most bytes that the file may grow to; nil for no limit. A save that needs more throws
  ///     `storeFull`.
  public static func lmdb(
    at path: String, configuration: String? = nil, durability: LMDBDurability = .powerLoss,
    maximumSize: Int64? = nil
  ) -> PersistentStoreDescription {
    lmdb(
      at: URL(filePath: path), configuration: configuration, durability: durability,
      maximumSize: maximumSize)
  }

  /// Describes a store in an LMDB file, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - durability: The durability of an acknowledged save.
  ///   - maximumSize: The most bytes that the file may grow to; nil for no limit.
  public static func lmdb(
    at url: URL, configuration: String? = nil, durability: LMDBDurability = .powerLoss,
    maximumSize: Int64? = nil
  ) -> PersistentStoreDescription {
    var description = PersistentStoreDescription(
      type: .lmdb, url: url, configuration: configuration)
    if durability != .powerLoss {
      description.options[LMDBOption.durability] = .string(durability.rawValue)
    }
    if let maximumSize { description.options[LMDBOption.maximumSize] = .integer(maximumSize) }
    return description
  }
}
