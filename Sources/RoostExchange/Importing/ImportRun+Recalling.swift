// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

// Finding the lines that an interrupted import has left to do.
extension ImportRun {
  /// Reads some of the lines again that an interrupted import has read, and writes nothing: which records its waiting
  /// lines concern, and which relationships the lines after them name.
  ///
  /// - Returns: False when all were read.
  func recall() throws -> Bool {
    let first = journal.links ?? journal.next
    var entries: [ImportEntry] = []
    for _ in 0..<Self.scanSize where entries.count < options.batchSize {
      guard records.position.number < journal.next else { break }
      // Cut off since it was scanned.
      guard let record = try records.next() else { throw changedFile(journal) }
      let entry = try entry(record)
      if entry.number >= first || entry.id != nil && entry.key != nil { entries.append(entry) }
    }
    if !entries.isEmpty {
      var batch = makeBatch()
      try batch.recall(entries, journal)
      waits = batch.waits
      keyedIDs = batch.keyedIDs
      context.reset()
    }
    return records.position.number < journal.next
  }
}

extension ImportBatch {
  /// Notes what an interrupted import knew about some lines.
  fileprivate mutating func recall(_ entries: [ImportEntry], _ journal: ImportJournal) throws {
    self.entries = entries
    for (entry, object) in zip(entries, try storedRecords()) {
      if let id = entry.id, entry.key != nil, let object { keyedIDs[id] = object.objectID }
      let isOpen = journal.open.contains(entry.number)
      if journal.postponed.contains(entry.number), !isOpen || object == nil {
        waits.postpone(entry)
        waits.add(entry.number, .postponed)
        continue
      }
      // A record that was removed since stays removed, and one that has another name since has nothing that waits.
      guard let object else { continue }
      // The line is counted already.
      if isOpen { waits.add(entry.number, .updated) }
      guard entry.key != nil else { continue }
      for (relationship, _) in entry.links {
        waits.note(relationship, of: object.objectID, in: entry.number, waits: isOpen)
      }
    }
  }
}
