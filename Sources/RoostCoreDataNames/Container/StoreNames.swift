// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostInMemory
import RoostModel
import RoostSQLite
import RoostStore

/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores in memory.
public let NSInMemoryStoreType = "InMemory"
/// The type of binary stores: a file that each save writes as a whole. The file is Roost's own, not Core Data's.
public let NSBinaryStoreType = "Binary"
/// The type of Core Data's XML stores, which cannot be opened: a store of this type is refused.
public let NSXMLStoreType = "XML"

/// Whether the store refuses to be written.
public let NSReadOnlyPersistentStoreOption = StoreOption.readOnly
/// How many seconds a request waits for a busy store.
public let NSPersistentStoreTimeoutOption = StoreOption.timeout
/// A dictionary of pragmas by name.
public let NSSQLitePragmasOption = StoreOption.sqlitePragmas
/// Whether statistics are collected when the store is added.
public let NSSQLiteAnalyzeOption = StoreOption.sqliteAnalyze
/// Whether the file is compacted when the store is added.
public let NSSQLiteManualVacuumOption = StoreOption.sqliteManualVacuum
/// Whether the comparison of version hashes is left out.
public let NSIgnorePersistentStoreVersioningOption = StoreOption.ignoreVersioning
/// Whether a store of another model version is migrated.
public let NSMigratePersistentStoresAutomaticallyOption = StoreOption.migrateAutomatically
/// Whether the migration may be inferred.
public let NSInferMappingModelAutomaticallyOption = StoreOption.inferMappingModel
/// Whether a migration leaves for later what only frees space or makes requests faster; in metadata, whether something
/// is left.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  StoreOption.deferredLightweightMigration
/// How many connections a store may open.
public let NSPersistentStoreConnectionPoolMaxSizeKey = StoreOption.connectionPoolMaxSize
/// Whether a store is destroyed or replaced even though it is locked.
public let NSPersistentStoreForceDestroyOption = StoreOption.forceDestroy
/// Whether transactions are recorded.
public let NSPersistentHistoryTrackingKey = StoreOption.historyTracking
/// Whether every write is announced.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  StoreOption.remoteChangeNotification

/// The types that Core Data's names stand for.
enum StoreTypeNames {
  /// The type of a name.
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

  /// Reads the metadata of a store that need not be attached.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile` for a file that is not there, as in Core Data, and what the
  ///   store throws.
  static func metadata(
    of type: PersistentStoreType, at url: URL, options: [String: MetadataValue] = [:]
  ) throws -> StoreMetadata {
    try checkFile(at: url, of: type)
    return try PersistentStoreCoordinator.storedMetadata(of: type, at: url, options: options)
  }

  /// Refuses to read a file that is not there.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile`.
  static func checkFile(at url: URL?, of type: PersistentStoreType) throws {
    guard let url, url.isFileURL, type != .inMemory,
      !FileManager.default.fileExists(atPath: url.path)
    else { return }
    throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
  }

  /// The metadata of a store of any type: those that Core Data names, and then those that are registered.
  ///
  /// - Throws: What reading a SQLite store throws when no type knows the file; `CocoaError` when there is none.
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
