// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostInMemory
import RoostModel
import RoostSQLite
import RoostStore

/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"
/// The type of in-memory stores.
public let NSInMemoryStoreType = "InMemory"
/// The type of binary stores: a file that each save rewrites completely. The file format is Roost's own, not Core
/// Data's.
public let NSBinaryStoreType = "Binary"
/// The type of Core Data's XML stores, which cannot be opened: a store of this type is refused.
public let NSXMLStoreType = "XML"

/// Whether the store is read-only.
public let NSReadOnlyPersistentStoreOption = StoreOption.readOnly
/// The maximum time that a request waits for a busy store, in seconds.
public let NSPersistentStoreTimeoutOption = StoreOption.timeout
/// A dictionary of pragmas by name.
public let NSSQLitePragmasOption = StoreOption.sqlitePragmas
/// Whether statistics are collected when the store is added.
public let NSSQLiteAnalyzeOption = StoreOption.sqliteAnalyze
/// Whether the file is compacted when the store is added.
public let NSSQLiteManualVacuumOption = StoreOption.sqliteManualVacuum
/// Whether version hashes are not compared.
public let NSIgnorePersistentStoreVersioningOption = StoreOption.ignoreVersioning
/// Whether a store of another model version is migrated.
public let NSMigratePersistentStoresAutomaticallyOption = StoreOption.migrateAutomatically
/// Whether the migration may be inferred.
public let NSInferMappingModelAutomaticallyOption = StoreOption.inferMappingModel
/// Whether a migration defers steps that only free space or make requests faster; in metadata, whether steps are
/// left.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  StoreOption.deferredLightweightMigration
/// The maximum number of connections of a store.
public let NSPersistentStoreConnectionPoolMaxSizeKey = StoreOption.connectionPoolMaxSize
/// Whether a store is destroyed or replaced even though it is locked.
public let NSPersistentStoreForceDestroyOption = StoreOption.forceDestroy
/// Whether transactions are recorded.
public let NSPersistentHistoryTrackingKey = StoreOption.historyTracking
/// Whether every write is announced.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  StoreOption.remoteChangeNotification

/// The store types by Core Data's names.
enum StoreTypeNames {
  /// Returns the type with a name.
  ///
  /// - Throws: `persistentStoreInvalidType` when there is none (B242).
  static func type(named name: String) throws -> PersistentStoreType {
    switch name {
    case NSSQLiteStoreType: return .sqlite
    case NSInMemoryStoreType: return .inMemory
    case NSBinaryStoreType: return .binary
    default: return try PersistentStoreCoordinator.registeredStoreType(named: name)
    }
  }

  /// Reads the metadata of a store, attached or not.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile` for a missing file, as in Core Data, or the error of the
  ///   store.
  static func metadata(
    of type: PersistentStoreType, at url: URL, options: [String: MetadataValue] = [:]
  ) throws -> StoreMetadata {
    try checkFile(at: url, of: type)
    return try PersistentStoreCoordinator.storedMetadata(of: type, at: url, options: options)
  }

  /// Throws for a missing file.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile`.
  static func checkFile(at url: URL?, of type: PersistentStoreType) throws {
    guard let url, url.isFileURL, type != .inMemory,
      !FileManager.default.fileExists(atPath: url.path)
    else { return }
    throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
  }

  /// Returns the metadata of a store of any type: Core Data's types are tried, and the registered ones.
  ///
  /// - Throws: The error of a SQLite store when no type recognises the file; `CocoaError` when it does not exist.
  static func storeMetadata(
    at url: URL
  ) throws -> (type: PersistentStoreType, metadata: StoreMetadata) {
    let registered = PersistentStoreCoordinator.registeredStoreTypes.sorted { $0.key < $1.key }
    for type in [.binary] + registered.map(\.value) where type != .sqlite && type != .inMemory {
      let found = try? PersistentStoreCoordinator.storedMetadata(of: type, at: url, options: [:])
      if let found { return (type, found) }
    }
    let type = PersistentStoreType.sqlite
    return (type, try metadata(of: type, at: url))
  }
}
