// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Assigns permanent IDs to new objects before they are saved; the objects stay inserted.
  ///
  /// - Parameter objects: Objects of this context; those with a permanent ID are skipped.
  /// - Throws: ``PersistenceError`` with code `noStore` or `readOnlyStore`.
  /// - Complexity: At most one round trip for each store.
  @_disfavoredOverload
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    checkQueue()
    try upstream.obtainPermanentIDsAbove(for: objects)
    let new = ContiguousArray(
      objects.filter { $0.context === self && $0.isInserted && $0.identity.isTemporaryID })
    for (object, id) in zip(new, try saver.choosePermanentIDs(for: new)) {
      saver.becomePermanent(object, id)
    }
  }
}
