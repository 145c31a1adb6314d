// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The first pass over the files: the number of records, their IDs, and where an earlier import stopped.
struct ImportScan {
  /// A line with an ID.
  struct Named {
    let number: Int
    let entity: EntityDescription
  }

  /// A position at which reading can resume.
  struct Mark {
    let position: InputPosition
    let digest: SHA256
  }

  private(set) var records: InputRecords
  private(set) var count = 0
  private(set) var ids: [String: Named] = [:]
  /// Whether a line has an ID and a key, so that its record may have any stored ID.
  private(set) var hasKeyedIDs = false
  /// The positions of the wanted record numbers.
  private(set) var marks: [Int: Mark] = [:]
  private let wanted: Set<Int>
  /// The file whose columns were checked.
  private var checkedFile: Int?

  /// - Parameter wanted: The record numbers whose positions are needed.
  init(_ records: InputRecords, wanted: Set<Int>) {
    self.records = records
    self.wanted = wanted
  }

  /// The digest of all files, after the last record.
  var digest: Data {
    var digest = records.digest
    return digest.finish()
  }

  /// Scans some records.
  ///
  /// - Returns: False after the last one.
  mutating func step(_ limit: Int, _ target: ImportTarget) throws -> Bool {
    for _ in 0..<limit {
      if wanted.contains(count) {
        marks[count] = Mark(position: records.position, digest: records.digest)
      }
      guard let record = try records.next() else { return false }
      count += 1
      try checkColumns(record, target)
      guard mayHaveID(record) else { continue }
      let place = records.place(of: record.position)
      do throws(ExchangeFault) {
        try note(record, place, target)
      } catch {
        throw error.error(at: place)
      }
    }
    return true
  }

  private mutating func note(
    _ record: InputRecord, _ place: RecordPlace, _ target: ImportTarget
  ) throws(ExchangeFault) {
    let fields = try records.fields(of: record)
    guard let id = fields.id else { return }
    let entry = try ImportEntry(
      fields, number: count - 1, place: place, entity: records.files[record.position.file].entity,
      target)
    guard ids[id] == nil else {
      throw ExchangeFault(
        "the ID of the line is that of an earlier one, too", key: "@id", value: .string(id),
        remedy: "Give each line an “@id” of its own.")
    }
    ids[id] = Named(number: count - 1, entity: entry.plan.entity)
    if entry.key != nil { hasKeyedIDs = true }
  }

  /// Throws for a file with a column that is not a property, before anything is written.
  private mutating func checkColumns(_ record: InputRecord, _ target: ImportTarget) throws {
    let file = record.position.file
    guard checkedFile != file else { return }
    checkedFile = file
    guard let names = records.columnNames, let entity = records.files[file].entity,
      !names.contains("@entity")
    else { return }
    do throws(ExchangeFault) {
      let plan = try target.plan(named: entity)
      for name in names where name != "@id" && plan.properties[name] == nil {
        throw ImportEntry.unknown(name, plan)
      }
    } catch {
      throw error.error(at: RecordPlace(file: records.files[file].name, line: 1))
    }
  }

  /// Whether a record can have an ID: most lines are skipped without being parsed.
  private func mayHaveID(_ record: InputRecord) -> Bool {
    if let names = records.columnNames { return names.contains("@id") }
    let bytes = record.bytes
    return bytes.withUnsafeBytes { bytes in
      guard var start = bytes.baseAddress else { return false }
      let end = start + bytes.count
      while let found = memchr(start, 0x40, end - start) {
        start = UnsafeRawPointer(found) + 1
        if end - start >= 2, memcmp(start, "id", 2) == 0 { return true }
      }
      return false
    }
  }
}
