// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Marks an object for deletion by the next save; prepareForDeletion runs now, the delete rules are applied at
  /// the end of the event. An object that was never saved is forgotten.
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
    // What is deleted is the version that this context has seen: later ones are a conflict (B176).
    if object.isFault, object.row != nil { _ = object.fire() }
    object.prepareForDeletion()
    deletion.markDeleted(object)
  }
}
