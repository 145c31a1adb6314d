// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
import RoostStore
import Synchronization

/// A store of a coordinator: Core Data's class. There is one object for a store as long as it is attached, so stores
/// can be compared and kept in sets.
///
/// It is not made or subclassed: a store of another kind conforms to Roost's `PersistentStore` and is registered by its
/// name.
///
/// ```swift
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
/// store.metadata["imported"] = Date()
/// try context.save()
/// ```
public final class NSPersistentStore: NSObject, StoreFace, @unchecked Sendable {
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

  // MARK: - What it is

  /// The coordinator; nil after the store was removed.
  public var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    store.persistentStoreCoordinator
  }

  /// The name of the store's type, as ``NSSQLiteStoreType``.
  public var type: String { store.description.type.rawValue }

  /// The file; nil for a store without a place.
  public var url: URL? { store.description.url }

  /// The store's UUID, which stands in the URIs of its objects.
  public var identifier: String! { store.identity.identifier }

  /// The configuration whose entities the store holds; `PF_DEFAULT_CONFIGURATION_NAME` for all.
  public var configurationName: String {
    store.description.configuration ?? DefaultConfiguration.name
  }

  /// Whether the store refuses to be written.
  public var isReadOnly: Bool { store.isReadOnly }

  /// The options with which the store was added, as they were given; nil for none.
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

  /// The metadata by Core Data's keys, and what the program added by its own. What is set is written by the next save;
  /// values for Core Data's keys are the store's and stay as they are.
  ///
  /// A value that metadata cannot keep ends the program: see ``NSPersistentStoreCoordinator/setMetadata(_:for:)``.
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

  /// Finds out whether the store has metadata. They are read when the store is added, so this only throws for a store
  /// that was removed.
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

  /// Reads the metadata of a store whose type is not known, by Core Data's keys.
  ///
  /// - Parameter url: The file.
  /// - Throws: `NSError`: that of ``NSSQLiteStoreType`` when no type of store knows the file.
  public class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try asFoundation { try StoreTypeNames.storeMetadata(at: url).metadata.keyed }
  }

  /// Sets what the program adds to the metadata of a store that is not attached and whose type is not known.
  ///
  /// - Parameters:
  ///   - metadata: What ``NSPersistentStoreCoordinator/setMetadata(_:for:)`` takes.
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

  // MARK: - Where it is attached

  /// Called by Core Data after a store was added; here a program may call it, and nothing happens.
  public func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called by Core Data before a store is removed; here a program may call it, and nothing happens. To remove a store
  /// call ``NSPersistentStoreCoordinator/remove(_:)``.
  public func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}
}

extension NSPersistentStore {
  /// Makes what stands for a store.
  @Sendable static func make(_ store: any PersistentStore) -> any StoreFace {
    NSPersistentStore(store)
  }

  /// The one object for an attached store.
  static func of(_ attached: AttachedStore) -> NSPersistentStore {
    attached.face(make) as? NSPersistentStore ?? NSPersistentStore(attached.store)
  }

  /// The one object for a store of a coordinator.
  static func of(
    _ store: any PersistentStore, in coordinator: PersistentStoreCoordinator
  ) -> NSPersistentStore {
    coordinator.attachedStore(for: store).map(of) ?? NSPersistentStore(store)
  }

  /// The objects for the stores of a list.
  static func all(of stores: [any PersistentStore]?) -> [NSPersistentStore]? {
    stores?.map { store in
      store.persistentStoreCoordinator.map { of(store, in: $0) } ?? NSPersistentStore(store)
    }
  }
}

/// Options in the form in which a program gave them.
private struct GivenOptions: @unchecked Sendable {
  // Sendable: they are handed back to the program that gave them, and not used here.
  let options: [AnyHashable: Any]
}
