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
  /// The first record whose relationships must be set after all records exist; nil for none.
  var links: Int?
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
    return fields
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
