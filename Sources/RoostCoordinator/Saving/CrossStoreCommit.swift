// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Commits the parts of one save: the one place that handles several stores.
///
/// Saves of one store run concurrently: the store determines their order, and the caches merge the written rows by
/// version. With several stores, conflicts are checked in all of them before the first one writes, under locks that
/// keep other saves of this coordinator out. Then the save is written in all of them or in none (``AtomicSave``), or
/// store after store (``SeparateCommits``).
struct CrossStoreCommit {
  let coordinator: PersistentStoreCoordinator
  let parts: [ChangeSetSplit.Part]

  /// The combined answers of the stores.
  struct Outcome {
    var committed: [(part: ChangeSetSplit.Part, receipt: CommitReceipt)] = []
    var conflicts: [CommitConflict] = []
    var failure: (part: ChangeSetSplit.Part, error: PersistenceError)?

    /// Returns those of all parts that are not written. They may have been tried in another order.
    func unwritten(of parts: [ChangeSetSplit.Part]) -> [ChangeSetSplit.Part] {
      parts.filter { part in !committed.contains { $0.part === part } }
    }
  }

  /// Runs the commits.
  func run() throws -> Outcome {
    let cancellation = RequestScope.cancellation
    guard let first = parts.first else { return Outcome() }
    guard parts.count > 1 || first.hasMetadata else {
      return try first.store.commitLock.sharing(cancellation) {
        try SeparateCommits(coordinator: coordinator, parts: parts).run()
      }
    }
    let isAtomic = try parts.count > 1 && isAtomic()
    return try parts.map(\.store).locking(cancellation) {
      // Another save may have written metadata since the save was split.
      for part in parts where part.hasMetadata { part.takeMetadata() }
      var outcome = Outcome()
      guard parts.count > 1 else {
        return try SeparateCommits(coordinator: coordinator, parts: parts).run()
      }
      for part in parts { outcome.conflicts += try foreseeConflicts(of: part) }
      if !outcome.conflicts.isEmpty { return outcome }
      return isAtomic
        ? try AtomicSave(coordinator: coordinator, parts: parts).run()
        : try SeparateCommits(coordinator: coordinator, parts: parts).run()
    }
  }

  /// Returns whether the parts must be written in all stores or in none.
  ///
  /// - Throws: `persistentStoreUnsupportedRequestType` when that is required and a store does not support it,
  ///   `limitExceeded` for too many stores.
  private func isAtomic() throws -> Bool {
    let saves = coordinator.saveTraffic.policy
    guard saves != .perStore else { return false }
    if let part = parts.first(where: { $0.store.store.preparation == nil }) {
      guard saves == .atomic else { return false }
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "The store cannot take part in a save over several stores that is written in all of them "
          + "or in none: save to it alone, or set `crossStoreSaves` to `.atomicWherePossible`.",
        store: part.store.displayName)
    }
    guard parts.count <= AtomicSave.mostStores else {
      throw PersistenceError(
        .limitExceeded,
        "A save concerns \(parts.count) stores; \(AtomicSave.mostStores) can be written at once.")
    }
    return true
  }

  /// Returns the version conflicts that a part would have now, in one round trip.
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
      .rows, part.store.subject(ofKeys: keys), report: { $1.note($0) }
    ) { store in
      try store.rows(forKeys: keys)
    }
    var current: [Int64: Row] = [:]
    for row in rows { current[row.key] = row }
    return try expected.keys.sorted().compactMap { key in
      guard let version = expected[key], current[key]?.version != version else { return nil }
      let conflict = StoreConflict.version(key: key, expected: version, current: current[key])
      let translated = try CommitConflict(conflict, in: part.store)
      part.store.learn([conflict], of: changes, reading)
      return translated
    }
  }
}

extension CommitConflict {
  /// Translates a store's conflict, with IDs instead of keys.
  ///
  /// - Throws: `persistentStoreOperation` when the store names a record that it does not hold.
  init(_ conflict: StoreConflict, in store: AttachedStore) throws {
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
      self = .version(
        id: try id(key), expected: expected, current: current, cached: store.cache.row(forKey: key))
    case .uniqueness(let constraint, let entityName, let key, let existing):
      self = .uniqueness(
        id: try id(key), constraint: constraint, entityName: entityName, existing: existing,
        existingID: existing.flatMap { store.objectID(forKey: $0.key) })
    }
  }
}
