// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostStore
import Synchronization

extension PersistentStoreCoordinator {
  /// Adds a store: opens it, compares it with the model, and prepares it.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .sqlite, configuration: "Notes", at: url)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The backend.
  ///   - configuration: The name of the configuration whose entities the store holds; nil for all.
  ///   - url: The file, folder or server; nil for a store without a URL.
  ///   - options: Options by their names in ``StoreOption``, and the backend's own.
  /// - Returns: The store.
  /// - Throws: ``PersistenceError``; the coordinator is unchanged then. `persistentStoreIncompatibleVersionHash` when
  ///   another version of the model wrote the store, `persistentStoreIncompatibleSchema` when the store cannot
  ///   do what the model asks for, `persistentStoreTypeMismatch` or `persistentStoreOpen` for a file of another
  ///   kind, `persistentStoreOpen` when the store is attached already, `limitExceeded`.
  @_disfavoredOverload
  @discardableResult
  public func addPersistentStore(
    type: PersistentStoreType, configuration: String? = nil, at url: URL? = nil,
    options: [String: MetadataValue] = [:]
  ) throws -> any PersistentStore {
    try addPersistentStore(
      with: Self.description(type: type, at: url, configuration: configuration, options: options))
  }

  /// Adds a store whose type is given by name.
  ///
  /// - Parameters:
  ///   - storeType: The name of a registered type.
  ///   - configuration: The name of the configuration whose entities the store holds; nil for all.
  ///   - storeURL: The file, folder or server; nil for a store without a URL.
  ///   - options: Options by their names in ``StoreOption``, and the backend's own.
  /// - Returns: The store.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType` when no such type is registered, and
  ///   what ``addPersistentStore(type:configuration:at:options:)`` throws.
  @_disfavoredOverload
  @discardableResult
  public func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [String: MetadataValue]? = nil
  ) throws -> any PersistentStore {
    try addPersistentStore(
      type: Self.registeredStoreType(named: storeType), configuration: configuration, at: storeURL,
      options: options ?? [:])
  }

  /// Adds the store that a description specifies.
  ///
  /// - Parameter description: The description of the store.
  /// - Returns: The store.
  /// - Throws: What ``addPersistentStore(type:configuration:at:options:)`` throws.
  @discardableResult
  public func addPersistentStore(
    with description: PersistentStoreDescription
  ) throws -> any PersistentStore {
    try changing(placesOf: [description.url]) { try add(description) }
  }

  private func add(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try refuseDuplicate(of: description)
    let log = makeLog(for: description)
    var description = description
    description.log = log
    post(.persistentStoreCoordinatorStoresWillChange)
    let attached: AttachedStore
    do {
      attached = try attach(description, log: log)
    } catch {
      let failure = PersistenceError.wrapping(error, .persistentStoreOpen)
      state.withLock { $0.list = $0.list.failing(failure) }
      throw error
    }
    if attached.order == 0 { ModelWarnings.tell(of: managedObjectModel, to: log) }
    SaveRecovery(coordinator: self).storeWasAdded(attached)
    MovedReferences.follow(with: attached, in: self)
    attached.updateWatch()
    post(.persistentStoreCoordinatorStoresDidChange, added: [attached])
    return attached.store
  }

  func makeLog(for description: PersistentStoreDescription) -> StoreLog {
    StoreLog(
      storeName: StoreNaming.displayName(
        url: description.url, identifier: description.type.rawValue),
      instruments: instruments)
  }

  private func attach(_ description: PersistentStoreDescription, log: StoreLog) throws
    -> AttachedStore
  {
    let opened = try StoreOpening(
      model: managedObjectModel, description: description, monitor: migrations, coordinator: self
    ).run()
    let identifier = opened.store.identity.identifier
    let attached = state.withLock { state -> AttachedStore? in
      guard state.list.store(identifier: identifier) == nil else { return nil }
      let attached = AttachedStore(
        store: opened.store, schema: opened.schema, order: state.nextOrder, log: log, clock: clock)
      state.nextOrder += 1
      attached.attach(to: self)
      state.list = state.list.adding(attached)
      return attached
    }
    guard let attached else {
      opened.store.close()
      throw PersistenceError(
        .persistentStoreOpen,
        "A store with this UUID is attached already: the same store, or a copy of its file.",
        store: identifier)
    }
    return attached
  }

  func refuseDuplicate(of description: PersistentStoreDescription) throws {
    guard let url = description.url, state.withLock({ $0.list.store(at: url) }) != nil else {
      return
    }
    throw PersistenceError(
      .persistentStoreOpen, "A store at this place is attached already.",
      store: StoreNaming.displayName(url: url, identifier: description.type.rawValue))
  }

  /// Adds the store that a description specifies, in the background if the description says so, and calls a
  /// completion handler.
  ///
  /// - Parameters:
  ///   - description: The description of the store.
  ///   - completionHandler: Called once, with the error or nil; on the calling thread unless the store is added in
  ///     the background.
  public func addPersistentStore(
    with description: PersistentStoreDescription,
    completionHandler: @escaping @Sendable (PersistentStoreDescription, PersistenceError?) -> Void
  ) {
    @Sendable func add() {
      do {
        try addPersistentStore(with: description)
        completionHandler(description, nil)
      } catch {
        completionHandler(description, PersistenceError.wrapping(error, .persistentStoreOpen))
      }
    }
    if description.shouldAddStoreAsynchronously {
      DispatchQueue(label: "roost.open").async { add() }
    } else {
      add()
    }
  }

  /// Removes a store: waits for the requests under way, closes it, and invalidates its objects in all contexts.
  ///
  /// Each context notices the removal at its next use: the store's objects lose their context, and their unsaved
  /// changes are lost; a later save does not report that. So save first. Changes of objects of other stores stay; new
  /// objects whose entity no other store holds fail a save with `noStore`.
  ///
  /// ```swift
  /// try context.save()
  /// try coordinator.remove(store)
  /// ```
  ///
  /// - Parameter store: An attached store.
  /// - Throws: ``PersistenceError`` with code `storeRemoved` when it is not attached.
  @_disfavoredOverload
  public func remove(_ store: any PersistentStore) throws {
    try changing(store) { attached in
      post(.persistentStoreCoordinatorStoresWillChange, removed: [attached])
      post(.persistentStoreCoordinatorWillRemoveStore, object: attached)
      state.withLock { $0.list = $0.list.removing(attached) }
      attached.close()
      noteRemoval(of: attached)
    }
  }

  /// Informs the contexts and posts the notification that a store was removed from the coordinator.
  ///
  /// - Parameter successor: The store that it was migrated to; nil when it was removed.
  func noteRemoval(of attached: AttachedStore, successor: AttachedStore? = nil) {
    for observer in liveObservers() { observer.coordinator(self, didRemove: attached.identity) }
    post(
      .persistentStoreCoordinatorStoresDidChange, added: successor.map { [$0] } ?? [],
      removed: [attached], migrated: successor.map { (attached, $0) })
  }

  /// Does the same as ``remove(_:)``, under a name that no other module shadows.
  package func detach(_ store: any PersistentStore) throws {
    try remove(store)
  }

  /// Returns the store at a URL; nil when none is attached there.
  ///
  /// - Parameter url: The URL; other names of the same file are equivalent.
  @_disfavoredOverload
  public func persistentStore(for url: URL) -> (any PersistentStore)? {
    attachedStore(at: url)?.store
  }

  /// Returns the attached store at a URL.
  package func attachedStore(at url: URL) -> AttachedStore? {
    state.withLock { state in
      // A store without a file of its own may still have a URL, such as `/dev/null`.
      state.list.store(at: url) ?? state.list.stores.first { $0.url == url }
    }
  }

  /// Returns the URL of a store; nil when it has none, or is not attached.
  ///
  /// - Parameter store: An attached store.
  public func url(for store: any PersistentStore) -> URL? {
    attachedStore(for: store)?.url
  }

  static func description(
    type: PersistentStoreType, at url: URL?, configuration: String? = nil,
    options: [String: MetadataValue]
  ) throws -> PersistentStoreDescription {
    var description = PersistentStoreDescription(type: type, url: url, configuration: configuration)
    for (name, value) in options { try description.setOption(value, forKey: name) }
    try description.checkOptions()
    return description
  }
}

extension PersistenceError {
  /// Returns the error itself if it is a `PersistenceError`, otherwise one that wraps it.
  package static func wrapping(_ error: any Error, _ code: Code) -> PersistenceError {
    error as? PersistenceError
      ?? PersistenceError(code, "The store reported an error.", underlying: error)
  }
}
