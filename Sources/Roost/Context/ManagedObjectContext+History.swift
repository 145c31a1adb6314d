// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects

extension ManagedObjectContext {
  /// Whether the context takes over by itself what other coordinators and other processes save, besides the saves of
  /// its own coordinator: `automaticallyMergesChangesFromParent` is switched on with it, and says where and when it
  /// merges.
  ///
  /// The stores say when they were written, and are looked at every one to ten seconds besides. Of a store that keeps
  /// a history only what was written is read anew; of any other one, all registered objects are when anything was
  /// written. It may be set from any thread; a child of another context cannot have it, because it sees what its parent
  /// sees: its next save throws `invalidRequest` then.
  ///
  /// ```swift
  /// context.mergesRemoteChanges = true
  /// ```
  public var mergesRemoteChanges: Bool {
    get { HistoryMerging(of: self).isAutomatic }
    set { HistoryMerging(of: self).isAutomatic = newValue }
  }

  /// Takes over everything that was saved since a token, by any process, as `mergeChanges(fromContextDidSave:)` does
  /// for one save.
  ///
  /// Objects that are registered here and were changed are read anew and keep what was changed here; deleted ones
  /// leave. What this context has saved itself is merged too, which changes nothing.
  ///
  /// ```swift
  /// token = try context.mergeHistory(after: token)
  /// ```
  /// - Parameter token: Where the last merge ended; nil for all that the stores keep.
  /// - Returns: The token to go on from.
  /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired`: then refresh all objects, and go on from
  ///   the coordinator's current token. Nothing is merged then.
  /// - Complexity: One round trip a store for the history, and at most one for the rows of objects that are registered.
  public func mergeHistory(
    after token: PersistentHistoryToken?
  ) throws -> PersistentHistoryToken {
    try HistoryMerging(of: self).merge(after: token)
  }
}

extension ManagedObjectContext.DidSaveObjectIDsMessage {
  /// The token of the stores' histories after the save, of the stores that know it without being asked: all but
  /// PostgreSQL's do. nil where none does, and for the save of a child into its parent. What others had saved before is
  /// behind it, too.
  public var historyToken: PersistentHistoryToken? { token }
}

// What the result of a request about history tells, typed.
extension PersistentHistoryResult {
  /// The number of transactions that were found, or removed.
  public var count: Int { number }

  /// The transactions; nil unless they were asked for.
  public var transactions: [PersistentHistoryTransaction]? {
    result as? [PersistentHistoryTransaction]
  }

  /// The changes of all transactions, in their order; nil unless they were asked for.
  public var changes: [PersistentHistoryChange]? { result as? [PersistentHistoryChange] }

  /// The records that were changed, each once, in the order of their first changes; nil unless they were asked for.
  public var objectIDs: [ObjectID]? { resultType == .objectIDs ? result as? [ObjectID] : nil }
}

extension PersistentHistoryTransaction {
  /// What the transactions of one save have in common that has written to several stores; nil for that of a save in one
  /// store. They follow one another in an answer, unless the order of a store is against it.
  ///
  /// ```swift
  /// let together = transactions.filter { $0.saveID == transaction.saveID }
  /// ```
  public var saveID: UUID? { commonSaveID }
}

extension PersistentHistoryChange {
  /// What the record held before, under the model's names: for an update the properties that changed, for a deletion
  /// all of them; nil for an insertion, and where the history did not keep values (``StoreOption/historyLevel``).
  ///
  /// A property without a value is there as ``Value/null``, a to-one relationship as the ID of its destination. To-many
  /// relationships are not listed: their other ends are, or links that have no record of their own.
  ///
  /// ```swift
  /// if case .string(let name) = change.previousValues?["name"] { print("was called", name) }
  /// ```
  public var previousValues: [String: Value]? { earlierValues }
}

extension PersistentHistoryChangeRequest {
  /// Whether a deletion removes also what consumers have not acknowledged yet; false. These get a reset then.
  ///
  /// ```swift
  /// let request = PersistentHistoryChangeRequest.deleteHistory(before: token)
  /// request.ignoresConsumers = true
  /// ```
  public var ignoresConsumers: Bool {
    get { isForced }
    set { isForced = newValue }
  }

  /// The largest number of transactions that are found, the earliest ones; 0 for all. A deletion does not look at it.
  public var fetchLimit: Int {
    get { limit }
    set { limit = newValue }
  }
}
