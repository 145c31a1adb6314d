// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects

extension ManagedObjectContext {
  /// Whether the context automatically merges saves of other coordinators and other processes, in addition to those
  /// of its own coordinator. Setting it also turns on `automaticallyMergesChangesFromParent`, whose documentation
  /// says where and when changes are merged.
  ///
  /// Stores announce writes, and are also polled every one to ten seconds. For a store with a history only the
  /// changed records are read again; for any other store, all registered objects are read again after any write. It
  /// may be set from any thread. A child of another context cannot have it, because it sees what its parent sees: its
  /// next save would throw `invalidRequest`.
  ///
  /// ```swift
  /// context.mergesRemoteChanges = true
  /// ```
  public var mergesRemoteChanges: Bool {
    get { HistoryMerging(of: self).isAutomatic }
    set { HistoryMerging(of: self).isAutomatic = newValue }
  }

  /// Merges everything that any process has saved since a token, as `mergeChanges(fromContextDidSave:)` does for one
  /// save.
  ///
  /// Registered objects that were changed are read again and keep their unsaved changes; deleted ones are removed.
  /// Saves of this context are merged too, without effect.
  ///
  /// ```swift
  /// token = try context.mergeHistory(after: token)
  /// ```
  /// - Parameter token: The token of the last merge; nil for everything that the stores keep.
  /// - Returns: The token for the next merge.
  /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired`, without merging anything: then refresh
  ///   all objects, and continue from the coordinator's current token.
  /// - Complexity: One round trip for each store for the history, and at most one for the rows of registered objects.
  public func mergeHistory(
    after token: PersistentHistoryToken?
  ) throws -> PersistentHistoryToken {
    try HistoryMerging(of: self).merge(after: token)
  }
}

extension ManagedObjectContext.DidSaveObjectIDsMessage {
  /// The token of the stores' histories after the save, for the stores that report it with the commit: all but
  /// PostgreSQL stores. nil if none does, and for the save of a child into its parent. Earlier saves by others are
  /// before it, too.
  public var historyToken: PersistentHistoryToken? { token }
}

// Typed results of history requests.
extension PersistentHistoryResult {
  /// The number of transactions that were found or deleted.
  public var count: Int { number }

  /// The transactions; nil unless they were requested.
  public var transactions: [PersistentHistoryTransaction]? {
    result as? [PersistentHistoryTransaction]
  }

  /// The changes of all transactions, in their order; nil unless they were requested.
  public var changes: [PersistentHistoryChange]? { result as? [PersistentHistoryChange] }

  /// The changed records, each once, in the order of their first changes; nil unless they were requested.
  public var objectIDs: [ObjectID]? { resultType == .objectIDs ? result as? [ObjectID] : nil }
}

extension PersistentHistoryTransaction {
  /// The ID shared by the transactions of one save to several stores; nil for a save to one store. These transactions
  /// are adjacent in an answer, unless the order of a store prevents it.
  ///
  /// ```swift
  /// let together = transactions.filter { $0.saveID == transaction.saveID }
  /// ```
  public var saveID: UUID? { commonSaveID }
}

extension PersistentHistoryChange {
  /// The previous values of the record, under the model's names: for an update those of the changed properties, for a
  /// deletion all of them; nil for an insertion, and if the history did not record values
  /// (``StoreOption/historyLevel``).
  ///
  /// A property without a value is ``Value/null``, a to-one relationship the ID of its destination. To-many
  /// relationships are not listed: they are recorded at their other ends, or as links without a record of their own.
  ///
  /// ```swift
  /// if case .string(let name) = change.previousValues?["name"] { print("was called", name) }
  /// ```
  public var previousValues: [String: Value]? { earlierValues }
}

extension PersistentHistoryChangeRequest {
  /// Whether a deletion also removes transactions that consumers have not acknowledged; false by default. Such
  /// consumers then receive a reset.
  ///
  /// ```swift
  /// let request = PersistentHistoryChangeRequest.deleteHistory(before: token)
  /// request.ignoresConsumers = true
  /// ```
  public var ignoresConsumers: Bool {
    get { isForced }
    set { isForced = newValue }
  }

  /// The maximum number of transactions to fetch, the earliest first; 0 for all. Deletions ignore it.
  public var fetchLimit: Int {
    get { limit }
    set { limit = newValue }
  }

  /// The maximum number of transactions that are read from a store at once; 0 for all, and then that of the fetch
  /// request counts. Deletions ignore it.
  ///
  /// The result is the same. With a batch size, transactions that do not match the fetch request, and those that are
  /// only counted, are in memory a batch at a time. `fetchBatches(_:)` of a context also hands over the result in
  /// batches, which are read as they are asked for.
  ///
  /// ```swift
  /// request.fetchBatchSize = 500
  /// request.resultType = .count
  /// let count = try context.execute(request).count
  /// ```
  public var fetchBatchSize: Int {
    get { batchSize }
    set { batchSize = newValue }
  }
}
