// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The names of the options with which a store can be added: Core Data's keys, and those of Roost.
///
/// Options with a property in ``PersistentStoreDescription`` set that property; all others are passed to the backend.
/// An unknown option is refused with `invalidValue` when the store is added.
///
/// ```swift
/// try coordinator.addPersistentStore(
///   type: .sqlite, at: url, options: [StoreOption.readOnly: .boolean(true)])
/// ```
public enum StoreOption {
  /// Whether the store is opened read-only; false.
  public static let readOnly = "NSReadOnlyPersistentStoreOption"
  /// How many seconds a request waits for a busy store or server; 30.
  public static let timeout = "NSPersistentStoreTimeoutOption"
  /// Whether the comparison of version hashes is skipped; false. The metadata is updated all the same.
  public static let ignoreVersioning = "NSIgnorePersistentStoreVersioningOption"
  /// Whether a store of another model version is migrated; true.
  public static let migrateAutomatically = "NSMigratePersistentStoresAutomaticallyOption"
  /// Whether the migration may be inferred; true.
  public static let inferMappingModel = "NSInferMappingModelAutomaticallyOption"
  /// Whether a migration defers steps that only free space or make requests faster: dropping columns, tables and
  /// records that the model no longer has, and building non-unique indexes; false.
  ///
  /// The store opens sooner, and reads are correct at once. The coordinator's `finishDeferredLightweightMigration()`
  /// runs the deferred steps.
  public static let deferredLightweightMigration =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
  /// A dictionary of pragmas by name, for SQLite.
  public static let sqlitePragmas = "NSSQLitePragmasOption"
  /// Whether statistics are collected when the store is added, for SQLite.
  public static let sqliteAnalyze = "NSSQLiteAnalyzeOption"
  /// Whether the file is compacted when the store is added, for SQLite.
  public static let sqliteManualVacuum = "NSSQLiteManualVacuumOption"
  /// The maximum number of connections of a store.
  public static let connectionPoolMaxSize = "NSPersistentStoreConnectionPoolMaxSize"
  /// Whether a store is destroyed or replaced even while it is locked; false.
  public static let forceDestroy = "NSPersistentStoreForceDestroyOption"
  /// Whether the store keeps a history of its transactions; false.
  ///
  /// Once enabled, the history stays enabled, also when the store is added without the option. Programs that have the
  /// store open meanwhile have to reopen it. A store that is opened read-only does not enable it.
  public static let historyTracking = "NSPersistentHistoryTrackingKey"
  /// The level of the history: `changes`, the default, or `values`, which also keeps previous values.
  ///
  /// With `values`, an update keeps the previous values of the changed properties, and a deletion the whole last
  /// record and its links. Reverting a transaction and reading past states require it. It turns ``historyTracking``
  /// on. Once enabled, `values` stays enabled, also when the store is added without the option or with `changes`, and
  /// programs that have the store open meanwhile have to reopen it.
  public static let historyLevel = "RoostHistoryLevel"
  /// Whether every write of the store posts a `Notification/Name/persistentStoreRemoteChange`; false. It costs one
  /// more request per save, and one per second.
  public static let remoteChangeNotification =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
}

extension PersistentStoreDescription {
  /// Sets an option: the corresponding property, or an entry of ``options``.
  ///
  /// - Parameters:
  ///   - value: The value; nil for the option's default.
  ///   - name: The option, such as ``StoreOption/readOnly``.
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

  /// Returns the value of a Boolean option.
  ///
  /// - Throws: `invalidValue` when it is not a Boolean.
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

  /// Returns whether a history level keeps previous values.
  ///
  /// - Throws: `invalidValue` for an unknown level.
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
