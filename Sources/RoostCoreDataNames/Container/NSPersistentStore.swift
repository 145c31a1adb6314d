// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
import RoostStore
import Synchronization

/// A store of a coordinator: Core Data's class. Each store has one object for as long as it is attached, so stores
/// can be compared and kept in sets.
///
/// It is not instantiated or subclassed: a store of another kind conforms to Roost's `PersistentStore` and is
/// registered by its name.
///
/// ```swift
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
/// store.metadata["imported"] = Date()
/// try context.save()
/// ```
public final class NSPersistentStore: NSObject, StoreWrapper, @unchecked Sendable {
  // Sendable: NSObject has no state, and the store is behind a lock.

  private let shown: Mutex<any PersistentStore>
  private let given = Mutex<GivenOptions?>(nil)

  init(_ store: any PersistentStore) {
    shown = Mutex(store)
  }

  /// Roost's store.
  var store: any PersistentStore { shown.withLock { $0 } }

  /// Keeps the options that the store was added with.
  func keep(_ options: [AnyHashable: Any]?) -> NSPersistentStore {
    let kept = options.map { GivenOptions(options: $0) }
    given.withLock { $0 = kept }
    return self
  }

  package func show(_ store: any PersistentStore) {
    shown.withLock { $0 = store }
  }

  // MARK: - Properties

  /// The coordinator; nil after the store was removed.
  public var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    store.persistentStoreCoordinator
  }

  /// The name of the store's type, as ``NSSQLiteStoreType``.
  public var type: String { store.description.type.rawValue }

  /// The file; nil for a store without a URL.
  public var url: URL? { store.description.url }

  /// The store's UUID, which is part of the URIs of its objects.
  public var identifier: String! { store.identity.identifier }

  /// The configuration whose entities the store holds; `PF_DEFAULT_CONFIGURATION_NAME` for all.
  public var configurationName: String {
    store.description.configuration ?? DefaultConfiguration.name
  }

  /// Whether the store is read-only.
  public var isReadOnly: Bool { store.isReadOnly }

  /// The options with which the store was added, as given; nil for none.
  public var options: [AnyHashable: Any]? {
    if let given = given.withLock({ $0 }) { return given.options }
    let options = store.description.options
    return options.isEmpty ? nil : options.mapValues(\.option)
  }

  /// The class, the type, the UUID and the file.
  override public var description: String {
    "<NSPersistentStore: \(type) \(identifier ?? "") \(url?.path ?? "")>"
  }

  // MARK: - Metadata

  /// The metadata under Core Data's keys, and the program's own values. Changes are written by the next save; values
  /// for Core Data's keys are determined by the store and cannot be changed.
  ///
  /// A value that metadata cannot hold stops the program: see ``NSPersistentStoreCoordinator/setMetadata(_:for:)``.
  public var metadata: [String: Any]! {
    get {
      guard let coordinator = persistentStoreCoordinator,
        let current = try? coordinator.currentMetadata(of: store)
      else {
        let last: StoreMetadata = store.metadata
        return last.keyed
      }
      return current.keyed
    }
    set { persistentStoreCoordinator?.setMetadata(newValue, for: self) }
  }

  /// Checks that the store has metadata. They are read when the store is added, so this only throws for a store that
  /// was removed.
  ///
  /// - Throws: `NSError`.
  public func loadMetadata() throws {
    try asFoundation {
      guard let coordinator = persistentStoreCoordinator else {
        throw PersistenceError(
          .storeRemoved, "The store was removed from its coordinator.", store: identifier)
      }
      _ = try coordinator.currentMetadata(of: store)
    }
  }

  /// Reads the metadata of a store of unknown type, under Core Data's keys.
  ///
  /// - Parameter url: The file.
  /// - Throws: `NSError`: that of ``NSSQLiteStoreType`` when no store type recognises the file.
  public class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try asFoundation { try StoreTypeNames.storeMetadata(at: url).metadata.keyed }
  }

  /// Sets the program's values in the metadata of a store of unknown type that is not attached.
  ///
  /// - Parameters:
  ///   - metadata: Values as for ``NSPersistentStoreCoordinator/setMetadata(_:for:)``.
  ///   - url: The file.
  /// - Throws: `NSError`.
  public class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreAt url: URL
  ) throws {
    try asFoundation {
      var (type, current) = try StoreTypeNames.storeMetadata(at: url)
      current.userValues = [:]
      try current.takeUserValues(of: metadata ?? [:])
      try PersistentStoreCoordinator.replaceStoredMetadata(
        of: type, at: url, with: current, options: [:])
    }
  }

  // MARK: - Attachment

  /// Does nothing. Core Data calls it after a store was added; here only a program may call it.
  public func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Does nothing. Core Data calls it before a store is removed; here only a program may call it. To remove a store,
  /// call ``NSPersistentStoreCoordinator/remove(_:)``.
  public func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}
}

extension NSPersistentStore {
  /// Makes the object for a store.
  @Sendable static func make(_ store: any PersistentStore) -> any StoreWrapper {
    NSPersistentStore(store)
  }

  /// Returns the object for an attached store, the same one each time.
  static func of(_ attached: AttachedStore) -> NSPersistentStore {
    attached.face(make) as? NSPersistentStore ?? NSPersistentStore(attached.store)
  }

  /// Returns the object for a store of a coordinator, the same one each time.
  static func of(
    _ store: any PersistentStore, in coordinator: PersistentStoreCoordinator
  ) -> NSPersistentStore {
    coordinator.attachedStore(for: store).map(of) ?? NSPersistentStore(store)
  }

  /// Returns the objects for a list of stores.
  static func all(of stores: [any PersistentStore]?) -> [NSPersistentStore]? {
    stores?.map { store in
      store.persistentStoreCoordinator.map { of(store, in: $0) } ?? NSPersistentStore(store)
    }
  }
}

/// Options as the program gave them.
private struct GivenOptions: @unchecked Sendable {
  // Sendable: they are only returned to the program that gave them.
  let options: [AnyHashable: Any]
}
