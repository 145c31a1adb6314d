// SPDX-License-Identifier: Apache-2.0

/// Which transactions are removed from a history: the earliest ones up to a bound, without those that a reader still
/// waits for.
///
/// ```swift
/// let removed = try store.history?.deleteTransactions(HistoryDeletion(before: .time(monthAgo)))
/// ```
public struct HistoryDeletion: Sendable {
  /// Up to where.
  public var bound: HistoryBound
  /// Positions of readers: what one of them has not behind it stays. A position of another history, or from before what
  /// is kept, keeps nothing.
  public var readers: [StorePosition]
  /// The largest number of transactions that are removed, the earliest ones; nil for all.
  public var limit: Int?
  /// How many bytes are to be removed: none after the transaction with which it is so many; nil for all.
  public var byteLimit: Int?
  /// Which history it was of which the limits were made: when something was removed since, nothing is removed; nil for
  /// limits that do not depend on it.
  package var generation: Int64?

  /// Describes what is removed.
  ///
  /// - Parameters:
  ///   - bound: Up to where.
  ///   - readers: Positions of readers, who keep what they have not behind them.
  ///   - limit: The largest number of transactions; nil for all.
  ///   - byteLimit: How many bytes are to be removed; nil for all.
  public init(
    before bound: HistoryBound, readers: [StorePosition] = [], limit: Int? = nil,
    byteLimit: Int? = nil
  ) {
    self.bound = bound
    self.readers = readers
    self.limit = limit
    self.byteLimit = byteLimit
  }

  /// Whether another transaction is removed after those that were.
  package func takesMore(than removed: HistorySize) -> Bool {
    removed.count < limit ?? .max && removed.bytes < byteLimit ?? .max
  }
}

/// How much a history, or a part of it, holds.
///
/// ```swift
/// let size = try store.history?.size()
/// ```
public struct HistorySize: Sendable, Hashable {
  /// The number of transactions.
  public var count: Int
  /// How many bytes their contents have.
  public var bytes: Int
  /// A number that is another one after each deletion; nil for a part of a history.
  package var generation: Int64?
  /// Whether nothing was removed because the deletion was made for another generation.
  package var isOutdated = false

  /// Makes a size.
  ///
  /// - Parameters:
  ///   - count: The number of transactions.
  ///   - bytes: How many bytes their contents have.
  public init(count: Int = 0, bytes: Int = 0) {
    self.count = count
    self.bytes = bytes
  }

  /// What a deletion has removed that was made for another generation: nothing.
  package static var outdated: HistorySize {
    var size = HistorySize()
    size.isOutdated = true
    return size
  }

  /// Counts a transaction more.
  package mutating func add(bytes more: Int) {
    count += 1
    bytes += more
  }
}

extension StoreHistory {
  /// Reads all, and leaves out those that are not later.
  public func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    let later = try transactions(after: nil, limit: nil).drop { $0.timestamp <= time }
    return limit.map { Array(later.prefix($0)) } ?? Array(later)
  }

  /// Reads all, and leaves out those with a number that is not larger.
  public func transactions(afterNumber number: Int64) throws -> [StoreTransaction] {
    try transactions(after: nil, limit: nil).filter { $0.number > number }
  }

  /// Removes transactions: all before a bound, and not the one that it names.
  ///
  /// - Parameter bound: The bound.
  /// - Returns: How many were removed.
  /// - Throws: What ``deleteTransactions(_:)`` throws.
  /// - Complexity: One transaction.
  @discardableResult
  public func deleteTransactions(before bound: HistoryBound) throws -> Int {
    try deleteTransactions(HistoryDeletion(before: bound)).count
  }
}
