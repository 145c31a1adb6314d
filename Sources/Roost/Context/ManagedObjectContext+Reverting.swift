// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects

extension PersistentHistoryTransaction {
  /// The numbers of the transactions of its store that it takes back: those that were reverted before the save
  /// (``ManagedObjectContext/revert(_:force:)``).
  public var revertedTransactionNumbers: [Int64] { reverted }
}

extension ManagedObjectContext {
  /// Takes a transaction of the history back: makes its inverse as changes of this context, for the next save.
  ///
  /// What the transaction inserted is deleted, what it deleted is inserted again under its ID, with all relationships
  /// whose other ends are there, and what it changed has the values from before, property by property. What others have
  /// saved since is merged into the context first. A property that was changed since is left alone and stands in the
  /// report, and so is one with unsaved changes; one that was changed back counts as unchanged. Reverting the
  /// transaction that saved a revert gives the first state again.
  ///
  /// Validation and delete rules run at the save as they always do, and the save can be undone by the undo manager.
  ///
  /// ```swift
  /// let last = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)).transactions?.last
  /// if let last, try context.revert(last).isComplete { try context.save() }
  /// ```
  /// - Parameters:
  ///   - transaction: The transaction, fetched with its changes, of a store whose history keeps values
  ///     (``StoreOption/historyLevel``).
  ///   - force: Whether properties that were changed since get the values from before all the same.
  /// - Returns: What was changed, and what was left alone.
  /// - Throws: `PersistenceError` with code `persistentStoreUnsupportedRequestType` when the history keeps no values,
  ///   `invalidRequest` for a transaction without its changes and in a child of another context, `storeRemoved` when
  ///   the store is not attached, or what a store says. Nothing is changed then, but what was saved since may be
  ///   merged.
  /// - Complexity: One round trip for the history since, one for the records, and some for the relationships that are
  ///   put back; O(changes since the transaction).
  @discardableResult public func revert(
    _ transaction: PersistentHistoryTransaction, force: Bool = false
  ) throws -> RevertReport {
    RevertReport(try Reverting(in: self).revert(transaction, isForced: force))
  }
}
