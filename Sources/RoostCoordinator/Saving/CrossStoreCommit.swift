// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Commits the parts of one save, store after store: the one place that knows that a save can concern several.
///
/// Each part is atomic in its store (B169). Saves of one store run side by side: the store decides their order, and the
/// caches take over what they wrote by versions. With several stores, conflicts are looked for in all of them before
/// the first one writes, while no other save of this coordinator can come between; what still fails after a store has
/// written is reported as an incomplete save (B170). No store is asked to write after another has failed.
struct CrossStoreCommit {
  let parts: [ChangeSetSplit.Part]

  /// What the stores answered.
  struct Outcome {
    var committed: [(part: ChangeSetSplit.Part, receipt: CommitReceipt)] = []
    var conflicts: [CommitConflict] = []
    var failure: (part: ChangeSetSplit.Part, error: PersistenceError)?
  }

  /// Runs the commits.
  func run() throws -> Outcome {
    let cancellation = RequestScope.cancellation
    if parts.count == 1 {
      return try parts[0].store.commitLock.sharing(cancellation) { try runLocked() }
    }
    var locked: [CommitGate] = []
    defer { for lock in locked.reversed() { lock.unlock() } }
    for lock in parts.map(\.store).sorted(by: { $0.order < $1.order }).map(\.commitLock) {
      try lock.lock(cancellation)
      locked.append(lock)
    }
    return try runLocked()
  }

  private func runLocked() throws -> Outcome {
    var outcome = Outcome()
    if parts.count > 1 {
      for part in parts { outcome.conflicts += try foreseeConflicts(of: part) }
      if !outcome.conflicts.isEmpty { return outcome }
    }
    // Each store keeps it in its own transaction, so it is there exactly if the part is.
    let save =
      parts.count > 1
      ? CommonSave(stores: parts.map(\.store).filter(\.keepsHistory).map(\.identity.identifier))
      : nil
    for part in parts {
      let reading = part.store.cache.beginReading()
      defer { part.store.cache.end(reading) }
      let watch = part.store.watch
      watch?.commitBegins()
      defer { watch?.commitEnds() }
      do {
        try part.addHistoryNotes(save: save)
        switch try commit(part, isFirst: outcome.committed.isEmpty) {
        case .committed(let receipt):
          part.store.didCommit(part.changes, receipt, of: reading)
          watch?.catchUp(part.store)
          outcome.committed.append((part, receipt))
        case .conflicted(let conflicts):
          outcome.conflicts = try conflicts.map { try Self.translate($0, in: part.store) }
          part.store.learn(conflicts, of: part.changes, reading)
          return outcome
        }
      } catch {
        let error = PersistenceError.wrapping(error, .persistentStoreSave)
        if error.code == .commitOutcomeUnknown { part.store.forgetRows(writtenBy: part.changes) }
        outcome.failure = (part, error)
        return outcome
      }
    }
    return outcome
  }

  /// - Parameter isFirst: Whether nothing is written yet. After that the save is not cancelled: the stores would have
  ///   half of it.
  private func commit(_ part: ChangeSetSplit.Part, isFirst: Bool) throws -> CommitOutcome {
    try part.store.asking(
      .commit, part.store.subject(of: part.changes), toTheEnd: !isFirst,
      report: { answer, result in
        switch answer {
        case .committed: result.rows = part.changes.recordCount
        case .conflicted(let conflicts): result.outcome = .conflict(conflicts.count)
        }
      }
    ) { store in
      let outcome = try store.commit(part.changes)
      if case .committed = outcome { part.store.noteCommit() }
      return outcome
    }
  }

  /// The version conflicts that a part would have now: one round trip for any number of records.
  private func foreseeConflicts(of part: ChangeSetSplit.Part) throws -> [CommitConflict] {
    let changes = part.changes
    var expected: [Int64: Int64] = [:]
    for update in changes.updated { expected[update.row.key] = update.baseVersion }
    for record in changes.deleted + changes.locked { expected[record.key] = record.version }
    guard !expected.isEmpty else { return [] }
    let reading = part.store.cache.beginReading()
    defer { part.store.cache.end(reading) }
    let keys = expected.keys.sorted()
    let rows = try part.store.asking(
      .rows, part.store.subject(ofKeys: keys), report: { $1.rows = $0.count }
    ) { store in
      try store.rows(forKeys: keys)
    }
    var current: [Int64: Row] = [:]
    for row in rows { current[row.key] = row }
    return try expected.keys.sorted().compactMap { key in
      guard let version = expected[key], current[key]?.version != version else { return nil }
      let conflict = StoreConflict.version(key: key, expected: version, current: current[key])
      let translated = try Self.translate(conflict, in: part.store)
      part.store.learn([conflict], of: changes, reading)
      return translated
    }
  }

  /// A store's conflict with IDs instead of keys.
  private static func translate(
    _ conflict: StoreConflict, in store: AttachedStore
  ) throws -> CommitConflict {
    func id(_ key: Int64) throws -> ObjectID {
      guard let id = store.objectID(forKey: key) else {
        throw PersistenceError(
          .persistentStoreOperation,
          "The store reported a conflict of a record that was not sent to it.",
          store: store.displayName)
      }
      return id
    }
    switch conflict {
    case .version(let key, let expected, let current):
      return .version(
        id: try id(key), expected: expected, current: current, cached: store.cache.row(forKey: key))
    case .uniqueness(let constraint, let entityName, let key, let existing):
      return .uniqueness(
        id: try id(key), constraint: constraint, entityName: entityName, existing: existing,
        existingID: existing.flatMap { store.objectID(forKey: $0.key) })
    }
  }
}
