// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostInMemory
import RoostMigration
import RoostModel
import RoostSQLite
import RoostStore

/// Which store a container adds, and how: Core Data's class, which several variables can share.
///
/// ```swift
/// let description = NSPersistentStoreDescription()
/// description.type = NSInMemoryStoreType
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: @unchecked Sendable {
  // Sendable: like Core Data's class it is changed before the container loads it, by the one who makes it.

  /// The store's type: `NSSQLiteStoreType` or `NSInMemoryStoreType`, or that of a registered type.
  open var type = NSSQLiteStoreType
  /// The file; `/dev/null` is a store in memory.
  open var url: URL? = URL(filePath: "/dev/null")
  /// The name of the configuration whose entities the store holds; nil for all.
  open var configuration: String?
  /// Whether the store refuses to be written.
  open var isReadOnly = false
  /// How long a request waits for a busy store, in seconds.
  open var timeout: TimeInterval = 240
  /// Whether the container adds the store in the background.
  open var shouldAddStoreAsynchronously = false
  /// Whether a store of another model version is migrated when it is added.
  open var shouldMigrateStoreAutomatically = true
  /// Whether the migration may be inferred.
  open var shouldInferMappingModelAutomatically = true
  private var setOptions: [String: Any] = [:]
  /// The options by their keys: those that were set, and how the store is migrated.
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

  /// Describes a SQLite store in memory, until it is given a file or another type.
  public init() {}

  /// Describes a SQLite store.
  ///
  /// - Parameter url: The file; `/dev/null` is a store in memory.
  public init(url: URL) {
    self.url = url
  }

  /// Sets an option; nil takes its default. As in Core Data, one that the store does not know is passed over.
  ///
  /// - Parameters:
  ///   - option: A number, truth value, string or dictionary.
  ///   - key: The option, as `NSReadOnlyPersistentStoreOption`.
  open func setOption(_ option: Any?, forKey key: String) {
    setOptions[key] = option
  }

  /// Sets a SQLite pragma; nil leaves it as it is.
  open func setValue(_ value: Any?, forPragmaNamed name: String) {
    sqlitePragmas[name] = value
  }

  /// Returns a description that says the same and is changed separately.
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

  /// What the description says, as a value.
  ///
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType` for a type that is not known, `invalidValue`
  ///   for an option of another type.
  package func makeDescription() throws -> PersistentStoreDescription {
    let storeType = try StoreTypeNames.type(named: type)
    // Stores in memory have nothing in common in Core Data, whatever the URL; here a URL is what they share.
    var result = PersistentStoreDescription(
      type: storeType, url: type == NSInMemoryStoreType ? nil : url, configuration: configuration)
    result.passesOverUnknownOptions = true
    result.isReadOnly = isReadOnly
    result.timeout = timeout
    result.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    result.shouldMigrateStoreAutomatically = shouldMigrateStoreAutomatically
    result.shouldInferMappingModelAutomatically = shouldInferMappingModelAutomatically
    // As Core Data does, unless the program says how.
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
  /// Adds the store that is described.
  ///
  /// - Throws: `CocoaError` with code `fileReadNoSuchFile` for a file that is to be read only and is not there, or
  ///   ``PersistenceError``.
  func add(to coordinator: PersistentStoreCoordinator) throws -> any PersistentStore {
    if isReadOnly { try StoreTypeNames.checkFile(at: url, of: type) }
    var description = self
    description.configuration = DefaultConfiguration.own(
      configuration, in: coordinator.managedObjectModel)
    return try coordinator.addPersistentStore(with: description)
  }
}

/// What a program may say of SQLite's pragmas. Programs for Core Data switch its write-ahead log off, or make a save
/// less durable; here a store keeps its log and its promise, and these two are passed over.
private enum PragmaRules {
  static func isOpen(_ name: String) -> Bool {
    !["journal_mode", "synchronous"].contains(name.lowercased())
  }
}

extension MetadataValue {
  /// Makes a value of what Core Data's programs give for an option.
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
