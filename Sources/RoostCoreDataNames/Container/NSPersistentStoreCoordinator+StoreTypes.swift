// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
import RoostStore

// Methods with a typed store type, as in Core Data, with Core Data's options.
extension PersistentStoreCoordinator {
  /// Adds a store.
  ///
  /// - Parameters:
  ///   - type: The type, such as `.sqlite`.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - storeURL: The file.
  ///   - options: Options by their keys, such as `NSReadOnlyPersistentStoreOption`.
  /// - Throws: `NSError`; the coordinator is unchanged then.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Removes a store and its files.
  ///
  /// - Throws: `NSError`.
  public func destroyPersistentStore(
    at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]?
  ) throws {
    try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
  }

  /// Replaces a store by a copy of another.
  ///
  /// - Throws: `NSError`.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]?,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]?,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
      ofType: sourceType.rawValue)
  }

  /// Moves the records of a store into a new one.
  ///
  /// - Throws: `NSError`.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]?,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(
      store, to: storeURL, options: options, withType: storeType.rawValue)
  }

  /// Reads the metadata of a store, attached or not, under Core Data's keys.
  ///
  /// - Throws: `NSError`.
  public static func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  /// Sets the program's values in the metadata of a store that is not attached.
  ///
  /// - Parameters:
  ///   - metadata: Values as for ``setMetadata(_:for:)``.
  ///   - type: The type.
  ///   - url: The file.
  ///   - options: Options by their keys.
  /// - Throws: `NSError`.
  public static func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(
      metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }

  /// Sets the program's values in the metadata of a store that is not attached.
  ///
  /// - Throws: `NSError`.
  public static func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try asFoundation {
      let type = try StoreTypeNames.type(named: storeType)
      let options = try MetadataValue.options(options, known: type)
      var current = try StoreTypeNames.metadata(of: type, at: url, options: options)
      current.userValues = [:]
      try current.takeUserValues(of: metadata ?? [:])
      try replaceStoredMetadata(of: type, at: url, with: current, options: options)
    }
  }
}
