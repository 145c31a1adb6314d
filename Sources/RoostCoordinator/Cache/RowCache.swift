// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// The rows of one store that were read or written lately, shared by all contexts of the coordinator (B51).
///
/// A row that an object or a snapshot holds stays; the others are let go when the cache has doubled since it was last
/// swept. Rows of one version are one instance, so equal rows of several contexts take the memory of one.
final class RowCache: Sendable {
  fileprivate struct State: ~Copyable {
    var table = RowTable()
    /// Reads that asked the store and have not brought their rows yet.
    var readsUnderWay = 0
    /// Records that were removed or written while reads were under way: what these bring of them is out of date.
    var goneDuringReads: Set<Int64> = []
    var sweepAbove: Int
  }

  private let state: SharedState<State>
  private let smallestSweep: Int
  private let now: @Sendable () -> Double

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - smallestSweep: The number of rows below which nothing is let go.
  ///   - now: A clock in seconds that never goes back; ages are differences of it.
  init(smallestSweep: Int = 4096, now: @escaping @Sendable () -> Double) {
    self.smallestSweep = smallestSweep
    self.now = now
    state = SharedState(State(sweepAbove: smallestSweep))
  }

  /// The number of rows.
  var count: Int { state.withLock { $0.table.count } }

  /// The row of a record, however old.
  func row(forKey key: Int64) -> Row? {
    state.withLock { $0.table.row(forKey: key, loadedSince: -.infinity) }
  }

  /// The rows of records that are not older than an interval (B50), and the indices of the keys that have none.
  ///
  /// - Parameter interval: Seconds; negative for any age, 0 for none.
  /// - Returns: As many rows as keys, or no rows when there are none at all.
  func rows(
    forKeys keys: [Int64], notOlderThan interval: Double
  ) -> (rows: [Row?], missing: [Int]) {
    if interval == 0 { return ([], Array(keys.indices)) }
    var rows: [Row?] = []
    var missing: [Int] = []
    let earliest = interval < 0 ? -Double.infinity : now() - interval
    state.withLock { state in
      for index in keys.indices {
        guard let row = state.table.row(forKey: keys[index], loadedSince: earliest) else {
          missing.append(index)
          continue
        }
        if rows.isEmpty { rows = [Row?](repeating: nil, count: keys.count) }
        rows[index] = row
      }
    }
    return (rows, missing)
  }

  /// Runs a request to the store, and keeps the rows that it brings unless newer ones are there by then.
  ///
  /// - Returns: What `read` returned, its rows replaced by the instances to use.
  func keepingRows<Result>(
    of read: () throws -> (rows: [Row], result: Result)
  ) rethrows -> (rows: [Row], result: Result) {
    state.withLock { $0.readsUnderWay += 1 }
    defer { endRead() }
    var (rows, result) = try read()
    merge(&rows)
    return (rows, result)
  }

  private func merge(_ rows: inout [Row]) {
    guard !rows.isEmpty else { return }
    let time = now()
    state.withLock { state in
      state.makeRoom(for: rows.count, smallestSweep)
      rows.withUnsafeMutableBufferPointer { rows in
        var start = 0
        while start < rows.count {
          let end = min(start + RowCache.stride, rows.count)
          state.merge(UnsafeMutableBufferPointer(rebasing: rows[start..<end]), time)
          start = end
        }
      }
    }
  }

  /// How many rows are looked at before the first of them is counted as held: what they begin with is fetched from
  /// memory at once then, and not for one after the other.
  fileprivate static var stride: Int { 64 }

