// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Opens a store again that was closed for a change of its place. IDs and objects of it stay valid.
struct StoreReconnection {
  private let closed: AttachedStore
  private let coordinator: PersistentStoreCoordinator

  /// - Parameter closed: A store of the coordinator's list that was closed.
  init(of closed: AttachedStore, in coordinator: PersistentStoreCoordinator) {
    (self.closed, self.coordinator) = (closed, coordinator)
  }

  /// Opens the store at a place, and takes it into the list instead of the closed one.
  @discardableResult
  func connect(to description: PersistentStoreDescription) throws -> any PersistentStore {
    let opened = try StoreOpening(
      model: coordinator.managedObjectModel, description: description,
      monitor: coordinator.migrations
    ).run()
    let new = AttachedStore(
      store: opened.store, schema: opened.schema, order: closed.order, log: closed.log,
      clock: coordinator.clock)
    new.pendingMetadata = closed.pendingMetadata
    new.attach(to: coordinator)
    closed.identity.attach(new.reference)
    closed.giveFace(to: new)
    coordinator.state.withLock { $0.list = $0.list.replacing(closed, with: new) }
    new.updateWatch()
    return opened.store
  }

  /// Opens the store at its own place. When it is not there any more, it is removed from the coordinator.
  ///
  /// - Returns: Whether it is connected.
  @discardableResult func restore() -> Bool {
    let description = closed.store.description
    do {
      let found = try description.type.driver.metadata(of: description)
      guard found?.identifier == closed.identity.identifier else { throw closed.removedError }
      try connect(to: description)
      return true
    } catch {
      coordinator.state.withLock { $0.list = $0.list.removing(closed) }
      coordinator.noteRemoval(of: closed)
      return false
    }
  }
}
