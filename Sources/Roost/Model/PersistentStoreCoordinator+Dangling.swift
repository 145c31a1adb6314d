// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Lists the relationships of a store that lead to records of other stores which cannot be reached: because their
  /// store is not attached, or has no such record any more.
  ///
  /// ```swift
  /// let dangling = try coordinator.danglingReferences(in: notes)
  /// try dangling.filter { $0.cause == .recordGone }.nullify()
  /// ```
  ///
  /// - Parameter store: The store whose references are looked at.
  /// - Throws: `storeRemoved` when it is not attached, or what a store throws.
  /// - Complexity: The numbers of all records that the store refers to, a question to each store for whether they are
  ///   there, and for those that are not a request for each relationship that may lead there.
  public func danglingReferences(in store: any PersistentStore) throws -> DanglingReferences {
    try DanglingReferences(of: store, in: self)
  }
}
