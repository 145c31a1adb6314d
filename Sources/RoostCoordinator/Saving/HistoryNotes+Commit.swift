// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

extension ChangeSetSplit.Part {
  /// Adds the notes for the store's history, just before the commit.
  ///
  /// - Parameter save: The save, if it writes to more than one store.
  /// - Throws: The error of reading the rows of deleted records.
  /// - Complexity: Nothing for a store without a history; one round trip when deleted records have attributes
  ///   preserved in the history, and their rows are not cached.
  func addHistoryNotes(save: CommonSave?) throws {
    guard store.keepsHistory else { return }
    var notes = changes.notes ?? HistoryNotes(time: 0)
    let coordinator = store.coordinator
    notes.time = coordinator?.historyTicks.clock() ?? Date.now.timeIntervalSinceReferenceDate
    notes.save = save
    notes.writer = coordinator?.remoteChanges.writer ?? 0
    notes.lastRows = try store.lastRows(of: changes.deleted)
    changes.notes = notes
  }
}

extension AttachedStore {
  /// Returns the last rows of deleted records with attributes preserved in the history, in the versions in which they
  /// are deleted.
  fileprivate func lastRows(of deleted: [RowVersion]) throws -> [Row] {
    guard !deleted.isEmpty else { return [] }
    var kept: [Int: Bool] = [:]
    func isKept(_ key: Int64) -> Bool {
      let code = RecordKey.entityCode(of: key)
      if let known = kept[code] { return known }
      let entity = schema.entity(ofKey: key)
      let answer = !(entity?.attributesKeptInHistory.isEmpty ?? true)
      kept[code] = answer
      return answer
    }
    var rows: [Row] = []
    var missing: [Int64: Int64] = [:]
    for record in deleted where isKept(record.key) {
      if let row = cache.row(forKey: record.key), row.version == record.version {
        rows.append(row)
      } else {
        missing[record.key] = record.version
      }
    }
    guard !missing.isEmpty else { return rows }
    let keys = missing.keys.sorted()
    let found = try asking(.rows, subject(ofKeys: keys), report: { $1.note($0) }) { store in
      try store.rows(forKeys: keys)
    }
    // A record in another version is a conflict, which the commit detects.
    return rows + found.filter { missing[$0.key] == $0.version }
  }
}
