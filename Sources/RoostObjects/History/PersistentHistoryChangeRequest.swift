// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
public import RoostQuery
public import RoostStore

/// A request for the stores' transactions since a point, or a request to delete those before one.
///
/// Stores keep a history when they are added with ``StoreOption/historyTracking``; other stores are skipped.
///
/// ```swift
/// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
/// for transaction in try context.execute(request).transactions ?? [] {
///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
/// }
/// ```
public final class PersistentHistoryChangeRequest: ExecutableRequest {
  private let point: HistoryStart
  private let isDeletion: Bool
  /// The content of the result; ``PersistentHistoryResultType/transactionsAndChanges`` unless set.
  public var resultType = PersistentHistoryResultType.transactionsAndChanges
  /// The UUIDs of the requested stores; nil for all that keep a history.
  public var affectedStoreIdentifiers: [String]? {
    get { affected.identifiers }
    set { affected.identifiers = newValue }
  }
  /// The requested stores; nil for all that keep a history. Stores removed since they were set, and stores set by
  /// their UUIDs, are not listed.
  ///
  /// ```swift
  /// request.affectedStores = [localStore]
  /// ```
  @_disfavoredOverload
  public var affectedStores: [any PersistentStore]? {
    get { affected.stores }
    set { affected.stores = newValue }
  }
  package var affected = AffectedStores()
  /// A predicate on the transactions or on the changes, with a limit and an offset; nil for all. The entity is that
  /// of ``PersistentHistoryTransaction/fetchRequest`` or ``PersistentHistoryChange/fetchRequest``.
  ///
  /// ```swift
  /// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
  /// request.fetchRequest = PersistentHistoryTransaction.fetchRequest
  /// request.fetchRequest?.predicate = try FetchPredicate("author != %@", "import")
  /// ```
  public var fetchRequest: FetchRequest<any FetchRequestResult>?
  /// Whether a deletion also removes transactions that consumers have not acknowledged.
  @_disfavoredOverload
  package var isForced = false
  /// The maximum number of transactions, counted from the earliest; 0 for all.
  @_disfavoredOverload
  package var limit = 0
  /// The maximum number of transactions that are read from a store at once; 0 for all.
  @_disfavoredOverload
  package var batchSize = 0

  private init(_ point: HistoryStart, isDeletion: Bool = false) {
    self.point = point
    self.isDeletion = isDeletion
    if isDeletion { resultType = .statusOnly }
  }

  /// The token at which the request begins, or ends; nil for a request with a date, or without a start.
  public var token: PersistentHistoryToken? {
    switch point {
    case .token(let token): token
    case .transaction(let transaction): transaction.token
    case .time: nil
    }
  }

  /// ``PersistentStoreRequestType/persistentHistoryChangeRequestType``.
  public var requestType: PersistentStoreRequestType { .persistentHistoryChangeRequestType }

  // MARK: - Questions

