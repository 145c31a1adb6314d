// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A cache of recently read or written rows of one store, shared by all contexts of the coordinator (B51).
///
/// A row that an object or a snapshot references stays; the others are evicted when the cache has doubled since the
/// last sweep. All contexts share one instance for each version of a row.
final class RowCache: Sendable {
  fileprivate struct State: ~Copyable {
    var table = RowTable()
    var reads = ReadsUnderWay()
    var sweepAbove: Int
  }

  private let state: SharedState<State>
  private let smallestSweep: Int
  private let now: @Sendable () -> Double

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - smallestSweep: The number of rows below which nothing is evicted.
  ///   - now: A monotonic clock in seconds; ages are differences of it.
  init(smallestSweep: Int = 4096, now: @escaping @Sendable () -> Double) {
    self.smallestSweep = smallestSweep
    self.now = now
    state = SharedState(State(sweepAbove: smallestSweep))
  }

  /// The number of rows.
  var count: Int { state.withLock { $0.table.count } }

  /// Returns the row of a record, however old.
  func row(forKey key: Int64) -> Row? {
    state.withLock { $0.table.row(forKey: key, loadedSince: -.infinity) }
  }

  /// Returns the rows of records that are not older than an interval (B50), and the indices of the keys without one.
  ///
  /// - Parameter interval: The maximum age in seconds; negative for any age, 0 for no rows.
  /// - Returns: As many rows as keys, or an empty array when none was found.
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

  /// Runs a read request, and caches its rows unless newer ones are cached by then.
  ///
  /// - Returns: The result of `read`, with the rows replaced by the shared instances.
  func keepingRows<Result>(
    of read: () throws -> (rows: [Row], result: Result)
  ) rethrows -> (rows: [Row], result: Result) {
    let reading = beginReading()
    defer { end(reading) }
    var (rows, result) = try read()
    merge(&rows, of: reading)
    return (rows, result)
  }

  /// Announces a read request; ``end(_:)`` must follow.
  func beginReading() -> CacheReading {
    state.withLock { $0.reads.begin() }
  }

  /// Ends a read request, after its rows were cached.
  func end(_ reading: CacheReading) {
    state.withLock { $0.reads.end(reading) }
  }

  /// Caches the rows of a read request, and replaces them by the shared instances.
  func merge(_ rows: inout [Row], of reading: CacheReading) {
    guard !rows.isEmpty else { return }
    let time = now()
    state.withLock { state in
      state.makeRoom(for: rows.count, smallestSweep)
      rows.withUnsafeMutableBufferPointer { rows in
        var start = 0
        while start < rows.count {
          let end = min(start + RowCache.stride, rows.count)
          state.merge(UnsafeMutableBufferPointer(rebasing: rows[start..<end]), reading, time)
          start = end
        }
      }
    }
  }

  /// The number of rows processed in one batch: their headers are loaded together before the reference counts of the
  /// first are touched, instead of one cache miss after the other.
  fileprivate static var stride: Int { 64 }

