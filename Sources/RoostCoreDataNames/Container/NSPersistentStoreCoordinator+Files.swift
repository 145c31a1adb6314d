// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Removes a store, whose objects become useless (B235).
  ///
  /// - Throws: `NSError`.
  public func remove(_ store: any NSPersistentStore) throws {
    try asFoundation { try detach(store) }
  }

  /// Removes a store and its files (B239).
  ///
  /// - Throws: `NSError`.
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try asFoundation {
      try destroyPersistentStore(
        at: url, type: StoreTypeNames.type(named: storeType),
        options: MetadataValue.options(options))
    }
  }

  /// Replaces a store by a copy of another (B240).
  ///
  /// - Throws: `NSError`.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try asFoundation {
      try replacePersistentStore(
        at: destinationURL, destinationOptions: MetadataValue.options(destinationOptions),
        withPersistentStoreFrom: sourceURL, sourceOptions: MetadataValue.options(sourceOptions),
        type: StoreTypeNames.type(named: storeType))
    }
  }

  /// Moves the records of a store into a new one (B238).
  ///
  /// - Throws: `NSError`.
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> any NSPersistentStore {
    try asFoundation {
      try migratePersistentStore(
        store, to: url, options: MetadataValue.options(options),
        type: StoreTypeNames.type(named: storeType))
    }
  }
}

extension MetadataValue {
  /// The options of Core Data's methods.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidValue`.
  static func options(_ options: [AnyHashable: Any]?) throws -> [String: MetadataValue] {
    var result: [String: MetadataValue] = [:]
    for (key, value) in options ?? [:] {
      guard let name = key as? String else {
        throw PersistenceError(.invalidValue, "An option has a name that is no string: \(key).")
      }
      result[name] = try MetadataValue(option: value, key: name)
    }
    return result
  }
}
