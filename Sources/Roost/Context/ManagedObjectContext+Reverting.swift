// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects

extension PersistentHistoryTransaction {
  /// The numbers of the transactions of its store that this transaction reverts
  /// (``ManagedObjectContext/revert(_:force:)``).
  public var revertedTransactionNumbers: [Int64] { reverted }
}

extension ManagedObjectContext {
  /// Reverts a transaction of the history: applies its inverse as changes of this context, for the next save.
  ///
  /// Inserted objects are deleted, deleted ones are inserted again under their IDs, with all relationships whose
  /// destinations exist, and changed ones get their previous values, property by property. The transaction and later
  /// saves are merged into the context first. A property that was changed since, or has unsaved changes, is left
  /// alone and listed in the report; one that was changed back counts as unchanged. Reverting the transaction that
  /// saved a revert restores the original state.
  ///
  /// Validation and delete rules run at the save as usual, and the undo manager can undo the changes.
  ///
  /// ```swift
  /// let last = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)).transactions?.last
  /// if let last, try context.revert(last).isComplete { try context.save() }
  /// ```
  /// - Parameters:
  ///   - transaction: The transaction, fetched with its changes, of a store whose history records values
  ///     (``StoreOption/historyLevel``).
  ///   - force: Whether properties that were changed since get their previous values, too.
  /// - Returns: The changed objects, and what was left alone.
  /// - Throws: `PersistenceError` with code `persistentStoreUnsupportedRequestType` when the history records no
  ///   values, `invalidRequest` for a transaction without its changes and in a child of another context,
  ///   `storeRemoved` when the store is not attached, `persistentHistoryTokenExpired` when later transactions are not
  ///   kept, or when a migration has given the name of a changed property to another one, or the error of a store.
  ///   Nothing is changed then, but later saves may have been merged.
  /// - Complexity: One round trip for the history since, one for the records, and some for the restored
  ///   relationships; O(changes since the transaction).
  @discardableResult public func revert(
    _ transaction: PersistentHistoryTransaction, force: Bool = false
  ) throws -> RevertReport {
    RevertReport(try Reverting(in: self).revert([transaction], isForced: force))
  }
}
