// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Returns the metadata of a store, with changes that are not written yet.
  ///
  /// - Parameter store: An attached store.
  /// - Throws: ``PersistenceError`` with code `storeRemoved` when it is not attached.
  @_disfavoredOverload
  public func metadata(for store: any PersistentStore) throws -> StoreMetadata {
    let attached = try requireAttached(store)
    return attached.pendingMetadata ?? store.metadata
  }

  /// Sets user values and UUID in a store's metadata; the next save of that store writes them.
  ///
  /// The user values are replaced, and so is the UUID if it differs: a new UUID takes effect the next time that the
  /// store is added. Type, version hashes and entity codes belong to the coordinator and stay.
  ///
  /// ```swift
  /// var metadata = try coordinator.metadata(for: store)
  /// metadata.userValues["lastImport"] = .date(Date())
  /// try coordinator.setMetadata(metadata, for: store)
  /// ```
  ///
  /// - Parameters:
  ///   - metadata: The metadata.
  ///   - store: An attached store.
  /// - Throws: ``PersistenceError`` with code `readOnlyStore`, `storeRemoved`, `invalidValue` when the UUID is not
  ///   made of letters, digits and hyphens, or `limitExceeded` when values are nested too deep.
  @_disfavoredOverload
  public func setMetadata(_ metadata: StoreMetadata, for store: any PersistentStore) throws {
    let attached = try requireAttached(store)
    guard !attached.isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "The metadata of a read-only store cannot be set.",
        store: attached.displayName)
    }
    attached.pendingMetadata = try metadata.merged(
      into: attached.pendingMetadata ?? store.metadata)
  }

  /// Whether metadata changes are pending; a commit without changes writes them (B323).
  package var hasPendingMetadata: Bool {
    attachedStores.contains(where: \.hasPendingMetadata)
  }

  /// Reads the metadata of a store that need not be attached.
  ///
  /// - Parameters:
  ///   - type: The backend.
  ///   - url: Where the store is.
  ///   - options: Options as when the store is added.
  /// - Throws: ``PersistenceError`` with code `persistentStoreOpen` when there is no store,
  ///   `persistentStoreTypeMismatch` for a file of another kind, `corruptStore`.
  @_disfavoredOverload
  public static func metadataForPersistentStore(
    type: PersistentStoreType, at url: URL, options: [String: MetadataValue] = [:]
  ) throws -> StoreMetadata {
    let description = try description(type: type, at: url, options: options)
    guard let metadata = try type.driver.metadata(of: description) else {
      throw PersistenceError(
        .persistentStoreOpen, "There is no store at this place.",
        store: StoreNaming.displayName(url: url, identifier: type.rawValue))
    }
    return metadata
  }

  /// Reads the metadata of a store whose type is named by its string.
  ///
  /// - Parameters:
  ///   - storeType: The name of a registered type.
  ///   - url: Where the store is.
  ///   - options: Options as when the store is added.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType`, and what the typed form throws.
  @_disfavoredOverload
  public static func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [String: MetadataValue]? = nil
  ) throws -> StoreMetadata {
    try metadataForPersistentStore(
      type: registeredStoreType(named: storeType), at: url, options: options ?? [:])
  }

  /// Sets user values and UUID in the metadata of a store that is not attached.
  ///
  /// - Parameters:
  ///   - metadata: The metadata; as with ``setMetadata(_:for:)``, user values and UUID are taken over.
  ///   - type: The backend.
  ///   - url: Where the store is.
  ///   - options: Options as when the store is added.
  /// - Throws: ``PersistenceError`` with code `persistentStoreOpen` when there is no store, `storeBusy`,
  ///   `invalidValue`.
  @_disfavoredOverload
  public static func setMetadata(
    _ metadata: StoreMetadata, type: PersistentStoreType, at url: URL,
    options: [String: MetadataValue] = [:]
  ) throws {
    // Another program may have the store open, and write its metadata or migrate it at the same time.
    try description(type: type, at: url, options: options)
      .changeMetadata { $0 = try metadata.merged(into: $0) }
  }

  /// Sets user values and UUID in the metadata of a store whose type is named by its string.
  ///
  /// - Parameters:
  ///   - metadata: The metadata.
  ///   - storeType: The name of a registered type.
  ///   - url: Where the store is.
  ///   - options: Options as when the store is added.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType`, and what the typed form throws.
  @_disfavoredOverload
  public static func setMetadata(
    _ metadata: StoreMetadata, forPersistentStoreOfType storeType: String, at url: URL,
    options: [String: MetadataValue]? = nil
  ) throws {
    try setMetadata(
      metadata, type: registeredStoreType(named: storeType), at: url, options: options ?? [:])
  }
}

// Entry points for the product with Core Data's names, whose own methods have the names of the public ones.
extension PersistentStoreCoordinator {
  /// Sets the metadata of a store that need not be attached.
  package static func replaceStoredMetadata(
    of type: PersistentStoreType, at url: URL, with metadata: StoreMetadata,
    options: [String: MetadataValue]
  ) throws {
    try setMetadata(metadata, type: type, at: url, options: options)
  }

  /// Calls ``metadata(for:)``.
  package func currentMetadata(of store: any PersistentStore) throws -> StoreMetadata {
    try metadata(for: store)
  }

  /// Calls ``setMetadata(_:for:)``.
  package func replaceMetadata(
    of store: any PersistentStore, with metadata: StoreMetadata
  ) throws {
    try setMetadata(metadata, for: store)
  }

  /// Calls ``metadataForPersistentStore(type:at:options:)``.
  package static func storedMetadata(
    of type: PersistentStoreType, at url: URL, options: [String: MetadataValue]
  ) throws -> StoreMetadata {
    try metadataForPersistentStore(type: type, at: url, options: options)
  }
}

extension StoreMetadata {
  /// Returns `current` with the UUID and the user values of this metadata.
  ///
  /// - Throws: `invalidValue`, `limitExceeded`.
  fileprivate func merged(into current: StoreMetadata) throws -> StoreMetadata {
    guard ObjectURI.isStoreName(identifier) else {
      throw PersistenceError(.invalidValue, "A store's UUID has letters, digits and hyphens only.")
    }
    try checkNesting()
    var merged = current
    merged.identifier = identifier
    merged.userValues = userValues
    return merged
  }
}