  /// Runs a read request for records, caches its rows unless newer ones are cached by then, and drops the records
  /// that it does not return.
  ///
  /// - Parameters:
  ///   - keys: The records.
  ///   - read: The request; its rows may come in any order.
  ///   - body: Receives the index of a key and the shared row, nil without one; called once for each key, in batches
  ///     right after they were cached, while the rows are still in the CPU cache.
  func keepingRows(
    ofKeys keys: [Int64], of read: () throws -> [Row], _ body: (Int, Row?) -> Void
  ) rethrows {
    let reading = beginReading()
    defer { end(reading) }
    var rows = try read()
    let time = now()
    state.withLock { $0.makeRoom(for: rows.count, smallestSweep) }
    // Usually each row is at the index of its key.
    var handedOn = 0
    var start = 0
    while start < rows.count {
      let end = min(start + RowCache.stride, rows.count)
      state.withLock { state in
        rows.withUnsafeMutableBufferPointer {
          state.merge(UnsafeMutableBufferPointer(rebasing: $0[start..<end]), reading, time)
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

  /// Runs a read request for one record, and caches its row unless a newer one is cached by then; without a row,
  /// drops the record.
  ///
  /// - Returns: The shared instance.
  func keepingRow(ofKey key: Int64, of read: () throws -> Row?) rethrows -> Row? {
    let reading = beginReading()
    let found: Row?
    do {
      found = try read()
    } catch {
      end(reading)
      throw error
    }
    let time = now()
    return state.withLock { state in
      defer { state.reads.end(reading) }
      guard let row = found else {
        state.forget(key)
        return nil
      }
      state.makeRoom(for: 1, smallestSweep)
      return state.keep(row, key: row.key, reading, time) ?? row
    }
  }

  /// Caches the rows that a commit wrote, unless newer ones are cached by then: later commits may have been reported
  /// earlier.
  ///
  /// - Parameters:
  ///   - changes: The committed changes.
  ///   - recomputed: The rows whose stored values differ from those that were sent.
  ///   - reading: A reading begun before the commit.
  func commit(_ changes: StoreChangeSet, recomputed: [Row] = [], of reading: CacheReading) {
    let time = now()
    let recomputedKeys = Set(recomputed.map(\.key))
    state.withLock { state in
      // Updated records were read before, so most are already in the table.
      state.table.reserve(changes.inserted.count)
      func keep(_ row: Row) {
        if !recomputedKeys.isEmpty, recomputedKeys.contains(row.key) { return }
        _ = state.keep(row, key: row.key, reading, time)
      }
      for row in changes.inserted { keep(row) }
      for index in changes.updated.indices { keep(changes.updated[index].row) }
      for row in recomputed { _ = state.keep(row, key: row.key, reading, time) }
      for record in changes.deleted { state.forget(record.key, by: reading) }
      // The versions of locked records were incremented, but their rows were not returned.
      for record in changes.locked { state.forget(record.key, by: reading) }
    }
  }

  /// Caches the stored row of a record after a conflict, so that the outdated row is not read again.
  ///
  /// - Parameters:
  ///   - row: The record's row in the store; nil when it is gone.
  ///   - key: The record.
  ///   - reading: A reading begun before the commit.
  func learn(_ row: Row?, ofKey key: Int64, of reading: CacheReading) {
    let time = now()
    state.withLock { state in
      guard let row, state.reads.admits(key, of: reading) else { return state.forget(key) }
      // A cached row of a later version belongs to another commit that was reported earlier, or the store went back
      // to an earlier state: drop it, so that the next reader asks the store.
      let known = state.table.row(forKey: key, loadedSince: -.infinity)
      if let known, known.version > row.version { return state.forget(key) }
      _ = state.keep(row, key: key, reading, time)
    }
  }

  /// Drops records, for example when the outcome of a commit is unknown.
  func forget(_ keys: [Int64]) {
    guard !keys.isEmpty else { return }
    state.withLock { state in
      for key in keys { state.forget(key) }
    }
  }

  /// Drops all rows.
  func removeAll() {
    state.withLock { state in
      state.table.removeAll()
      state.reads.noteRemovalOfAll()
    }
  }

  /// The number of removed records that are remembered for read requests under way.
  var removalCount: Int { state.withLock { $0.reads.removalCount } }
}

extension RowCache: KnownRows {
  /// Returns a version of a record's row. If another thread is using the cache, it returns nil, and the store reads
  /// the record itself.
  func row(forKey key: Int64, version: Int64) -> Row? {
    let row = state.withLockIfAvailable { $0.table.row(forKey: key, loadedSince: -.infinity) }
    guard let row = row ?? nil, row.version == version, !row.layout.hasDerivedSlots else {
      return nil
    }
    return row
  }
}

extension RowCache.State {
  /// Evicts unreferenced rows when their number has doubled since the last sweep, and grows the table once for all
  /// new rows.
  fileprivate mutating func makeRoom(for count: Int, _ smallestSweep: Int) {
    if table.count + count > sweepAbove {
      table.sweep()
      sweepAbove = max(smallestSweep, 2 * (table.count + count))
    }
    table.reserve(count)
  }

  /// Caches a row unless a newer one is cached, or its record was removed since the reading began.
  ///
  /// Derived values change without a new version: of two overlapping readings, it is unknown which is newer, so where
  /// they differ neither is cached.
  ///
  /// - Returns: The shared instance that replaces the row; nil for the row itself.
  fileprivate mutating func keep(
    _ row: borrowing Row, key: Int64, _ reading: CacheReading, _ time: Double
  ) -> Row? {
    guard reads.admitsAll(of: reading) || reads.admits(key, of: reading) else { return nil }
    if row.layout.hasDerivedSlots, !reads.wasAlone(reading),
      let known = table.row(forKey: key, loadedSince: -.infinity), known.version == row.version,
      !row.changedSlots(from: known).isEmpty
    {
      forget(key)
      return nil
    }
    return table.merge(row, key: key, loadTime: time)
  }

  /// Caches rows, or replaces them by the cached instances.
  fileprivate mutating func merge(
    _ rows: UnsafeMutableBufferPointer<Row>, _ reading: CacheReading, _ time: Double
  ) {
    let isPlain = reads.admitsAll(of: reading) && reads.wasAlone(reading)
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: RowCache.stride) { keys in
      for index in rows.indices { keys.initializeElement(at: index, to: rows[index].key) }
      for index in rows.indices {
        let known =
          isPlain
          ? table.merge(rows[index], key: keys[index], loadTime: time)
          : keep(rows[index], key: keys[index], reading, time)
        if let known { rows[index] = known }
      }
    }
  }

  fileprivate mutating func forget(_ key: Int64) {
    table.remove(key)
    reads.noteRemoval(of: key)
  }

  /// Drops a record that a commit removed.
  fileprivate mutating func forget(_ key: Int64, by reading: CacheReading) {
    table.remove(key)
    reads.noteRemoval(of: key, by: reading)
  }
}
