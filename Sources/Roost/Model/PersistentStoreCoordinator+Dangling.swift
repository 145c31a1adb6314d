// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Lists the references of a store to records of other stores that cannot be reached: because their store is not
  /// attached, or no longer has the record.
  ///
  /// ```swift
  /// let dangling = try coordinator.danglingReferences(in: notes)
  /// try dangling.filter { $0.cause == .recordGone }.nullify()
  /// ```
  ///
  /// - Parameter store: The store whose references are checked.
  /// - Throws: `storeRemoved` when it is not attached, or the error of a store.
  /// - Complexity: Reads the foreign numbers of all records that the store refers to, checks their existence in each
  ///   store, and for missing ones makes a request for each relationship that may lead there.
  public func danglingReferences(in store: any PersistentStore) throws -> DanglingReferences {
    try DanglingReferences(of: store, in: self)
  }

  /// Removes what a store has stored about deleted records of other stores to which nothing in it refers any more.
  ///
  /// For each record of another store to which it refers, a store has an entry, which stays when the last reference
  /// is cleared. Nothing goes wrong while entries stay: this is maintenance for a store that has referred to many
  /// records that were deleted since. An entry is kept while its record exists or its store is not attached, and
  /// where a history with previous values, of either store, can bring the record or a reference back.
  ///
  /// ```swift
  /// let count = try coordinator.removeUnusedReferences(in: notes)
  /// ```
  ///
  /// - Parameter store: The store that refers to others.
  /// - Returns: The number of removed entries; 0 also for a SQLite database in memory, and for a schema that is used
  ///   with two versions of its model at once.
  /// - Throws: `storeRemoved` when it is not attached, `readOnlyStore`, `saveInDoubt` while a save over several stores
  ///   waits for its decision, `storeBusy`, or the error of the store; nothing is removed then.
  /// - Complexity: Looks for each record in its store, and reads all records of this store that have to-one
  ///   relationships. Others wait meanwhile when they write the store; on a server, only those that refer anew to
  ///   records of other stores.
  public func removeUnusedReferences(in store: any PersistentStore) throws -> Int {
    try UnusedReferences(of: store, in: self).remove()
  }
}
