// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
import RoostStore

extension PersistentStoreCoordinator {
  /// Removes a store, which invalidates its objects.
  ///
  /// - Throws: `NSError`.
  public func remove(_ store: NSPersistentStore) throws {
    try asFoundation { try detach(store.store) }
  }

  /// Removes a store and its files.
  ///
  /// - Throws: `NSError`.
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try asFoundation {
      let type = try StoreTypeNames.type(named: storeType)
      try destroyPersistentStore(
        at: url, type: type, options: MetadataValue.options(options, known: type))
    }
  }

  /// Replaces a store by a copy of another.
  ///
  /// - Throws: `NSError`.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try asFoundation {
      let type = try StoreTypeNames.type(named: storeType)
      try replacePersistentStore(
        at: destinationURL,
        destinationOptions: MetadataValue.options(destinationOptions, known: type),
        withPersistentStoreFrom: sourceURL,
        sourceOptions: MetadataValue.options(sourceOptions, known: type), type: type)
    }
  }

  /// Moves the records of a store into a new one.
  ///
  /// - Throws: `NSError`.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try asFoundation {
      let type = try StoreTypeNames.type(named: storeType)
      let new: any PersistentStore = try migratePersistentStore(
        store.store, to: url, options: MetadataValue.options(options, known: type), type: type)
      return NSPersistentStore.of(new, in: self)
    }
  }
}

extension MetadataValue {
  /// Converts options of Core Data's methods.
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

  /// Converts the options of Core Data's methods that a store type knows; as in Core Data, others are ignored.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidValue`.
  static func options(
    _ options: [AnyHashable: Any]?, known type: PersistentStoreType
  ) throws -> [String: MetadataValue] {
    let description = PersistentStoreDescription(type: type)
    return try self.options(options?.filter { ($0.key as? String).map(description.knows) ?? true })
  }
}
