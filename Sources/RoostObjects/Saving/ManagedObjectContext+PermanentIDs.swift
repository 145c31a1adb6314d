// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// Gives new objects their permanent IDs before they are saved; they stay inserted.
  ///
  /// - Parameter objects: Objects of this context; those that have a permanent ID are skipped.
  /// - Throws: ``PersistenceError`` with code `noStore` or `readOnlyStore`.
  /// - Complexity: At most one round trip a store.
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