  /// Creates a request for the transactions after a token.
  ///
  /// A store without an entry in the token returns all transactions that it keeps; a store with an entry that is not
  /// attached is skipped.
  ///
  /// - Parameter token: The token; nil for all transactions.
  public static func fetchHistory(
    after token: PersistentHistoryToken?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.token(token))
  }

  /// Creates a request for the transactions after a date.
  ///
  /// - Parameter date: The date.
  public static func fetchHistory(after date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.time(date))
  }

  /// Creates a request for the transactions after a given one, of its store.
  ///
  /// - Parameter transaction: The transaction; nil for all.
  @_disfavoredOverload
  public static func fetchHistory(
    after transaction: PersistentHistoryTransaction?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(transaction.map(HistoryStart.transaction) ?? .token(nil))
  }

  /// Creates a request for the transactions, or the changes, that match a fetch request.
  ///
  /// For transactions, the attributes are `author`, `bundleID`, `contextName`, `processID`, `saveID`, `storeID`,
  /// `timestamp` and `transactionNumber`, and the relationship `changes` leads to their changes. For changes, the
  /// attributes are `changeID`, `changeType`, `changedEntity`, a name, `changedObjectID` and `updatedProperties`,
  /// names, and the relationship `transaction` leads to the transaction; the result has the transactions of the
  /// matching changes, with these changes. The limit counts transactions, or changes.
  ///
  /// ```swift
  /// let changes = PersistentHistoryChange.fetchRequest
  /// changes.predicate = try FetchPredicate("changedObjectID == %@", person.objectID)
  /// let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
  /// for change in try context.execute(request).changes ?? [] { print(change.changeType) }
  /// ```
  /// - Parameter fetchRequest: The fetch request, without sort descriptors: the result is in the order of the
  ///   history.
  public static func fetchHistory(
    withFetch fetchRequest: FetchRequest<any FetchRequestResult>
  ) -> PersistentHistoryChangeRequest {
    let request = PersistentHistoryChangeRequest(.token(nil))
    request.fetchRequest = fetchRequest
    return request
  }

  // MARK: - Deletions

  /// Creates a request that removes the transactions before the last one covered by a token. That one stays, so the
  /// token remains valid.
  ///
  /// - Parameter token: The token; with nil nothing is removed.
  public static func deleteHistory(
    before token: PersistentHistoryToken?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.token(token), isDeletion: true)
  }

  /// Creates a request that removes the transactions before a date.
  ///
  /// - Parameter date: The date.
  public static func deleteHistory(before date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.time(date), isDeletion: true)
  }

  /// Creates a request that removes the transactions before a given one, of its store.
  ///
  /// - Parameter transaction: The transaction; with nil nothing is removed.
  @_disfavoredOverload
  public static func deleteHistory(
    before transaction: PersistentHistoryTransaction?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(
      transaction.map(HistoryStart.transaction) ?? .token(nil), isDeletion: true)
  }

  // MARK: - Executing

  /// Queries the stores.
  ///
  /// - Throws: ``PersistenceError`` with code `persistentHistoryTokenExpired` when the history of a store does not go
  ///   back to the point, `persistentStoreUnsupportedRequestType` when a requested store keeps no history,
  ///   `readOnlyStore` for a deletion, `unknownKey` or `invalidRequest` for an unsuitable fetch request, or an error
  ///   of a store.
  /// - Complexity: One round trip for each store, or for each batch of a store; O(changes) of the result, which is in
  ///   memory as a whole.
  public func execute(in context: ManagedObjectContext) throws -> PersistentHistoryResult {
    context.checkQueue()
    let coordinator = try context.coordinator()
    guard !isDeletion else {
      guard fetchRequest == nil else {
        throw PersistenceError(
          .invalidRequest, "A history is deleted up to a point, not by a fetch request."
        ).remedied(by: "Delete before a token, a transaction or a date.")
      }
      let count = try CoordinatorHistory(of: coordinator).delete(
        before: point, stores: affectedStoreIdentifiers, isForced: isForced)
      return PersistentHistoryResult(resultType: resultType, count: count, transactions: nil)
    }
    let history = CoordinatorHistory(of: coordinator)
    let question = try question()
    guard question.batchSize == nil else { return try executeInBatches(question, coordinator) }
    guard let filter = question.filter else {
      let found = try history.transactions(
        after: point, stores: affectedStoreIdentifiers, withChanges: question.withChanges,
        limit: question.limit)
      return PersistentHistoryResult(
        resultType: resultType, count: found.count, transactions: found)
    }
    let found = try history.transactions(
      after: point, stores: affectedStoreIdentifiers, withChanges: question.withChanges,
      limit: question.limit, where: filter)
    return PersistentHistoryResult(
      resultType: resultType, count: question.count(of: found), transactions: found)
  }
}

// MARK: - Batches

extension PersistentHistoryChangeRequest {
  /// The request after its check.
  private struct Question {
    var filter: HistoryFilter?
    var limit: Int?
    /// nil for everything at once.
    var batchSize: Int?
    var withChanges: Bool
    var countsChanges: Bool

    func count(of found: [PersistentHistoryTransaction]) -> Int {
      countsChanges ? found.reduce(0) { $0 + ($1.changes?.count ?? 0) } : found.count
    }
  }

