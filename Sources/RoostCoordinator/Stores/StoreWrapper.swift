// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// The object that stands for an attached store in another API, such as Core Data's. A store has only one, so that
/// programs can compare them.
package protocol StoreWrapper: AnyObject, Sendable {
  /// Updates the store that the object stands for: the store was reopened at another URL.
  func show(_ store: any PersistentStore)
}

extension PersistentStoreCoordinator {
  /// Makes notifications carry the stand-in object of a store instead of the store.
  package func post(_ makeFace: @escaping @Sendable (any PersistentStore) -> any StoreWrapper) {
    state.withLock { $0.makeFace = makeFace }
  }
}

extension AttachedStore {
  /// Returns the object that stands for the store: the same one for as long as the store is attached.
  package func face(
    _ make: (any PersistentStore) -> any StoreWrapper
  ) -> any StoreWrapper {
    changeFace { face in
      if let face { return face }
      let new = make(store)
      face = new
      return new
    }
  }

  /// Hands the stand-in object over to the store that replaces this one.
  func giveFace(to other: AttachedStore) {
    guard let face = changeFace({ $0 }) else { return }
    other.changeFace { $0 = face }
    face.show(other.store)
  }
}
