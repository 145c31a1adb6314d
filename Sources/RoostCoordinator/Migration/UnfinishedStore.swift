// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore
import Synchronization

/// A newly created store, attached to a coordinator, to be filled with the contents of another one. Until it is
/// finished its metadata mark it as unfinished, so that it cannot be mistaken for a complete store after a crash.
package struct UnfinishedStore {
  /// The store.
  package let store: AttachedStore

  /// Creates a store, or uses an empty one, and attaches it.
  ///
  /// - Parameters:
  ///   - description: The description of the store. Remains of an earlier attempt have been removed.
  ///   - entityCodes: The entity codes to use, including reserved ones.
  ///   - coordinator: The coordinator, which no other thread uses.
  /// - Throws: Any error of adding a store.
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

  /// Marks a store as complete, and writes further metadata.
  ///
  /// - Throws: The error of the store.
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
  /// Removes a newly created store, with the empty file that may be left; errors are ignored.
  package func discardStore() {
    removeStore()
  }

  /// The name of the store in errors.
  package var displayName: String {
    StoreNaming.displayName(url: url, identifier: type.rawValue)
  }

  /// Whether another description has the same URL.
  package func hasPlace(of other: PersistentStoreDescription) -> Bool {
    guard let place = StoreNaming.place(of: url) else { return false }
    return place == StoreNaming.place(of: other.url)
  }
}
