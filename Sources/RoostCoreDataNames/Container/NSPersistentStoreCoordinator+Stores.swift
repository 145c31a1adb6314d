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

  /// Returns the store at a place; nil when none is attached there.
  ///
  /// - Parameter url: The place; other names of the same file mean the same.
  public func persistentStore(for url: URL) -> NSPersistentStore? {
    attachedStore(at: url).map { .of($0) }
  }

  /// Returns the place of a store: `/dev/null` for one without a place, and for one that is not attached where it was.
  public func url(for store: NSPersistentStore) -> URL {
    url(for: store.store) ?? store.url ?? URL(filePath: "/dev/null")
  }

  /// Connects a store to a file that was moved. IDs, objects and the store stay what they are.
  ///
  /// - Parameters:
  ///   - url: Where the store is now: an existing store with the same UUID.
  ///   - store: An attached store.
  /// - Returns: Whether it did; if not, the store is where it was.
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    (try? setURL(url, for: store.store) as any PersistentStore) != nil
  }
}

extension ObjectID {
  /// The store that holds the record, or is to: nil for a temporary ID whose object was not assigned to a store, and
  /// after the store was removed.
  public var persistentStore: NSPersistentStore? { attachedStore.map { .of($0) } }
}

extension FetchRequest {
  /// The stores that are searched; nil for all that hold the entity. Stores that were removed are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get {
      affectedStoreIdentities?.compactMap { ($0.attachedObject as? AttachedStore).map { .of($0) } }
    }
    set { affectedStoreIdentities = newValue?.map(\.store.identity) }
  }
}

extension BatchInsertRequest {
  /// The stores that are asked; nil for all that hold the entity. Stores that were removed are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension BatchUpdateRequest {
  /// The stores that are asked; nil for all that hold the entity. Stores that were removed are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension BatchDeleteRequest {
  /// The stores that are asked; nil for all that hold the entity. Stores that were removed are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}
