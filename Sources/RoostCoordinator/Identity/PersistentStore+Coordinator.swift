// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension PersistentStore {
  /// The coordinator that the store is attached to; nil before it was added and after it was removed.
  public var persistentStoreCoordinator: PersistentStoreCoordinator? {
    (identity.attachedObject as? AttachedStore)?.coordinator
  }
}
