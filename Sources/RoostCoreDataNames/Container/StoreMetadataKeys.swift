// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
public import RoostStore

/// The type of the store, such as `NSSQLiteStoreType`.
public let NSStoreTypeKey = "NSStoreType"
/// The version hash of each entity: `[String: Data]`.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The model's version identifiers: `[String]`.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"

extension StoreMetadata {
  /// The metadata under Core Data's keys, and the program's own values.
  public var keyed: [String: Any] {
    var result: [String: Any] = userValues.mapValues(\.option)
    result[NSStoreTypeKey] = storeType
    result[NSStoreUUIDKey] = identifier
    result[NSStoreModelVersionHashesKey] = entityVersionHashes
    result[NSStoreModelVersionIdentifiersKey] = versionIdentifiers
    if hasDeferredMigration {
      result[NSPersistentStoreDeferredLightweightMigrationOptionKey] = true
    }
    return result
  }

  /// Takes the program's own values.
  mutating func takeUserValues(of keyed: [String: Any]) throws {
    let own = [
      NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey,
      NSStoreModelVersionIdentifiersKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ]
    for (key, value) in keyed where !own.contains(key) {
      userValues[key] = try MetadataValue(option: value, key: key)
    }
  }
}

extension MetadataValue {
  /// The value in the form in which programs set options.
  var option: Any {
    switch self {
    case .string(let text): text
    case .boolean(let truth): truth
    case .integer(let number): Int(number)
    case .double(let number): number
    case .data(let data): data
    case .date(let date): date
    case .list(let values): values.map(\.option)
    case .dictionary(let entries): entries.mapValues(\.option)
    }
  }
}

extension PersistentStoreCoordinator {
  /// Returns the metadata of an attached store, under Core Data's keys.
  public func metadata(for store: NSPersistentStore) -> [String: Any] {
    orEnd { try currentMetadata(of: store.store) }.keyed
  }

  /// Sets the program's values in the metadata of an attached store; the next save writes them.
  ///
  /// - Parameters:
  ///   - metadata: Strings, numbers, Booleans, dates, bytes, and lists and dictionaries of these. A `Decimal` is
  ///     stored as the nearest double, a URL or UUID as its text. A value of another type stops the program.
  ///   - store: The store.
  public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    orEnd {
      var current = try currentMetadata(of: store.store)
      current.userValues = [:]
      try current.takeUserValues(of: metadata ?? [:])
      try replaceMetadata(of: store.store, with: current)
    }
  }

  /// Reads the metadata of a store, attached or not, under Core Data's keys.
  ///
  /// - Throws: `NSError`.
  public static func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try asFoundation {
      let type = try StoreTypeNames.type(named: storeType)
      return try StoreTypeNames.metadata(
        of: type, at: url, options: MetadataValue.options(options, known: type)
      ).keyed
    }
  }
}
