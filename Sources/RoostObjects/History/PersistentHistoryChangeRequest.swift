// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel
public import RoostQuery
public import RoostStore

/// A question what the stores' transactions did since a point, or the removal of those before one.
///
/// Stores keep a history when they are added with ``StoreOption/historyTracking``; others are not asked.
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
  /// What the result tells; ``PersistentHistoryResultType/transactionsAndChanges`` unless set.
  public var resultType = PersistentHistoryResultType.transactionsAndChanges
  /// The UUIDs of the stores that are asked; nil for all that keep a history.
  public var affectedStoreIdentifiers: [String]? {
    get { affected.identifiers }
    set { affected.identifiers = newValue }
  }
  /// The stores that are asked; nil for all that keep a history. Stores that were removed since they were set, and
  /// those that were named by their UUIDs, are not listed.
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
  /// A condition on the transactions, or on the changes, that are wanted, with a limit and an offset; nil for all. The
  /// entity is that of ``PersistentHistoryTransaction/fetchRequest`` or ``PersistentHistoryChange/fetchRequest``.
  ///
  /// ```swift
  /// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
  /// request.fetchRequest = PersistentHistoryTransaction.fetchRequest
  /// request.fetchRequest?.predicate = try FetchPredicate("author != %@", "import")
  /// ```
  public var fetchRequest: FetchRequest<any FetchRequestResult>?
  /// Whether a deletion removes what consumers have not acknowledged, too.
  @_disfavoredOverload
  package var isForced = false
  /// The largest number of transactions, the earliest ones; 0 for all.
  @_disfavoredOverload
  package var limit = 0

  private init(_ point: HistoryStart, isDeletion: Bool = false) {
    self.point = point
    self.isDeletion = isDeletion
    if isDeletion { resultType = .statusOnly }
  }

  /// The token at which the request begins, or ends; nil for one that has a date, or begins at the beginning.
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

  /// Makes a request for the transactions after a token.
  ///
  /// A store that the token does not name is asked for all it keeps; one that it names and that is not attached is
  /// passed over.
  ///
  /// - Parameter token: The token; nil for all transactions.
  public static func fetchHistory(
    after token: PersistentHistoryToken?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.token(token))
  }

  /// Makes a request for the transactions after a moment.
  ///
  /// - Parameter date: The moment.
  public static func fetchHistory(after date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.time(date))
  }

  /// Makes a request for the transactions after one, of its store.
  ///
  /// - Parameter transaction: The transaction; nil for all.
  @_disfavoredOverload
  public static func fetchHistory(
    after transaction: PersistentHistoryTransaction?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(transaction.map(HistoryStart.transaction) ?? .token(nil))
  }

  /// Makes a request for the transactions, or the changes, that a fetch request wants.
  ///
  /// Where it is for transactions, their attributes are `author`, `bundleID`, `contextName`, `processID`, `saveID`,
  /// `storeID`, `timestamp` and `transactionNumber`, and `changes` leads to their changes. Where it is for changes,
  /// these are `changeID`, `changeType`, `changedEntity`, a name, `changedObjectID` and `updatedProperties`, names, and
  /// `transaction` leads to the transaction; the answer has the transactions of the changes that are wanted, with these
  /// changes. The limit is one of transactions, or of changes.
  ///
  /// ```swift
  /// let changes = PersistentHistoryChange.fetchRequest
  /// changes.predicate = try FetchPredicate("changedObjectID == %@", person.objectID)
  /// let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
  /// for change in try context.execute(request).changes ?? [] { print(change.changeType) }
  /// ```
  /// - Parameter fetchRequest: The fetch request. It has no sort descriptors: the answer is in the order of the
  ///   history.
  public static func fetchHistory(
    withFetch fetchRequest: FetchRequest<any FetchRequestResult>
  ) -> PersistentHistoryChangeRequest {
    let request = PersistentHistoryChangeRequest(.token(nil))
    request.fetchRequest = fetchRequest
    return request
  }

  // MARK: - Deletions

  /// Makes a request that removes the transactions before the last one that a token has behind it. That one stays, so
  /// the token stays good.
  ///
  /// - Parameter token: The token; with nil nothing is removed.
  public static func deleteHistory(
    before token: PersistentHistoryToken?
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.token(token), isDeletion: true)
  }

  /// Makes a request that removes the transactions before a moment.
  ///
  /// - Parameter date: The moment.
  public static func deleteHistory(before date: Date) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.time(date), isDeletion: true)
  }

  /// Makes a request that removes the transactions before one, of its store.
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

  /// Asks the stores.
  ///
  /// - Throws: ``PersistenceError`` with code `persistentHistoryTokenExpired` when the history of a store does not go
  ///   back to the point, `persistentStoreUnsupportedRequestType` when a store that is named keeps none,
  ///   `readOnlyStore` for a deletion, `unknownKey` or `invalidRequest` for a fetch request that does not fit, or what
  ///   a store throws.
  /// - Complexity: One round trip a store; O(changes) of the answer, which is in memory as a whole.
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
    guard limit >= 0 else {
      throw PersistenceError(.invalidRequest, "The limit of a request is not negative.")
    }
    let history = CoordinatorHistory(of: coordinator)
    let limit = limit == 0 ? nil : limit
    guard let filter = try fetchRequest.map({ try HistoryFilter($0.criteria) }) else {
      let found = try history.transactions(
        after: point, stores: affectedStoreIdentifiers, withChanges: resultType.hasChanges,
        limit: limit)
      return PersistentHistoryResult(
        resultType: resultType, count: found.count, transactions: found)
    }
    let countsChanges = resultType == .count && filter.listsChanges
    let found = try history.transactions(
      after: point, stores: affectedStoreIdentifiers,
      withChanges: resultType.hasChanges || countsChanges, limit: limit, where: filter)
    let count =
      countsChanges ? found.reduce(0) { $0 + ($1.changes?.count ?? 0) } : found.count
    return PersistentHistoryResult(resultType: resultType, count: count, transactions: found)
  }
}

/// What a request about history tells, with Core Data's numbers.
///
/// ```swift
/// request.resultType = .count
/// let pending = try context.execute(request).count
/// ```
public enum PersistentHistoryResultType: Int, Sendable, Hashable, CaseIterable {
  /// That it was done.
  case statusOnly = 0
  /// The IDs of the records that were changed, each once.
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

/// What a request about history has found.
///
/// ```swift
/// let transactions = try context.execute(request).transactions ?? []
/// ```
public final class PersistentHistoryResult: PersistentStoreResult {
  /// What was asked for.
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
