// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Marks an object for deletion by the next save; prepareForDeletion is called now, the delete rules are applied at
  /// the end of the event. A never-saved object is forgotten.
  ///
  /// - Parameter object: An object of this context.
  public func delete(_ object: ManagedObject) {
    guard object.context === self else {
      readErrors.refuse(
        PersistenceError(
          .differentContexts, "An object of another context cannot be deleted here.",
          entityName: object.entity.name, objectIDs: [object.objectID]))
      return
    }
    checkQueue()
    // The version to delete is the one that this context has read: later versions are a conflict (B176).
    if object.isFault, object.row != nil { _ = object.fire() }
    object.prepareForDeletion()
    deletion.markDeleted(object)
  }
}
