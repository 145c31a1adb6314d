// SPDX-License-Identifier: Apache-2.0

/// A deletion of history transactions: the earliest ones up to a bound, except those that a reader has not read yet.
///
/// ```swift
/// let removed = try store.history?.deleteTransactions(HistoryDeletion(before: .time(monthAgo)))
/// ```
public struct HistoryDeletion: Sendable {
  /// The upper bound.
  public var bound: HistoryBound
  /// Positions of readers: transactions after any of them are kept. A position of another history, or before the
  /// first kept transaction, is ignored.
  public var readers: [StorePosition]
  /// The maximum number of transactions to remove, the earliest first; nil for all.
  public var limit: Int?
  /// The number of bytes to remove: the deletion stops after the transaction that reaches it; nil for all.
  public var byteLimit: Int?
  /// The generation of the history for which the limits were computed. After another deletion it is outdated, and
  /// nothing is removed; nil for limits that do not depend on it.
  package var generation: Int64?

  /// Makes a deletion.
  ///
  /// - Parameters:
  ///   - bound: The upper bound.
  ///   - readers: Positions of readers: transactions after any of them are kept.
  ///   - limit: The maximum number of transactions to remove; nil for all.
  ///   - byteLimit: The number of bytes to remove; nil for all.
  public init(
    before bound: HistoryBound, readers: [StorePosition] = [], limit: Int? = nil,
    byteLimit: Int? = nil
  ) {
    self.bound = bound
    self.readers = readers
    self.limit = limit
    self.byteLimit = byteLimit
  }

  /// Whether the limits allow to remove another transaction.
  package func takesMore(than removed: HistorySize) -> Bool {
    removed.count < limit ?? .max && removed.bytes < byteLimit ?? .max
  }
}

/// The size of a history, or of a part of it.
///
/// ```swift
/// let size = try store.history?.size()
/// ```
public struct HistorySize: Sendable, Hashable {
  /// The number of transactions.
  public var count: Int
  /// The size of their contents in bytes.
  public var bytes: Int
  /// A number that changes with each deletion: of a removed part, the one after its deletion. nil when the store has
  /// none.
  package var generation: Int64?
  /// The position up to which the transactions are counted; nil when counting cannot continue from here.
  package var position: StorePosition?
  /// Whether nothing was removed because the deletion's generation was outdated.
  package var isOutdated = false

  /// Makes a size.
  ///
  /// - Parameters:
  ///   - count: The number of transactions.
  ///   - bytes: The size of their contents in bytes.
  public init(count: Int = 0, bytes: Int = 0) {
    self.count = count
    self.bytes = bytes
  }

  /// The result of a deletion with an outdated generation: nothing was removed.
  package static var outdated: HistorySize {
    var size = HistorySize()
    size.isOutdated = true
    return size
  }

  /// Adds a transaction.
  package mutating func add(bytes more: Int) {
    count += 1
    bytes += more
  }

  /// Returns the size after the deletion of a part; nil when it has to be counted anew.
  ///
  /// - Parameter removed: What a deletion of this generation has removed.
  package func without(_ removed: HistorySize) -> HistorySize? {
    guard removed.count > 0 else { return self }
    guard let generation = removed.generation, removed.count <= count else { return nil }
    // Where transactions are numbered, the generation is the number of the last one that was removed.
    if case .number(let last, _)? = position?.place, generation > last { return nil }
    var rest = self
    rest.count -= removed.count
    rest.bytes -= removed.bytes
    rest.generation = generation
    return rest
  }
}

extension StoreHistory {
  /// Reads all transactions and drops those that are not later.
  public func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    let later = try transactions(after: nil, limit: nil).drop { $0.timestamp <= time }
    return limit.map { Array(later.prefix($0)) } ?? Array(later)
  }

  /// Reads all transactions and drops those without a larger number.
  public func transactions(afterNumber number: Int64, limit: Int?) throws -> [StoreTransaction] {
    let later = try transactions(after: nil, limit: nil).filter { $0.number > number }
    return limit.map { Array(later.prefix($0)) } ?? later
  }

  /// Reads the next transaction.
  public func step(after position: StorePosition?) throws -> HistoryStep? {
    try transactions(after: position, limit: 1).first.map {
      HistoryStep(number: $0.number, position: $0.position)
    }
  }

  /// Counts all transactions.
  public func size(since known: HistorySize?) throws -> HistorySize { try size() }

  /// Removes all transactions before a bound, which is exclusive.
  ///
  /// - Parameter bound: The bound.
  /// - Returns: The number of removed transactions.
  /// - Throws: The errors of ``deleteTransactions(_:)``.
  /// - Complexity: One transaction.
  @discardableResult
  public func deleteTransactions(before bound: HistoryBound) throws -> Int {
    try deleteTransactions(HistoryDeletion(before: bound)).count
  }
}
