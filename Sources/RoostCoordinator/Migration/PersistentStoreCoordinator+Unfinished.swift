// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

// Stores that are made to be filled with what another one holds.
extension PersistentStoreCoordinator {
  /// Makes a store, or takes an empty one, and attaches it. Until ``finish(_:_:)`` its metadata say that it is
  /// unfinished, so that nobody takes a part for the whole after a crash.
  ///
  /// - Parameters:
  ///   - description: Where and how. What is left of an earlier attempt has been removed.
  ///   - entityCodes: The codes that the entities are to have, with those that must not be given.
  /// - Returns: The store.
  /// - Throws: What adding a store throws.
  package func addUnfinishedStore(
    with description: PersistentStoreDescription, entityCodes: [String: Int]
  ) throws -> AttachedStore {
    var description = description
    let log = makeLog(for: description)
    description.log = log
    let opened = try StoreOpening(
      model: managedObjectModel, description: description, isCopy: true, entityCodes: entityCodes,
      monitor: migrations
    ).run()
    let attached = state.withLock { state in
      let attached = AttachedStore(
        store: opened.store, schema: opened.schema, order: state.nextOrder, log: log, clock: clock)
      state.nextOrder += 1
      attached.attach(to: self)
      state.list = state.list.adding(attached)
      return attached
    }
    return attached
  }

  /// Writes that a store is complete, with what else its metadata are to say.
  ///
  /// - Throws: What the store throws.
  package func finish(
    _ store: AttachedStore, _ edit: (inout StoreMetadata) -> Void
  ) throws {
    var metadata = store.store.metadata
    metadata.isUnfinishedCopy = false
    edit(&metadata)
    guard case .committed = try store.requesting({ try $0.commit(StoreChangeSet(metadata: metadata)) })
    else {
      throw PersistenceError(
        .persistentStoreSave, "Others wrote the store that is being made.",
        store: store.displayName)
    }
  }
}

extension PersistentStoreDescription {
  /// Removes a store that was made, with the empty file that is left of it, as far as that is possible.
  package func discardStore() {
    removeStore()
  }

  /// How errors name the store.
  package var displayName: String {
    StoreNaming.displayName(url: url, identifier: type.rawValue)
  }

  /// Whether another description means the same place.
  package func hasPlace(of other: PersistentStoreDescription) -> Bool {
    guard let place = StoreNaming.place(of: url) else { return false }
    return place == StoreNaming.place(of: other.url)
  }
}
