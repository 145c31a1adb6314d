// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// The object that another API than Roost's own, as Core Data's, shows for an attached store. A store has one, so that
/// programs can compare them.
package protocol StoreFace: AnyObject, Sendable {
  /// Tells what it stands for: the store was opened anew at another place.
  func show(_ store: any PersistentStore)
}

extension PersistentStoreCoordinator {
  /// Lets notifications carry what stands for a store, in the place of the store.
  package func post(_ makeFace: @escaping @Sendable (any PersistentStore) -> any StoreFace) {
    state.withLock { $0.makeFace = makeFace }
  }
}

extension AttachedStore {
  /// What stands for the store: the same object for as long as it is attached.
  package func face(
    _ make: (any PersistentStore) -> any StoreFace
  ) -> any StoreFace {
    changeFace { face in
      if let face { return face }
      let new = make(store)
      face = new
      return new
    }
  }

  /// Lets what stands for this store stand for another one, which takes its place.
  func giveFace(to other: AttachedStore) {
    guard let face = changeFace({ $0 }) else { return }
    other.changeFace { $0 = face }
    face.show(other.store)
  }
}
