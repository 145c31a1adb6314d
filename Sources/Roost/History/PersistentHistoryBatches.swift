// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects

extension ManagedObjectContext {
  /// Returns the result of a request for the history in batches, each of which is read from the stores when it is
  /// asked for: a history of any length is read in the memory of one batch.
  ///
  /// Each batch is in the order of the history, as the whole result would be. Transactions that are committed after
  /// the first batch was read are not in the result. The request's result type decides whether transactions have their
  /// changes.
  ///
  /// ```swift
  /// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
  /// request.fetchBatchSize = 500
  /// let batches = try context.fetchBatches(request)
  /// while let transactions = try batches.next() { index(transactions) }
  /// ```
  /// - Parameter request: The request; its `fetchBatchSize` is the most transactions that are read from a store at
  ///   once, 100 when it is 0. Transactions of one save over several stores may make a batch larger.
  /// - Returns: The batches. Nothing is read yet.
  /// - Throws: `PersistenceError` with code `invalidRequest` for a deletion or an unsuitable fetch request,
  ///   `persistentStoreUnsupportedRequestType` when a requested store keeps no history, or `storeRemoved`.
  /// - Complexity: O(1).
  public func fetchBatches(
    _ request: PersistentHistoryChangeRequest
  ) throws -> PersistentHistoryBatches {
    PersistentHistoryBatches(try request.batches(in: self, usual: 100))
  }
}

/// The result of a request for the history, read batch by batch.
///
/// ```swift
/// let batches = try context.fetchBatches(request)
/// while let transactions = try batches.next() { print(transactions.count) }
/// ```
public final class PersistentHistoryBatches {
  private var portions: HistoryPortions

  init(_ portions: HistoryPortions) {
    self.portions = portions
  }

  /// Reads the next batch.
  ///
  /// - Returns: At least one transaction; nil at the end.
  /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired` when the history of a store does not go
  ///   back to the start of the request, or was deleted beyond the last batch meanwhile; or the error of a store.
  ///   After an error the next call tries the same batch again.
  /// - Complexity: One round trip for each store, or several when few transactions match the fetch request.
  public func next() throws -> [PersistentHistoryTransaction]? {
    // After an error the batch is not passed over.
    var portions = portions
    let found = try portions.next()
    self.portions = portions
    return found
  }
}

@available(*, unavailable)
extension PersistentHistoryBatches: Sendable {}
