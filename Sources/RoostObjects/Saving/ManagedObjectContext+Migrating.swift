// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// What a migration needs of the context that it fills.
extension ManagedObjectContext {
  /// Gives a new object an ID that the caller has chosen, and that no other record has or will get.
  package func makePermanent(_ object: ManagedObject, as id: ObjectID) {
    checkQueue()
    saver.becomePermanent(object, id)
  }

  /// Saves objects that are not complete yet: no rule is checked.
  ///
  /// - Throws: What `save()` throws, without validation errors.
  package func saveUnchecked() throws {
    saving.isUnchecked = true
    defer { saving.isUnchecked = false }
    try save()
  }
}
