// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore
import Synchronization

/// A store that is made to be filled with what another one holds, attached to a coordinator. Until it is finished its
/// metadata say that it is not, so that nobody takes a part for the whole after a crash.
package struct UnfinishedStore {
  /// The store.
  package let store: AttachedStore

  /// Makes a store, or takes an empty one, and attaches it.
  ///
  /// - Parameters:
  ///   - description: Where and how. What is left of an earlier attempt has been removed.
  ///   - entityCodes: The codes that the entities are to have, with those that must not be given.
  ///   - coordinator: The coordinator, which no other thread uses.
  /// - Throws: What adding a store throws.
  package init(
    _ description: PersistentStoreDescription, entityCodes: [String: Int],
    in coordinator: PersistentStoreCoordinator
  ) throws {
    var description = description
    let log = coordinator.makeLog(for: description)
    description.log = log
    let opened = try StoreOpening(
      model: coordinator.managedObjectModel, description: description, isCopy: true,
      entityCodes: entityCodes, monitor: coordinator.migrations
    ).run()
    store = coordinator.state.withLock { state in
      let attached = AttachedStore(
        store: opened.store, schema: opened.schema, order: state.nextOrder, log: log,
        clock: coordinator.clock)
      state.nextOrder += 1
      attached.attach(to: coordinator)
      state.list = state.list.adding(attached)
      return attached
    }
  }

  /// Writes that a store is complete, with what else its metadata are to say.
  ///
  /// - Throws: What the store throws.
  package static func finish(
    _ store: AttachedStore, _ edit: (inout StoreMetadata) -> Void
  ) throws {
    var metadata = store.store.metadata
    metadata.isUnfinishedCopy = false
    edit(&metadata)
    let changes = StoreChangeSet(metadata: metadata)
    guard case .committed = try store.requesting({ try $0.commit(changes) }) else {
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
