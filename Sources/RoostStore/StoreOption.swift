// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The names of the options with which a store can be added: Core Data's keys, and room for a backend's own.
///
/// Options that a ``PersistentStoreDescription`` has a property for set that property; all others are handed to the
/// backend. An option that the backend does not know is refused with `invalidValue` when the store is added.
///
/// ```swift
/// try coordinator.addPersistentStore(
///   type: .sqlite, at: url, options: [StoreOption.readOnly: .boolean(true)])
/// ```
public enum StoreOption {
  /// Whether the store refuses to be written; false.
  public static let readOnly = "NSReadOnlyPersistentStoreOption"
  /// How many seconds a request waits for a busy store or server; 30.
  public static let timeout = "NSPersistentStoreTimeoutOption"
  /// Whether the comparison of version hashes is left out; false. The metadata is updated all the same.
  public static let ignoreVersioning = "NSIgnorePersistentStoreVersioningOption"
  /// Whether a store of another model version is migrated; true.
  public static let migrateAutomatically = "NSMigratePersistentStoresAutomaticallyOption"
  /// Whether the migration may be inferred; true.
  public static let inferMappingModel = "NSInferMappingModelAutomaticallyOption"
  /// Whether a migration leaves for later what only frees space or makes requests faster: columns, tables and records
  /// of what was removed from the model, and indexes that are not unique; false.
  ///
  /// The store opens sooner, and everything is read right at once. What is left is done by
  /// `finishDeferredLightweightMigration()` of the coordinator.
  public static let deferredLightweightMigration =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
  /// A dictionary of pragmas by name, for SQLite.
  public static let sqlitePragmas = "NSSQLitePragmasOption"
  /// Whether statistics are collected when the store is added, for SQLite.
  public static let sqliteAnalyze = "NSSQLiteAnalyzeOption"
  /// Whether the file is compacted when the store is added, for SQLite.
  public static let sqliteManualVacuum = "NSSQLiteManualVacuumOption"
  /// How many connections a store may open.
  public static let connectionPoolMaxSize = "NSPersistentStoreConnectionPoolMaxSize"
  /// Whether a store is destroyed or replaced even though it is locked; false.
  public static let forceDestroy = "NSPersistentStoreForceDestroyOption"
  /// Whether the store keeps a history of its transactions; false.
  ///
  /// Once a store keeps one it goes on, also when it is added without the option. Programs that have a store open while
  /// it begins have to open it again. A store that is opened for reading only does not begin.
  public static let historyTracking = "NSPersistentHistoryTrackingKey"
  /// What the history keeps of each change: `changes`, the default, or `values`, which keeps the values from before,
  /// too.
  ///
  /// With `values`, an update keeps the previous values of what it changes, and a deletion the whole last record and
  /// its links: what reverting a transaction and reading the past need. It turns ``historyTracking`` on. Once a store
  /// keeps values it goes on, also when it is added without the option or with `changes`, and programs that have it
  /// open while it begins have to open it again.
  public static let historyLevel = "RoostHistoryLevel"
  /// Whether every write of the store is told, with `Notification/Name/persistentStoreRemoteChange`; false.
  /// It costs a request more for a save, and one a second.
  public static let remoteChangeNotification =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
}

extension PersistentStoreDescription {
  /// Sets an option: the property that stands for it, or an entry of ``options``.
  ///
  /// - Parameters:
  ///   - value: The value; nil takes the option's default.
  ///   - name: The option, as ``StoreOption/readOnly``.
  /// - Throws: `PersistenceError` with code `invalidValue` when an option of this list has a value of another type.
  public mutating func setOption(_ value: MetadataValue?, forKey name: String) throws {
    switch name {
    case StoreOption.readOnly:
      isReadOnly = try Self.truth(value, default: false, of: name)
    case StoreOption.migrateAutomatically:
      shouldMigrateStoreAutomatically = try Self.truth(value, default: true, of: name)
    case StoreOption.inferMappingModel:
      shouldInferMappingModelAutomatically = try Self.truth(value, default: true, of: name)
    case StoreOption.deferredLightweightMigration:
      evolution.defersLightweightMigration = try Self.truth(value, default: false, of: name)
    case StoreOption.ignoreVersioning:
      ignoresModelVersions = try Self.truth(value, default: false, of: name)
    case StoreOption.timeout:
      timeout = try Self.seconds(value, of: name)
    case StoreOption.remoteChangeNotification, StoreOption.historyTracking:
      _ = try Self.truth(value, default: false, of: name)
      options[name] = value
    case StoreOption.historyLevel:
      _ = try Self.keepsValues(value)
      options[name] = value
    case HistoryLimits.option:
      _ = try HistoryLimits(value)
      options[name] = value
    default:
      options[name] = value
    }
  }

  /// What an option says that is true or false.
  ///
  /// - Throws: `invalidValue` when it is something else.
  package static func truth(
    _ value: MetadataValue?, default standard: Bool, of name: String
  ) throws -> Bool {
    switch value {
    case nil: return standard
    case .boolean(let truth): return truth
    case .integer(let number) where number == 0 || number == 1: return number == 1
    default: throw PersistenceError(.invalidValue, "The option \(name) is a truth value.")
    }
  }

  /// Whether a level of a history is the one that keeps values.
  ///
  /// - Throws: `invalidValue` when it is no level.
  package static func keepsValues(_ level: MetadataValue?) throws -> Bool {
    switch level {
    case nil, .string("changes"): return false
    case .string("values"): return true
    default:
      throw PersistenceError(
        .invalidValue,
        "The option \(StoreOption.historyLevel) is one of the texts “changes” and “values”.",
        key: StoreOption.historyLevel)
    }
  }

  private static func seconds(_ value: MetadataValue?, of name: String) throws -> Double {
    let seconds: Double
    switch value {
    case nil: return 30
    case .integer(let number): seconds = Double(number)
    case .double(let number): seconds = number
    default: throw PersistenceError(.invalidValue, "The option \(name) is a number of seconds.")
    }
    guard seconds >= 0 else {
      throw PersistenceError(.invalidValue, "The option \(name) is not negative.")
    }
    return seconds
  }
}
