// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostInMemory
import RoostMigration
import RoostModel
import RoostSQLite
import RoostStore

/// The description of a store for a container to add: Core Data's class, which several variables can share.
///
/// ```swift
/// let description = NSPersistentStoreDescription()
/// description.type = NSInMemoryStoreType
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: @unchecked Sendable {
  // Sendable: as with Core Data's class, the program changes it only before the container loads it.

  /// The store's type: `NSSQLiteStoreType` or `NSInMemoryStoreType`, or the name of a registered type.
  open var type = NSSQLiteStoreType
  /// The file; `/dev/null` is a store in memory.
  open var url: URL? = URL(filePath: "/dev/null")
  /// The name of the configuration whose entities the store holds; nil for all.
  open var configuration: String?
  /// Whether the store is read-only.
  open var isReadOnly = false
  /// The maximum time that a request waits for a busy store, in seconds.
  open var timeout: TimeInterval = 240
  /// Whether the container adds the store in the background.
  open var shouldAddStoreAsynchronously = false
  /// Whether a store of another model version is migrated when it is added.
  open var shouldMigrateStoreAutomatically = true
  /// Whether the migration may be inferred.
  open var shouldInferMappingModelAutomatically = true
  private var setOptions: [String: Any] = [:]
  /// The options by their keys: those that were set, and the migration options.
  open var options: [String: Any] {
    setOptions.merging([
      NSMigratePersistentStoresAutomaticallyOption: NSNumber(
        value: shouldMigrateStoreAutomatically),
      NSInferMappingModelAutomaticallyOption: NSNumber(
        value: shouldInferMappingModelAutomatically),
    ]) { set, _ in set }
  }
  /// The SQLite pragmas that were set, by name.
  public private(set) var sqlitePragmas: [String: Any] = [:]

  /// Describes a SQLite store in memory, until a file or another type is set.
  public init() {}

  /// Describes a SQLite store.
  ///
  /// - Parameter url: The file; `/dev/null` is a store in memory.
  public init(url: URL) {
    self.url = url
  }

  /// Sets an option; nil restores its default. As in Core Data, options that the store does not know are ignored.
  ///
  /// - Parameters:
  ///   - option: A number, Boolean, string or dictionary.
  ///   - key: The option, such as `NSReadOnlyPersistentStoreOption`.
  open func setOption(_ option: Any?, forKey key: String) {
    setOptions[key] = option
  }

  /// Sets a SQLite pragma; nil leaves it unchanged.
  open func setValue(_ value: Any?, forPragmaNamed name: String) {
    sqlitePragmas[name] = value
  }

  /// Returns an independent copy.
  open func copy() -> NSPersistentStoreDescription {
    let copy = NSPersistentStoreDescription()
    copy.type = type
    copy.url = url
    copy.configuration = configuration
    copy.isReadOnly = isReadOnly
    copy.timeout = timeout
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.shouldMigrateStoreAutomatically = shouldMigrateStoreAutomatically
    copy.shouldInferMappingModelAutomatically = shouldInferMappingModelAutomatically
    copy.setOptions = setOptions
    copy.sqlitePragmas = sqlitePragmas
    return copy
  }

  /// Returns the description as a value.
  ///
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType` for an unknown type, `invalidValue` for an
  ///   option with a value of another type.
  package func makeDescription() throws -> PersistentStoreDescription {
    let storeType = try StoreTypeNames.type(named: type)
    // In Core Data, in-memory stores share nothing, whatever their URL; in Roost, stores with the same URL share
    // data.
    var result = PersistentStoreDescription(
      type: storeType, url: type == NSInMemoryStoreType ? nil : url, configuration: configuration)
    result.passesOverUnknownOptions = true
    result.isReadOnly = isReadOnly
    result.timeout = timeout
    result.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    result.shouldMigrateStoreAutomatically = shouldMigrateStoreAutomatically
    result.shouldInferMappingModelAutomatically = shouldInferMappingModelAutomatically
    // As Core Data does, unless the program sets a staged migration.
    result.migration =
      setOptions[NSPersistentStoreStagedMigrationManagerOptionKey] as? StagedMigrationManager
      ?? MappingModels(in: nil)
    for (key, value) in setOptions where key != NSPersistentStoreStagedMigrationManagerOptionKey {
      try result.setOption(try MetadataValue(option: value, key: key), forKey: key)
    }
    for (name, value) in sqlitePragmas where PragmaRules.isOpen(name) {
      result.setValue("\(value)", forPragmaNamed: name)
    }
    return result
  }
}

extension PersistentStoreDescription {
  /// Adds the described store.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile` for a missing file that would be opened read-only, or
  ///   ``PersistenceError``.
  func add(to coordinator: PersistentStoreCoordinator) throws -> any PersistentStore {
    if isReadOnly { try StoreTypeNames.checkFile(at: url, of: type) }
    var description = self
    description.configuration = DefaultConfiguration.own(
      configuration, in: coordinator.managedObjectModel)
    return try coordinator.addPersistentStore(with: description)
  }
}

/// The SQLite pragmas that a program may set. Programs for Core Data may turn off the write-ahead log, or make saves
/// less durable; here a store keeps its log and its durability, so these two pragmas are ignored.
private enum PragmaRules {
  static func isOpen(_ name: String) -> Bool {
    !["journal_mode", "synchronous"].contains(name.lowercased())
  }
}

extension MetadataValue {
  /// Converts the value of an option from Core Data's types.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidValue`.
  init(option: Any, key: String) throws {
    switch option {
    case let value as MetadataValue: self = value
    case let text as String: self = .string(text)
    case let number as NSNumber:
      switch NumberValue(number) {
      case .boolean(let truth): self = .boolean(truth)
      case .integer(let number): self = .integer(number)
      case .double(let number): self = .double(number)
      case .decimal: self = .double(number.doubleValue)
      }
    case let data as Data: self = .data(data)
    case let date as Date: self = .date(date)
    case let uuid as UUID: self = .string(uuid.uuidString)
    case let url as URL: self = .string(url.absoluteString)
    case let values as [Any]:
      self = .list(try values.map { try MetadataValue(option: $0, key: key) })
    case let entries as [String: Any]:
      let open = entries.filter { key != StoreOption.sqlitePragmas || PragmaRules.isOpen($0.key) }
      self = .dictionary(try open.mapValues { try MetadataValue(option: $0, key: key) })
    default:
      throw PersistenceError(.invalidValue, "The option \(key) has a value of no known type.")
    }
  }
}
