// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The objects of a notification as lists, converted to sets when it is posted.
struct ObjectLists {
  var inserted: ContiguousArray<ManagedObject> = []
  var updated: ContiguousArray<ManagedObject> = []
  var deleted: ContiguousArray<ManagedObject> = []
  var refreshed: ContiguousArray<ManagedObject> = []
  var invalidated: ContiguousArray<ManagedObject> = []
  var invalidatedAll: [ObjectID] = []
  /// Whether all objects were invalidated, if there were any.
  var hasInvalidatedAll = false

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !hasInvalidatedAll
  }
}
