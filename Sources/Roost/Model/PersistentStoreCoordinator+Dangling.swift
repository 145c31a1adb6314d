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
}