  /// Runs a request to the store for records, keeps the rows that it brings unless newer ones are there by then, and
  /// forgets the records that it does not bring.
  ///
  /// - Parameters:
  ///   - keys: The records.
  ///   - read: The request; its rows may come in any order.
  ///   - body: Takes the index of a key and the instance to use, nil without one; called once for each key, a few at a
  ///     time as they are kept, so that a row is fetched from memory once.
  func keepingRows(
    ofKeys keys: [Int64], of read: () throws -> [Row], _ body: (Int, Row?) -> Void
  ) rethrows {
    state.withLock { $0.readsUnderWay += 1 }
    defer { endRead() }
    var rows = try read()
    let time = now()
    state.withLock { $0.makeRoom(for: rows.count, smallestSweep) }
    // As a rule each row stands where its key does.
    var handedOn = 0
    var start = 0
    while start < rows.count {
      let end = min(start + RowCache.stride, rows.count)
      state.withLock { state in
        rows.withUnsafeMutableBufferPointer {
          state.merge(UnsafeMutableBufferPointer(rebasing: $0[start..<end]), time)
        }
      }
      start = end
      while handedOn < end, handedOn < keys.count, rows[handedOn].key == keys[handedOn] {
        body(handedOn, rows[handedOn])
        handedOn += 1
      }
    }
    guard handedOn < keys.count else { return }
    var byKey = RowTable(minimumCapacity: rows.count)
    for row in rows { byKey.set(row, loadTime: 0) }
    var gone: [Int64] = []
    for index in handedOn..<keys.count {
      let row = byKey.row(forKey: keys[index], loadedSince: 0)
      if row == nil { gone.append(keys[index]) }
      body(index, row)
    }
    forget(gone)
  }

  /// Runs a request to the store for one record, and keeps the row that it brings unless a newer one is there by then;
  /// without one, forgets the record.
  ///
  /// - Returns: The instance to use.
  func keepingRow(ofKey key: Int64, of read: () throws -> Row?) rethrows -> Row? {
    state.withLock { $0.readsUnderWay += 1 }
    let found: Row?
    do {
      found = try read()
    } catch {
      endRead()
      throw error
    }
    let time = now()
    return state.withLock { state in
      defer { state.endRead() }
      guard let row = found else {
        state.forget(key)
        return nil
      }
      if state.goneDuringReads.contains(key) { return row }
      state.makeRoom(for: 1, smallestSweep)
      return state.table.merge(row, key: row.key, loadTime: time) ?? row
    }
  }

  private func endRead() {
    state.withLock { $0.endRead() }
  }

  /// Takes over what a commit wrote.
  func commit(_ changes: StoreChangeSet, recomputed: [Row] = []) {
    let time = now()
    state.withLock { state in
      // What is changed was read before, and is mostly here.
      state.table.reserve(changes.inserted.count)
      for row in changes.inserted { state.table.set(row, loadTime: time) }
      for index in changes.updated.indices {
        state.table.set(changes.updated[index].row, loadTime: time)
      }
      for row in recomputed { state.table.set(row, loadTime: time) }
      for record in changes.deleted { state.forget(record.key) }
    }
  }

  /// Forgets records, as when it is not known whether a commit took effect.
  func forget(_ keys: [Int64]) {
    guard !keys.isEmpty else { return }
    state.withLock { state in
      for key in keys { state.forget(key) }
    }
  }

  /// Forgets everything.
  func removeAll() {
    state.withLock { $0.table.removeAll() }
  }
}

extension RowCache: KnownRows {
  /// The row of a record in a version. Somebody else may be using the cache; then the store reads the record itself.
  func row(forKey key: Int64, version: Int64) -> Row? {
    let row = state.withLockIfAvailable { $0.table.row(forKey: key, loadedSince: -.infinity) }
    guard let row = row ?? nil, row.version == version, !row.layout.hasDerivedSlots else {
      return nil
    }
    return row
  }
}

extension RowCache.State {
  /// Lets rows go that nobody holds when there are twice as many as after the last time, and has the table grow once
  /// for all that come.
  fileprivate mutating func makeRoom(for count: Int, _ smallestSweep: Int) {
    if table.count + count > sweepAbove {
      table.sweep()
      sweepAbove = max(smallestSweep, 2 * (table.count + count))
    }
    table.reserve(count)
  }

  fileprivate mutating func endRead() {
    readsUnderWay -= 1
    if readsUnderWay == 0 { goneDuringReads.removeAll() }
  }

  /// Keeps rows, or replaces them by those that are there.
  fileprivate mutating func merge(_ rows: UnsafeMutableBufferPointer<Row>, _ time: Double) {
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: RowCache.stride) { keys in
      for index in rows.indices { keys.initializeElement(at: index, to: rows[index].key) }
      for index in rows.indices {
        if !goneDuringReads.isEmpty, goneDuringReads.contains(keys[index]) { continue }
        if let known = table.merge(rows[index], key: keys[index], loadTime: time) {
          rows[index] = known
        }
      }
    }
  }

  fileprivate mutating func forget(_ key: Int64) {
    table.remove(key)
    if readsUnderWay > 0 { goneDuringReads.insert(key) }
  }
}
