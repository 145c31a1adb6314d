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
    var reads = ReadsUnderWay()
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
    let reading = beginReading()
    defer { end(reading) }
    var (rows, result) = try read()
    merge(&rows, of: reading)
    return (rows, result)
  }

  /// Announces a request to the store; ``end(_:)`` must follow.
  func beginReading() -> CacheReading {
    state.withLock { $0.reads.begin() }
  }

  /// Ends a request, after its rows were kept.
  func end(_ reading: CacheReading) {
    state.withLock { $0.reads.end(reading) }
  }

  /// Keeps the rows that a request has brought, and replaces them by the instances to use.
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
    let reading = beginReading()
    defer { end(reading) }
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

  /// Runs a request to the store for one record, and keeps the row that it brings unless a newer one is there by then;
  /// without one, forgets the record.
  ///
  /// - Returns: The instance to use.
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

  /// Takes over what a commit wrote, unless newer rows are there by then: other commits may have come after it and have
  /// been told before it.
  ///
  /// - Parameters:
  ///   - changes: What was written.
  ///   - recomputed: The rows whose stored values differ from those that were sent.
  ///   - reading: Begun before the store was asked to commit.
  func commit(_ changes: StoreChangeSet, recomputed: [Row] = [], of reading: CacheReading) {
    let time = now()
    let recomputedKeys = Set(recomputed.map(\.key))
    state.withLock { state in
      // What is changed was read before, and is mostly here.
      state.table.reserve(changes.inserted.count)
      func keep(_ row: Row) {
        if !recomputedKeys.isEmpty, recomputedKeys.contains(row.key) { return }
        _ = state.keep(row, key: row.key, reading, time)
      }
      for row in changes.inserted { keep(row) }
      for index in changes.updated.indices { keep(changes.updated[index].row) }
      for row in recomputed { _ = state.keep(row, key: row.key, reading, time) }
      for record in changes.deleted { state.forget(record.key) }
      // Their versions have grown, and nobody said what their rows are.
      for record in changes.locked { state.forget(record.key) }
    }
  }

  /// Takes over what the store said of a record because a commit was in conflict with it: from then on nobody reads the
  /// row that was out of date.
  ///
  /// - Parameters:
  ///   - row: The record as the store has it; nil when it is gone.
  ///   - key: The record.
  ///   - reading: Begun before the store was asked to commit.
  func learn(_ row: Row?, ofKey key: Int64, of reading: CacheReading) {
    let time = now()
    state.withLock { state in
      guard let row, state.reads.admits(key, of: reading) else { return state.forget(key) }
      // A row of a later version is of another commit that was told before, or of a store that went back to an earlier
      // state: the next reader asks the store.
      let known = state.table.row(forKey: key, loadedSince: -.infinity)
      if let known, known.version > row.version { return state.forget(key) }
      _ = state.keep(row, key: key, reading, time)
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
    state.withLock { state in
      state.table.removeAll()
      state.reads.noteRemovalOfAll()
    }
  }

  /// How many removed records are remembered for the sake of requests under way.
  var removalCount: Int { state.withLock { $0.reads.removalCount } }
}

extension RowCache: KnownRows {
  /// The row of a record in a version. Another thread may be using the cache; then the store reads the record itself.
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

  /// Keeps a row unless a newer one is there, or its record was removed since the reading began.
  ///
  /// Values that are derived change without a new version: of two readings that overlap nobody knows which is newer, so
  /// where they differ neither is kept.
  ///
  /// - Returns: The instance to use in the place of the row; nil for the row itself.
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

  /// Keeps rows, or replaces them by those that are there.
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
}
