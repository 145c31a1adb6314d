// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

/// The history of a ``KeyValueStore``.
struct KeyValueHistory: StoreHistory {
  let store: KeyValueStore

  func position() throws -> StorePosition {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      return chain.position(after: chain.last)
    }
  }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      let start = try start(after: position, of: chain, history, snapshot)
      var result: [StoreTransaction] = []
      guard limit != 0 else { return result }
      try history.scan(after: start, in: snapshot) { entry in
        result.append(
          StoreTransaction(
            number: entry.link.number, timestamp: entry.link.timestamp,
            content: try HistoryContent(bytes: entry.content),
            position: chain.position(after: entry.link)))
        return result.count != limit
      }
      return result
    }
  }

  func deleteTransactions(before bound: HistoryBound) throws -> Int {
    let schema = try store.preparedSchema()
    guard let history = schema.history else { return 0 }
    try store.requireWritable("keeps its history")
    return try store.engine.writing(store.cancellation) { snapshot, batch in
      try schema.check(snapshot)
      let chain = try history.chain(in: snapshot)
      guard let end = try lastBefore(bound, of: chain, history, snapshot) else { return 0 }
      history.remove(upTo: end, chain, &batch)
      return Int(end.number - chain.floor.number)
    }
  }

  /// The last transaction that a bound lets go; nil when there is none.
  private func lastBefore(
    _ bound: HistoryBound, of chain: HistoryChain, _ history: HistoryTable,
    _ snapshot: any KeyValueSnapshot
  ) throws -> HistoryLink? {
    var number = Int64.max
    var time = Double.infinity
    switch bound {
    case .position(let position):
      number = try start(after: position, of: chain, history, snapshot)
    case .time(let moment): time = moment
    }
    var last: HistoryLink?
    try history.scan(after: chain.floor.number, in: snapshot) { entry in
      guard entry.link.number < number, entry.link.timestamp < time else { return false }
      last = entry.link
      return true
    }
    return last
  }

  private func start(
    after position: StorePosition?, of chain: HistoryChain, _ history: HistoryTable,
    _ snapshot: any KeyValueSnapshot
  ) throws -> Int64 {
    try chain.start(after: position, store: store.identity.identifier) {
      try history.digest(of: $0, in: snapshot)
    }
  }

  private func reading<Result>(
    _ body: (HistoryTable, any KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    let schema = try store.preparedSchema()
    guard let history = schema.history else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType, "The store keeps no history.",
        store: store.identity.identifier)
    }
    return try store.engine.reading { snapshot in
      try schema.check(snapshot)
      return try body(history, snapshot)
    }
  }
}

extension KeyValueStore {
  /// The history of the store; nil when it keeps none.
  public var history: (any StoreHistory)? {
    metadata.keepsHistory ? KeyValueHistory(store: self) : nil
  }
}
