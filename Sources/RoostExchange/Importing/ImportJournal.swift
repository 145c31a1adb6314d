// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// The progress of an import, kept in the store's metadata and written with the save of each batch.
struct ImportJournal: Equatable {
  /// Numbers reserved for records without a key: record `n` of the files gets `first + n`.
  struct Block: Equatable {
    var count: Int
    var first: Int64

    /// Returns the number for a record; nil for one outside of the block.
    func sequence(of record: Int) -> Int64? {
      guard record < count else { return nil }
      let (number, isTooLarge) = first.addingReportingOverflow(Int64(record))
      return isTooLarge ? nil : number
    }
  }

  /// The digest of the files up to the next record.
  var digest = Data()
  /// The number of records done.
  var next = 0
  /// The first record that had to wait for destinations; nil for none.
  var links: Int?
  /// The lines that are not written yet, because their records require a destination.
  var postponed = IndexSet()
  /// The lines with a relationship that is not set yet. Lines in both sets are those of a journal that does not tell:
  /// they are postponed if their records do not exist.
  var open = IndexSet()
  /// Whether all records were read once.
  var isLinking = false
  var isDone = false
  var blocks: [Block] = []
  var report = ImportReport()
  /// The time of the last save, in seconds since 2001.
  var time = 0.0
}

extension ImportJournal {
  /// The prefix of the metadata keys of journals.
  static let prefix = "roost.import "
  /// The maximum number of journals; older ones are removed.
  private static let largestCount = 64

  /// Returns the journal with a name; nil for an import that the store does not know.
  static func read(_ name: String, in store: AttachedStore) -> ImportJournal? {
    guard case .dictionary(let fields) = store.store.metadata.userValues[prefix + name],
      // Its numbers are meaningless in a copy of the store.
      fields["store"] == .string(store.identity.identifier)
    else { return nil }
    return ImportJournal(fields)
  }

  /// Returns the metadata changes that write a journal, or remove the one with the name.
  static func values(
    of journal: ImportJournal?, _ name: String, in store: AttachedStore
  ) -> [String: MetadataValue?] {
    var values: [String: MetadataValue?] = [:]
    var others: [(name: String, age: Double)] = []
    for (key, value) in store.store.metadata.userValues
    where key.hasPrefix(prefix) && key != prefix + name {
      others.append((key, age(value)))
    }
    if others.count >= largestCount {
      others.sort { $0.age < $1.age }
      for other in others.prefix(others.count - largestCount + 1) {
        values.updateValue(nil, forKey: other.name)
      }
    }
    var fields = journal?.fields
    fields?["store"] = .string(store.identity.identifier)
    values.updateValue(fields.map { .dictionary($0) }, forKey: prefix + name)
    return values
  }

  private static func age(_ value: MetadataValue) -> Double {
    guard case .dictionary(let fields) = value, case .double(let time) = fields["time"] else {
      return 0
    }
    return time
  }

  private var fields: [String: MetadataValue] {
    var fields: [String: MetadataValue] = [
      "digest": .data(digest), "next": .integer(Int64(next)), "linking": .boolean(isLinking),
      "done": .boolean(isDone), "time": .double(time),
      "blocks": .list(
        blocks.flatMap { [.integer(Int64($0.count)), .integer($0.first)] }),
      "counts": .list(
        [
          report.inserted, report.updated, report.unchanged, report.skipped,
          report.skippedReferences,
        ].map { .integer(Int64($0)) }),
    ]
    if let links { fields["links"] = .integer(Int64(links)) }
    if links != nil {
      fields["postponed"] = .data(Self.bytes(of: postponed))
      fields["open"] = .data(Self.bytes(of: open))
    }
    return fields
  }

  /// Encodes numbers as the distances between the bounds of their ranges, in bytes of seven bits each.
  private static func bytes(of numbers: IndexSet) -> Data {
    var data = Data()
    var last = 0
    for range in numbers.rangeView {
      for bound in [range.lowerBound, range.upperBound] {
        var rest = bound - last
        last = bound
        while rest > 127 {
          data.append(UInt8(rest & 127) | 128)
          rest >>= 7
        }
        data.append(UInt8(rest))
      }
    }
    return data
  }

  /// Decodes numbers.
  ///
  /// - Returns: All lines of the range where none are given; nil for invalid ones.
  private static func lines(_ value: MetadataValue?, from start: Int, to end: Int) -> IndexSet? {
    guard start >= 0, start <= end else { return nil }
    guard case .data(let data)? = value else { return IndexSet(integersIn: start..<end) }
    return numbers(in: data, below: end)
  }

  /// Returns nil for invalid bytes.
  private static func numbers(in data: Data, below end: Int) -> IndexSet? {
    var numbers = IndexSet()
    var (bound, start): (Int, Int?) = (0, nil)
    var (distance, shift) = (0, 0)
    for byte in data {
      guard shift < 63 else { return nil }
      distance |= Int(byte & 127) << shift
      shift += 7
      guard byte < 128 else { continue }
      guard distance <= end - bound else { return nil }
      bound += distance
      (distance, shift) = (0, 0)
      if let first = start {
        numbers.insert(integersIn: first..<bound)
        start = nil
      } else {
        start = bound
      }
    }
    return shift == 0 && start == nil ? numbers : nil
  }

  /// Returns nil for an invalid journal: then the import starts over.
  private init?(_ fields: [String: MetadataValue]) {
    guard case .data(let digest) = fields["digest"], case .integer(let next) = fields["next"],
      case .boolean(let isLinking) = fields["linking"], case .boolean(let isDone) = fields["done"],
      case .list(let blocks) = fields["blocks"], case .list(let counts) = fields["counts"],
      blocks.count.isMultiple(of: 2), counts.count == 5
    else { return nil }
    func integers(_ values: [MetadataValue]) -> [Int64] {
      values.map { if case .integer(let number) = $0 { number } else { 0 } }
    }
    self.digest = digest
    self.next = Int(next)
    self.isLinking = isLinking
    self.isDone = isDone
    if case .integer(let links) = fields["links"] { self.links = Int(links) }
    if let links {
      guard let postponed = Self.lines(fields["postponed"], from: links, to: self.next),
        let open = Self.lines(fields["open"], from: links, to: self.next)
      else { return nil }
      (self.postponed, self.open) = (postponed, open)
    }
    let numbers = integers(blocks)
    self.blocks = stride(from: 0, to: numbers.count, by: 2).map {
      Block(count: Int(numbers[$0]), first: numbers[$0 + 1])
    }
    let parts = integers(counts).map { Int($0) }
    report.inserted = parts[0]
    report.updated = parts[1]
    report.unchanged = parts[2]
    report.skipped = parts[3]
    report.skippedReferences = parts[4]
    if case .double(let time) = fields["time"] { self.time = time }
  }
}
