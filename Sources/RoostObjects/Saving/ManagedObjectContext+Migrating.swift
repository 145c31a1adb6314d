// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Operations that a migration needs on its target context.
extension ManagedObjectContext {
  /// Gives a new object an ID chosen by the caller, which no other record has or will get.
  package func makePermanent(_ object: ManagedObject, as id: ObjectID) {
    checkQueue()
    saver.becomePermanent(object, id)
  }

  /// Saves objects that may be incomplete, without validation.
  ///
  /// - Throws: The errors of `save()`, without validation errors.
  package func saveUnchecked() throws {
    saving.isUnchecked = true
    defer { saving.isUnchecked = false }
    try save()
  }
}
