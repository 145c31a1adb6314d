// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Records to look for in the contents of transactions.
package struct RecordSelection: Sendable {
  /// The sequence numbers of the records of each entity code, ascending.
  private let sequences: [Int: [Int64]]

  /// - Parameter keys: The keys of the records.
  package init(_ keys: some Sequence<Int64>) {
    let byCode = Dictionary(grouping: keys) { RecordKey.entityCode(of: $0) }
    sequences = byCode.mapValues { $0.map { RecordKey.sequence(of: $0) }.sorted() }
  }

  /// Whether no record is looked for.
  package var isEmpty: Bool { sequences.isEmpty }

  /// Returns whether one of the records is in a range of consecutive sequence numbers.
  func contains(code: Int, _ range: ClosedRange<Int64>) -> Bool {
    guard let known = sequences[code] else { return false }
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < known.count && known[low] <= range.upperBound
  }
}

/// Looks for records in the content of a transaction. It reads the runs of keys and skips everything else, so a
/// transaction of many records costs almost nothing.
enum HistorySearch {
  static func finds(
    _ records: RecordSelection, _ reader: inout HistoryReader, withValues: Bool
  ) throws -> Bool {
    for _ in 0..<(try reader.count()) {
      guard let kind = StoreRecordChange.Kind(rawValue: try reader.byte()) else {
        throw HistoryDamage()
      }
      let (isFound, count) = try searchKeys(records, &reader)
      if isFound { return true }
      guard kind != .insert else { continue }
      let names = try reader.count()
      for _ in 0..<names { try reader.skipCounted() }
      if kind == .delete, names > 0 {
        for _ in 0..<count { for _ in 0..<names { try reader.skipValue() } }
      }
      if withValues { try skipPreviousValues(of: count, kind, &reader) }
    }
    return false
  }

  /// Returns whether a group contains one of the records, and the number of its records.
  private static func searchKeys(
    _ records: RecordSelection, _ reader: inout HistoryReader
  ) throws -> (isFound: Bool, count: Int) {
    let code = Int(truncatingIfNeeded: try reader.number())
    var total = 0
    var expected: Int64 = 0
    for _ in 0..<(try reader.count()) {
      let (first, isTooLarge) = expected.addingReportingOverflow(try reader.signed())
      let count = try reader.number()
      guard !isTooLarge, count > 0, count <= UInt64(HistoryDecoder.limit - total),
        first < Int64.max >> 13
      else { throw HistoryDamage() }
      expected = first + Int64(count)
      if records.contains(code: code, first...expected - 1) { return (true, total) }
      total += Int(count)
    }
    return (false, total)
  }

  private static func skipPreviousValues(
    of count: Int, _ kind: StoreRecordChange.Kind, _ reader: inout HistoryReader
  ) throws {
    let slots = try reader.count()
    for _ in 0..<slots {
      _ = try reader.byte()
      try reader.skipCounted()
    }
    guard slots > 0 || kind == .delete else { return }
    for _ in 0..<count {
      if kind == .delete { _ = try reader.signed() }
      for _ in 0..<slots { try reader.skipValue() }
    }
  }
}
