// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The answer to a history request, read from the stores in portions of at most a number of transactions.
///
/// Each portion is in the merged order; consecutive transactions of one save are in the same portion. What is
/// committed after the first portion of a store was read is not included.
package struct HistoryPortions {
  private let size: Int
  private let withChanges: Bool
  private let filter: HistoryFilter?
  private var sources: [Source]
  /// Offset and limit of the filter, and the limit of the request.
  private var limits: [HistoryWindow]

  /// Prepares the reading. Nothing is read yet.
  ///
  /// - Parameters:
  ///   - start: The point after which the transactions are.
  ///   - identifiers: The UUIDs of the stores; nil for all that keep a history.
  ///   - withChanges: Whether to include the changes.
  ///   - limit: The maximum number of transactions; nil for all.
  ///   - filter: The filter; nil for none.
  ///   - size: The maximum number of transactions that are read from a store at once, above zero.
  /// - Throws: `persistentStoreUnsupportedRequestType` when a listed store keeps no history, `storeRemoved` when one
  ///   is not attached.
  package init(
    of coordinator: PersistentStoreCoordinator, after start: HistoryStart,
    stores identifiers: [String]?, withChanges: Bool, limit: Int?, where filter: HistoryFilter?,
    size: Int
  ) throws {
    self.size = size
    self.withChanges = withChanges
    self.filter = filter
    let asked = filter.map { $0.stores(among: identifiers) } ?? identifiers
    let stores = try CoordinatorHistory(of: coordinator).storesWithHistory(asked, start)
    sources = stores.map { Source($0, start, filter, withChanges: withChanges) }
    limits = [
      filter?.window,
      limit.map { HistoryWindow(countsChanges: false, skipped: 0, left: $0) },
    ].compactMap(\.self)
  }

  /// Reads until there is a portion with a match.
  ///
  /// - Returns: The matches, at least one; nil at the end.
  /// - Throws: `persistentHistoryTokenExpired`, which names all stores whose histories do not go back far enough, or
  ///   the error of a store.
  package mutating func next() throws -> [PersistentHistoryTransaction]? {
    while !limits.contains(where: \.isFull) {
      try fill()
      let headers = try HistoryMerge.merged(sources.indices.map { try sources[$0].headers() })
      guard !headers.isEmpty else { return nil }
      var found: [PersistentHistoryTransaction] = []
      for header in HistoryMerge.portion(of: headers, size) {
        guard let index = sources.firstIndex(where: { $0.identifier == header.storeID }),
          let match = try sources[index].take(header)
        else { continue }
        found.append(match)
      }
      for index in limits.indices { found = limits[index].part(of: found) }
      guard !found.isEmpty else { continue }
      guard !withChanges, filter?.looksAtChanges == true else { return found }
      return found.map { $0.withoutChanges }
    }
    return nil
  }

  /// Reads from each store until as many transactions are there as a portion may take from it.
  private mutating func fill() throws {
    var expired: [PersistenceError] = []
    for index in sources.indices {
      do {
        try sources[index].fill(to: size)
      } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
        expired.append(error)
      }
    }
    if let error = PersistenceError.together(expired) { throw error }
  }

  /// The transactions of one store.
  private struct Source {
    private let store: AttachedStore
    private let start: HistoryStart
    private let filter: HistoryFilter?
    private var search: HistoryStoreSearch?
    private var translation: HistoryTranslation
    private let withChanges: Bool
    /// The transactions that were read and not taken.
    private var buffer: ArraySlice<StoreTransaction> = []
    /// The position after the last one that was read; nil before the first.
    private var position: StorePosition?
    /// The position of the store after its first portion was read; nil before.
    private var end: StorePosition?
    private var isOver = false

    init(
      _ store: AttachedStore, _ start: HistoryStart, _ filter: HistoryFilter?, withChanges: Bool
    ) {
      self.store = store
      self.start = start
      self.filter = filter
      self.withChanges = withChanges
      search = filter.map { HistoryStoreSearch(store, $0, withChanges: withChanges) }
      translation = HistoryTranslation(store)
    }

    var identifier: String { store.identity.identifier }

    mutating func headers() throws -> [PersistentHistoryTransaction] {
      try buffer.map { try translation.transaction($0, withChanges: false) }
    }

    /// Removes the next transaction from those that were read, and returns it as it is wanted; nil when it does not
    /// match. A transaction without a filter and changes is its header.
    mutating func take(
      _ header: PersistentHistoryTransaction
    ) throws -> PersistentHistoryTransaction? {
      guard let stored = buffer.popFirst() else { return nil }
      guard search == nil else { return try search?.wanted(stored) }
      return withChanges ? try translation.transaction(stored, withChanges: true) : header
    }

    mutating func fill(to size: Int) throws {
      while !isOver, buffer.count < size {
        let limit = size - buffer.count
        let found = try read(limit)
        isOver = found.count < limit
        for transaction in found {
          defer { position = transaction.position }
          guard isIncluded(transaction) else {
            // Numbered transactions are committed in the order of their numbers.
            if case .number = transaction.position.place { isOver = true }
            continue
          }
          buffer.append(transaction)
        }
        if end == nil, !isOver { end = try store.historyPosition() }
      }
    }

    private func read(_ limit: Int) throws -> [StoreTransaction] {
      if let position { return try store.historyTransactions(after: position, limit: limit) }
      return try CoordinatorHistory.transactions(
        of: store, after: start, limit: limit, where: filter)
    }

    /// Whether a transaction was committed before the end of the reading was fixed. Positions are cumulative: a later
    /// one may also include transactions that were passed over.
    private func isIncluded(_ transaction: StoreTransaction) -> Bool {
      guard let end, let position else { return true }
      return end.merging(position).covers(transaction.position)
    }
  }
}
