// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostInMemory
import RoostModel
import RoostSQLite
import RoostStore

/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores in memory.
public let NSInMemoryStoreType = "InMemory"
/// The type of Core Data's binary stores, which cannot be opened: a store of this type is refused.
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
    default: return try PersistentStoreCoordinator.registeredStoreType(named: name)
    }
  }
}
