// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore
import Synchronization

// Operations on whole stores: destroying, replacing and moving them.
extension PersistentStoreCoordinator {
  /// Empties a store, durably: when this returns, not even a power failure brings its records back. A store that does
  /// not exist is no error.
  ///
  /// A store that is attached to this coordinator is closed first and removed from it; when it cannot be destroyed, it
  /// is connected again and keeps its objects and their changes. For a store in a file, an empty file is
  /// left behind, as with Core Data, and its side files are removed; a schema on a server is removed with its tables.
  /// Adding a store at the URL makes a new one. Parts of saves over several stores and decisions on them are gone with
  /// the store: saves that other stores wait for are then listed by `inDoubt()`. Anything that is not a store of the
  /// type is left alone: a file of another program, a folder, a device.
  ///
  /// ```swift
  /// try coordinator.destroyPersistentStore(at: url, type: .sqlite)
  /// try FileManager.default.removeItem(at: url)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the store.
  ///   - type: The backend.
  ///   - options: Options as when the store is added; ``StoreOption/forceDestroy`` overrides the locks of other
  ///     processes, which keep what they have open.
  /// - Throws: ``PersistenceError`` with code `storeBusy` when another coordinator or process uses the store,
  ///   `persistentStoreTypeMismatch` for a file that is not a store of the type.
  @_disfavoredOverload
  public func destroyPersistentStore(
    at url: URL, type: PersistentStoreType, options: [String: MetadataValue] = [:]
  ) throws {
    let description = try Self.description(type: type, at: url, options: options)
    try changing(placesOf: [url]) {
      try detaching(at: url) { try type.driver.destroy(description) }
    }
  }

  /// Destroys a store whose type is given by name.
  ///
  /// - Parameters:
  ///   - url: The URL of the store.
  ///   - storeType: The name of a registered type.
  ///   - options: Options as for the typed form.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType`, and what the typed form throws.
  @_disfavoredOverload
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [String: MetadataValue]? = nil
  ) throws {
    try destroyPersistentStore(
      at: url, type: Self.registeredStoreType(named: storeType), options: options ?? [:])
  }

  /// Replaces a store by a copy of another one, or makes a copy where there is none. When this returns, the copy is
  /// durable. The parts of saves over several stores that the old store held, and its decisions, are gone with it.
  ///
  /// - Parameters:
  ///   - destinationURL: The URL to overwrite or create.
  ///   - destinationOptions: Options of the destination; ``StoreOption/forceDestroy`` as in
  ///     ``destroyPersistentStore(at:type:options:)``.
  ///   - sourceURL: The URL of the store to copy; it is not changed.
  ///   - sourceOptions: Options of the source.
  ///   - type: The backend of both.
  /// - Throws: ``PersistenceError`` with code `persistentStoreOpen` when there is no source, `storeBusy` when the
  ///   destination is attached or in use elsewhere.
  @_disfavoredOverload
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [String: MetadataValue] = [:],
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [String: MetadataValue] = [:],
    type: PersistentStoreType
  ) throws {
    let destination = try Self.description(
      type: type, at: destinationURL, options: destinationOptions)
    let source = try Self.description(type: type, at: sourceURL, options: sourceOptions)
    try changing(placesOf: [destinationURL, sourceURL]) {
      guard let found = try type.driver.metadata(of: source) else {
        throw PersistenceError(
          .persistentStoreOpen, "There is no store at this place.",
          store: StoreNaming.displayName(url: sourceURL, identifier: type.rawValue))
      }
      guard !found.isUnfinishedCopy else {
        throw PersistenceError.unfinishedCopy(
          StoreNaming.displayName(url: sourceURL, identifier: type.rawValue))
      }
      if !destination.forcesDestruction,
        let attached = state.withLock({ $0.list.store(at: destinationURL) })
      {
        throw PersistenceError(
          .storeBusy, "The store is attached to the coordinator; remove it first.",
          store: attached.displayName)
      }
      try detaching(at: destinationURL) { try type.driver.replace(destination, with: source) }
    }
  }

  /// Replaces a store by a copy of another one; the type is given by name.
  ///
  /// - Parameters:
  ///   - destinationURL: The URL to overwrite or create.
  ///   - destinationOptions: Options of the destination.
  ///   - sourceURL: The URL of the store to copy.
  ///   - sourceOptions: Options of the source.
  ///   - storeType: The name of a registered type.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType`, and what the typed form throws.
  @_disfavoredOverload
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [String: MetadataValue]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [String: MetadataValue]? = nil,
    ofType storeType: String
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions ?? [:],
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions ?? [:],
      type: Self.registeredStoreType(named: storeType))
  }

  /// Changes the store at a URL while it is closed. An attached store is removed when that is done, and connected
  /// again when it fails: its objects stay valid, and no change of them is lost.
  private func detaching(at url: URL, _ change: () throws -> Void) throws {
    guard let found = state.withLock({ $0.list.store(at: url) }) else { return try change() }
    try changing(found.store) { attached in
      post(.persistentStoreCoordinatorStoresWillChange, removed: [attached])
      post(.persistentStoreCoordinatorWillRemoveStore, object: attached)
      attached.close()
      do {
        try change()
      } catch {
        if StoreReconnection(of: attached, in: self).restore() {
          post(.persistentStoreCoordinatorStoresDidChange)
        }
        throw error
      }
      state.withLock { $0.list = $0.list.removing(attached) }
      noteRemoval(of: attached)
    }
  }

  /// Connects a store to a file that was moved. IDs and objects stay valid.
  ///
  /// - Parameters:
  ///   - url: The new URL of the store: an existing store with the same UUID.
  ///   - store: An attached store.
  /// - Returns: The store to use from now on.
  /// - Throws: ``PersistenceError`` with code `persistentStoreOpen` when there is no such store at the URL, or it is
  ///   attached already, `storeRemoved`, or what adding a store throws; then the store stays at its old URL.
  @_disfavoredOverload
  @discardableResult
  public func setURL(_ url: URL, for store: any PersistentStore) throws -> any PersistentStore {
    try changing(store, and: url) { try move($0, store, to: url) }
  }

  private func move(
    _ old: AttachedStore, _ store: any PersistentStore, to url: URL
  ) throws -> any PersistentStore {
    if StoreNaming.place(of: url) == StoreNaming.place(of: old.url) { return store }
    var description = store.description
    description.url = url
    try refuseDuplicate(of: description)
    let found = try description.type.driver.metadata(of: description)
    guard found?.identifier == old.identity.identifier else {
      throw PersistenceError(
        .persistentStoreOpen, "There is no store with the same UUID at this place.",
        store: old.displayName)
    }
    old.close()
    let reconnection = StoreReconnection(of: old, in: self)
    do {
      return try reconnection.connect(to: description)
    } catch {
      reconnection.restore()
      throw error
    }
  }
}

extension PersistentStoreDescription {
  fileprivate var forcesDestruction: Bool {
    options[StoreOption.forceDestroy] == .boolean(true)
  }
}