  private func question() throws -> Question {
    let size = batchSize == 0 ? fetchRequest?.fetchBatchSize ?? 0 : batchSize
    guard limit >= 0, size >= 0 else {
      throw PersistenceError(
        .invalidRequest, "The limit and the batch size of a request are not negative.")
    }
    let filter = try fetchRequest.map { try HistoryFilter($0.criteria) }
    let countsChanges = resultType == .count && filter?.listsChanges == true
    return Question(
      filter: filter, limit: limit == 0 ? nil : limit, batchSize: size == 0 ? nil : size,
      withChanges: resultType.hasChanges || countsChanges, countsChanges: countsChanges)
  }

  private func portions(
    _ question: Question, of coordinator: PersistentStoreCoordinator, size: Int
  ) throws -> HistoryPortions {
    try HistoryPortions(
      of: coordinator, after: point, stores: affectedStoreIdentifiers,
      withChanges: question.withChanges, limit: question.limit, where: question.filter, size: size)
  }

  /// Queries the stores batch by batch. Of a batch only what the result needs stays in memory.
  private func executeInBatches(
    _ question: Question, _ coordinator: PersistentStoreCoordinator
  ) throws -> PersistentHistoryResult {
    var portions = try portions(question, of: coordinator, size: question.batchSize ?? 1)
    var found: [PersistentHistoryTransaction] = []
    var count = 0
    while let portion = try portions.next() {
      count += question.count(of: portion)
      if resultType != .count, resultType != .statusOnly { found += portion }
    }
    return PersistentHistoryResult(resultType: resultType, count: count, transactions: found)
  }

  /// Implements `fetchBatches(_:)`.
  ///
  /// - Parameter usual: The size of a batch where the request has none.
  package func batches(
    in context: ManagedObjectContext, usual: Int
  ) throws -> HistoryPortions {
    context.checkQueue()
    guard !isDeletion else {
      throw PersistenceError(.invalidRequest, "A deletion has no result to read in batches.")
        .remedied(by: "Execute the request.")
    }
    let question = try question()
    return try portions(
      question, of: try context.coordinator(), size: question.batchSize ?? usual)
  }
}

/// The content of a history request's result, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .count
/// let pending = try context.execute(request).count
/// ```
public enum PersistentHistoryResultType: Int, Sendable, Hashable, CaseIterable {
  /// Only that the request succeeded.
  case statusOnly = 0
  /// The IDs of the changed records, each once.
  case objectIDs = 1
  /// The number of transactions, or of changes where the fetch request is for changes.
  case count = 2
  /// The transactions without their changes.
  case transactionsOnly = 3
  /// The changes of all transactions in one list.
  case changesOnly = 4
  /// The transactions with their changes.
  case transactionsAndChanges = 5

  fileprivate var hasChanges: Bool {
    self == .objectIDs || self == .changesOnly || self == .transactionsAndChanges
  }
}

/// The result of a history request.
///
/// ```swift
/// let transactions = try context.execute(request).transactions ?? []
/// ```
public final class PersistentHistoryResult: PersistentStoreResult {
  /// The result type of the request.
  public let resultType: PersistentHistoryResultType
  @_disfavoredOverload
  package let number: Int
  private let found: [PersistentHistoryTransaction]?

  init(
    resultType: PersistentHistoryResultType, count: Int,
    transactions: [PersistentHistoryTransaction]?
  ) {
    self.resultType = resultType
    number = count
    found = transactions
  }

  /// `true`, a list of ``ObjectID``, an `Int`, or a list of transactions or changes, by the result type.
  public var result: Any? {
    switch resultType {
    case .statusOnly: true
    case .objectIDs: objectIDs
    case .count: number
    case .transactionsOnly, .transactionsAndChanges: found ?? []
    case .changesOnly: changes
    }
  }

  private var changes: [PersistentHistoryChange] { (found ?? []).flatMap { $0.changes ?? [] } }

  /// The records, each once, in the order of their first changes.
  private var objectIDs: [ObjectID] {
    var known: Set<ObjectID> = []
    return changes.map(\.changedObjectID).filter { known.insert($0).inserted }
  }
}
