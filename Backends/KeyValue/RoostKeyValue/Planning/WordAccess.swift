// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// The records that have all words of a search, from a word index. Whether the words match as the search demands,
/// phrases above all, is tested on the rows.
struct WordAccess {
  let index: IndexDefinition
  /// The entries of each word, or of those with a beginning.
  private let ranges: [KeyRange]

  /// A range with this many times the entries of another one is not read: testing the remaining rows is faster.
  private static let largestFactor = 16

  /// Makes the access for a part of a condition; nil when the index does not have the words.
  init?(_ part: ResolvedPredicate, _ index: IndexDefinition) {
    guard case .comparison(let comparison) = part, comparison.comparison == .search,
      comparison.modifier == .direct, case .path(let path) = comparison.left,
      path.root == .object, let slot = RequestConditions.ownSlot(of: path),
      slot.offset == index.components.first?.slot.offset,
      case .constant(.string(let text)) = comparison.right
    else { return nil }
    self.index = index
    var ranges: [KeyRange] = []
    for term in SearchQuery(text).terms {
      for (number, word) in term.words.enumerated() {
        var bytes: [UInt8] = []
        if term.isPrefix, number == term.words.count - 1 {
          Array(word.utf8).withUnsafeBytes { KeyEncoding.appendUnterminated($0, to: &bytes) }
        } else {
          KeyEncoding.appendString(word, to: &bytes)
        }
        ranges.append(index.cutting(KeyRange(prefix: bytes)))
      }
    }
    self.ranges = ranges
  }

  var description: String {
    ranges.count == 1 ? "1 word" : "\(ranges.count) words"
  }

  /// Returns an upper estimate of the number of records.
  func estimatedCount(in snapshot: any KeyValueSnapshot) throws -> Int {
    try ranges.map { try count(of: $0, in: snapshot) }.min() ?? 0
  }

  /// Returns the number of entries in a range. An engine may estimate it from a part of the table, and this table has
  /// an entry for each word of a record: an estimate above the number of records is replaced by an exact count.
  private func count(of range: KeyRange, in snapshot: any KeyValueSnapshot) throws -> Int {
    let estimate = try snapshot.estimatedEntryCount(of: index.table, in: range)
    let records = try index.entityCodes.reduce(0) {
      try $0 + snapshot.recordCount(ofEntityCode: $1)
    }
    guard estimate > records / 4 else { return estimate }
    return min(records, try snapshot.entryCount(of: index.table, in: range))
  }

  /// The keys of the records, each once or more often.
  func keys(
    in snapshot: any KeyValueSnapshot, _ cancellation: RequestCancellation?
  ) throws -> [Int64] {
    let counted = try ranges.map { range in
      (range: range, count: try count(of: range, in: snapshot))
    }.sorted { $0.count < $1.count }
    guard let first = counted.first else { return [] }
    var keys = try self.keys(in: first.range, snapshot, cancellation)
    for other in counted.dropFirst() {
      guard !keys.isEmpty, other.count / Self.largestFactor <= keys.count else { break }
      let found = Set(try self.keys(in: other.range, snapshot, cancellation))
      keys = keys.filter(found.contains)
    }
    return keys
  }

  private func keys(
    in range: KeyRange, _ snapshot: any KeyValueSnapshot, _ cancellation: RequestCancellation?
  ) throws -> [Int64] {
    var keys: [Int64] = []
    try snapshot.scanKeys(of: index.table, in: range, descending: false) { some in
      try cancellation.check()
      keys += some
      return true
    }
    return keys
  }
}
