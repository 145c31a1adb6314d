// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The changes of a batch request: a change set for each store, and the IDs in its result.
struct BatchChanges {
  private(set) var parts: [ChangeSetSplit.Part] = []
  var ids: [ObjectID] = []

  /// Changes the change set of a store.
  mutating func add(_ store: AttachedStore, _ change: (inout StoreChangeSet) -> Void) {
    if let known = parts.first(where: { $0.store === store }) {
      change(&known.changes)
      return
    }
    let part = ChangeSetSplit.Part(store: store, changes: StoreChangeSet())
    change(&part.changes)
    parts.append(part)
  }

  mutating func setOrigin(_ origin: StoreChangeSet.Origin) {
    for part in parts { part.changes.origin = origin }
  }

  /// - Throws: `readOnlyStore` when a store to be written is read-only (B236).
  func checkWritable() throws {
    for part in parts where part.store.isReadOnly {
      throw PersistenceError(
        .readOnlyStore, "The request concerns a read-only store.", store: part.store.displayName)
    }
  }
}

extension PersistentStoreCoordinator {
  /// The number of attempts of a batch request when records change between reading and writing them.
  static let batchAttempts = 16

  /// Makes changes from the stores' current state, and commits them; retries when a concurrent save wrote the same
  /// records.
  ///
  /// Batch requests bypass the contexts (B272): only observers that keep results up to date, such as live queries,
  /// receive them.
  func commitBatch(
    origin: StoreChangeSet.Origin, _ makeChanges: () throws -> BatchChanges
  ) throws -> BatchOutcome {
    var conflicts: [CommitConflict] = []
    for _ in 0..<Self.batchAttempts {
      var changes = try makeChanges()
      try changes.checkWritable()
      changes.setOrigin(origin)
      switch try commit(
        changes.parts.filter { !$0.changes.isEmpty }, announce: { announce($0, isBatch: true) })
      {
      case .committed: return .done(changes.ids)
      case .incomplete(_, let error): throw error
      case .conflicted(let found): conflicts = found
      }
      guard conflicts.allSatisfy(\.isVersion) else { break }
    }
    return .conflicted(conflicts)
  }
}

extension CommitConflict {
  /// Whether a concurrent save changed the record, so that a retry can help.
  var isVersion: Bool {
    if case .version = self { return true }
    return false
  }
}

extension FetchedRows {
  /// Returns the rows grouped by store, in order.
  func byStore() -> [(store: AttachedStore, rows: [Row])] {
    if let singleStore { return rows.isEmpty ? [] : [(singleStore, rows)] }
    var result: [(store: AttachedStore, rows: [Row])] = []
    for index in 0..<count {
      let store = store(at: index)
      if let place = result.firstIndex(where: { $0.store === store }) {
        result[place].rows.append(rows[index])
      } else {
        result.append((store, [rows[index]]))
      }
    }
    return result
  }
}
