// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery
import RoostStore

extension PersistentStoreCoordinator {
  /// The stores in the order in which they were added.
  public var persistentStores: [NSPersistentStore] { attachedStores.map { .of($0) } }

  /// Returns the store at a URL; nil when none is attached there.
  ///
  /// - Parameter url: The URL; other names of the same file are equivalent.
  public func persistentStore(for url: URL) -> NSPersistentStore? {
    attachedStore(at: url).map { .of($0) }
  }

  /// Returns the URL of a store: `/dev/null` for one without a URL, and the last URL for one that is not attached.
  public func url(for store: NSPersistentStore) -> URL {
    url(for: store.store) ?? store.url ?? URL(filePath: "/dev/null")
  }

  /// Connects a store to a file that was moved. IDs, objects and the store stay valid.
  ///
  /// - Parameters:
  ///   - url: The new URL of the store: an existing store with the same UUID.
  ///   - store: An attached store.
  /// - Returns: Whether it succeeded; if not, the store stays at its old URL.
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    (try? setURL(url, for: store.store) as any PersistentStore) != nil
  }
}

extension ObjectID {
  /// The store that holds the record, or is assigned to the object; nil for a temporary ID without an assigned store,
  /// and after the store was removed.
  public var persistentStore: NSPersistentStore? { attachedStore.map { .of($0) } }
}

extension FetchRequest {
  /// The stores to search; nil for all that hold the entity. Removed stores are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get {
      affectedStoreIdentities?.compactMap { ($0.attachedObject as? AttachedStore).map { .of($0) } }
    }
    set { affectedStoreIdentities = newValue?.map(\.store.identity) }
  }
}

extension BatchInsertRequest {
  /// The stores to use; nil for all that hold the entity. Removed stores are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension BatchUpdateRequest {
  /// The stores to use; nil for all that hold the entity. Removed stores are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension BatchDeleteRequest {
  /// The stores to use; nil for all that hold the entity. Removed stores are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}
