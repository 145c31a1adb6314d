// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  /// Writes all changes, or none: one transaction, which is acknowledged after it is on the server's disk.
  package func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try translating {
      try noticingPreparedParts(changes) {
        switch try SaveWriter(changes, to: self).run() {
        case .written(let recomputed):
          noteCommit(of: changes)
          return .committed(CommitReceipt(recomputed: recomputed.first ?? []))
        case .conflicted(_, let conflicts): return .conflicted(conflicts)
        }
      }
    }
  }

  /// Takes note of a change set that is committed.
  ///
  /// - Parameter records: The number of records that statements have written beside it.
  func noteCommit(of changes: StoreChangeSet, records: Int = 0) {
    if changes.hasMetadata { setMetadata(changes.metadata(after:)) }
    hints?.noteCommit(keepsHistory: metadata.keepsHistory)
    let written = changes.inserted.count + changes.updated.count + changes.deleted.count
    try? prepared().indexWords(self, afterRecords: written + records)
  }

  /// Reads how the records that stood in the way are now: after the rollback, so that nothing of this commit shows.
  func conflicts(
    _ refusals: [ChangeRefusal], _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> [StoreConflict] {
    let keys = refusals.map { refusal in
      switch refusal {
      case .version(let key, _): key
      case .uniqueness(_, _, let holder, _): holder
      }
    }
    let rows = Dictionary(
      try rows(Array(Set(keys)), prepared, connection).map { ($0.key, $0) },
      uniquingKeysWith: { first, _ in first })
    return zip(refusals, keys).map { refusal, found in
      switch refusal {
      case .version(let key, let expected):
        .version(key: key, expected: expected, current: rows[found])
      case .uniqueness(let constraint, let key, _, let sent):
        .uniqueness(
          constraint: constraint.properties, entityName: constraint.entityName, key: key,
          existing: rows[found] ?? sent)
      }
    }
  }
}

extension PostgreSQLStore {
  /// Runs a save. One that has waited in vain for a record of a prepared part says so: the store that decides about the
  /// part can be asked.
  ///
  /// - Throws: `saveInDoubt`.
  func noticingPreparedParts<Result>(
    _ changes: StoreChangeSet, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.isLimitOfTime {
      let keys = Set(changes.touchedKeys)
      let parts = (try? preparation?.pending()) ?? []
      guard let part = parts.first(where: { $0.touches(keys) }) ?? parts.first else { throw error }
      throw part.inDoubt(in: identity.identifier)
    }
  }
}

extension StoreChangeSet {
  /// The change set with metadata that keep what other programs have added to those of a store, as part of a
  /// transaction that is begun here unless it was before. One without metadata is as it was, and takes no round trip.
  func keepingOthers(
    of store: PostgreSQLStore, _ namespace: PostgreSQLNamespace, _ connection: PostgreSQLConnection
  ) throws -> StoreChangeSet {
    guard let wanted = metadata else { return self }
    if !connection.isInTransaction { try connection.run(.begin) }
    var merged = wanted.keepingOthers(
      in: try namespace.lockedMetadata(connection),
      since: earlierMetadata ?? store.metadata)
    // The metadata of a second version say by themselves what is left of it.
    if store.oldVersion != nil { merged.deferredSteps = wanted.deferredSteps }
    var changes = self
    changes.metadata = merged
    return changes
  }
}
