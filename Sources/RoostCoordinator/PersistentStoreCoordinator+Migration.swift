// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore
import Synchronization

extension PersistentStoreCoordinator {
  /// Copies everything from a store to a new one of any type, attaches the new store and removes the old one.
  ///
  /// The old store's data is not deleted. The new store has a UUID of its own, so the URIs of the objects change;
  /// their numbers do not. Saves of this coordinator to the old store wait until the copy is made.
  ///
  /// The copy is consistent, even while other processes write: a store with snapshots (SQLite, memory) is copied from
  /// a snapshot, and the copy of any other store starts again if it was written meanwhile. Until the copy is
  /// complete, the new store is marked as unfinished: if the process ends before that, it cannot be opened as a
  /// store, and the next migration replaces it.
  ///
  /// ```swift
  /// let progress = Progress(totalUnitCount: -1)
  /// let file = try coordinator.migratePersistentStore(
  ///   draft, to: url, type: .sqlite, progress: progress)
  /// ```
  ///
  /// - Parameters:
  ///   - store: An attached store.
  ///   - url: The URL of the new store; nil for a store without one.
  ///   - options: Options of the new store.
  ///   - type: The type of the new store.
  ///   - progress: Reports the copied records; cancelling it cancels the copy.
  /// - Returns: The new store, at the old one's index among the coordinator's stores.
  /// - Throws: ``PersistenceError`` with code `persistentStoreOpen` when there is a store at the URL already,
  ///   `storeBusy` when the store was written during each of five attempts, `userCancelled` after the progress was
  ///   cancelled, or what adding, reading and writing throw; then the old store is still attached and the new one is
  ///   removed.
  /// - Complexity: Two round trips for every 2000 records and for each of their link tables, more for large records;
  ///   memory for one batch of about 4 MB, and for the keys of one entity.
  @_disfavoredOverload
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL?, options: [String: MetadataValue] = [:],
    type: PersistentStoreType, progress: Progress? = nil
  ) throws -> any PersistentStore {
    let description = try Self.description(
      type: type, at: url, configuration: store.description.configuration, options: options)
    return try changing(store, and: url) { try migrate($0, to: description, progress) }
  }

  private func migrate(
    _ old: AttachedStore, to description: PersistentStoreDescription, _ progress: Progress?
  ) throws -> any PersistentStore {
    var description = description
    try refuseDuplicate(of: description)
    let log = makeLog(for: description)
    description.log = log
    let transfer = StoreTransfer(
      source: old, model: managedObjectModel, description: description, clock: clock,
      progress: progress)
    let destination = try transfer.openDestination()
    // Posted before the copy, so that it includes saves that observers make in response.
    post(.persistentStoreCoordinatorStoresWillChange, removed: [old])
    post(.persistentStoreCoordinatorWillRemoveStore, object: old)
    let new: AttachedStore
    do {
      old.commitLock.lock()
      defer { old.commitLock.unlock() }
      let filled = try transfer.fill(destination)
      new = filled.store
      // No record of the old store may be given a foreign number between the rewriting of references and the
      // exchange.
      storeChanges.referenceGate.lock()
      defer { storeChanges.referenceGate.unlock() }
      // Until the references are rewritten, the old store is the one that holds the records.
      do {
        try MovedReferences.rewrite(
          in: listedStores.stores.filter { $0 !== old }, from: old, to: new, filled.translation)
      } catch {
        new.close()
        description.removeStore()
        throw error
      }
      new.attach(to: self)
      state.withLock { $0.list = $0.list.replacing(old, with: new) }
      // A save that has waited for the copy must not reach the old store.
      old.letGo()
    } catch {
      post(.persistentStoreCoordinatorStoresDidChange)
      throw error
    }
    new.updateWatch()
    old.close()
    noteRemoval(of: old, successor: new)
    return new.store
  }

  /// Copies everything to a new store whose type is given by name.
  ///
  /// - Parameters:
  ///   - store: An attached store.
  ///   - url: The URL of the new store.
  ///   - options: Options of the new store.
  ///   - storeType: The name of a registered type.
  ///   - progress: Reports the copied records.
  /// - Returns: The new store.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType`, and what the typed form throws.
  @_disfavoredOverload
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL?, options: [String: MetadataValue]? = nil,
    withType storeType: String, progress: Progress? = nil
  ) throws -> any PersistentStore {
    try migratePersistentStore(
      store, to: url, options: options ?? [:], type: Self.registeredStoreType(named: storeType),
      progress: progress)
  }
}
