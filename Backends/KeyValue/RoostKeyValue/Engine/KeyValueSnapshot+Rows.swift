// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

extension KeyValueSnapshot {
  /// The row of one record, read as many are; nil when there is none.
  package func rowAmongMany(forKey key: Int64) throws -> Row? {
    var row: Row?
    try withUnsafePointer(to: key) { key in
      try withRows(
        forKeys: UnsafeBufferPointer(start: key, count: 1), need: .keptRows
      ) { chunk, _ in
        row = try chunk[0]
        return true
      }
    }
    return row
  }

  /// Returns the rows of records in the order of the keys; missing records are left out.
  func rows(
    forKeys keys: [Int64], _ cancellation: RequestCancellation? = nil
  ) throws -> [Row] {
    if keys.count == 1 { return try row(forKey: keys[0]).map { [$0] } ?? [] }
    guard keys.count < fewKeys || isAscending(keys) else {
      return try rowsInOrder(keys, cancellation)
    }
    var rows: [Row] = []
    rows.reserveCapacity(keys.count)
    try keys.withUnsafeBufferPointer { keys in
      try withRows(forKeys: keys, need: .keptRows) { chunk, _ in
        try cancellation.check()
        for index in 0..<chunk.count {
          if let row = try chunk[index] { rows.append(row) }
        }
        return true
      }
    }
    return rows
  }

  /// The number of keys up to which the order of lookups does not matter.
  private var fewKeys: Int { 64 }

  private func isAscending(_ keys: [Int64]) -> Bool {
    keys.withUnsafeBufferPointer { keys in
      (1..<keys.count).allSatisfy { keys[$0 - 1] <= keys[$0] }
    }
  }

  /// Looks many keys up in ascending order, so that neighbouring records are read together.
  private func rowsInOrder(
    _ keys: [Int64], _ cancellation: RequestCancellation?
  ) throws -> [Row] {
    var order: [(key: Int64, place: Int)] = []
    order.reserveCapacity(keys.count)
    for place in keys.indices { order.append((keys[place], place)) }
    order.sortByDigits { UInt64(bitPattern: $0.key) }
    var sorted = ContiguousArray<Int64>()
    sorted.reserveCapacity(keys.count)
    for entry in order { sorted.append(entry.key) }
    let found = FoundRows(count: keys.count)
    try sorted.withUnsafeBufferPointer { sorted in
      try withRows(forKeys: sorted, need: .keptRows) { chunk, start in
        try cancellation.check()
        for index in 0..<chunk.count { try found.set(chunk[index], order[start + index].place) }
        return true
      }
    }
    return found.take()
  }
}

/// Rows that are found in another order than the requested one.
private final class FoundRows {
  private let rows: UnsafeMutablePointer<Row?>
  private let count: Int
  private var missing: Int

  init(count: Int) {
    rows = .allocate(capacity: count)
    for place in 0..<count { (rows + place).initialize(to: nil) }
    self.count = count
    missing = count
  }

  deinit {
    rows.deinitialize(count: count)
    rows.deallocate()
  }

  /// Stores a row, if it was found, at its place.
  @inline(__always) func set(_ row: consuming Row?, _ place: Int) {
    if row != nil { missing -= 1 }
    rows[place] = row
  }

  /// Returns the found rows in the order of their places.
  func take() -> [Row] {
    Array(unsafeUninitializedCapacity: count - missing) { result, filled in
      for place in 0..<count {
        guard let row = rows[place].take() else { continue }
        result.initializeElement(at: filled, to: row)
        filled += 1
      }
    }
  }
}
