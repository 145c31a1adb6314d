// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  /// How often a save that loses against others is tried.
  private static let attemptLimit = 12

  /// Writes all changes, or none: one transaction, which is acknowledged after it is on the server's disk.
  package func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let prepared = try prepared()
    return try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      let plan = try SavePlan(changes, prepared)
      let outcome = try commit(changes, plan, prepared)
      guard case .committed = outcome else { return outcome }
      if let metadata = changes.metadata { setMetadata(metadata) }
      hints?.noteCommit(keepsHistory: metadata.keepsHistory)
      return outcome
    }
  }

  /// Tries a save until it is known how it ended. A save is made of values alone, so it can be tried again as it is
  /// whenever it is certain that nothing of it was written.
  private func commit(
    _ changes: StoreChangeSet, _ plan: SavePlan, _ prepared: PreparedSchema
  ) throws -> CommitOutcome {
    try resolvePending()
    var isCareful = false
    var hasLostConnection = false
    var hasOutdatedStatement = false
    var attempt = 0
    var recomputed: [Row] = []
    while true {
      attempt += 1
      try cancellation.check()
      do {
        let (result, conflicts) = try attemptCommit(
          changes, plan, prepared, isCareful: isCareful, recomputed: &recomputed)
        switch result {
        case .committed: return .committed(CommitReceipt(recomputed: recomputed))
        case .refused: return .conflicted(conflicts)
        case .hindered:
          // The hindrance may be gone when it is looked for; then the careful way has written the save.
          isCareful = true
        }
      } catch let interruption as SaveInterruption {
        if try settle(interruption) == .committed {
          return .committed(CommitReceipt(recomputed: recomputed))
        }
        // It is certain that nothing was written; once more, unless that was tried already or time is over.
        guard !hasLostConnection, interruption.cause.kind == .lost else {
          throw interruption.cause
        }
        hasLostConnection = true
      } catch let commit as UnconfirmedCommit {
        try confirm(commit)
        return .committed(CommitReceipt(recomputed: recomputed))
      } catch let error as PostgreSQLError
        where error.isCollision || (isCareful && error.isUniquenessViolation)
      {
        guard attempt < Self.attemptLimit else { throw error }
        // Savers that failed together do not retry at the same time.
        Thread.sleep(forTimeInterval: Double.random(in: 0.0005...0.004) * Double(attempt))
      } catch let error as PostgreSQLError where error.isOutdatedStatement {
        guard !hasOutdatedStatement else { throw error }
        hasOutdatedStatement = true
      }
    }
  }

  /// A save whose connection was lost, or whose server fell silent.
  private struct SaveInterruption: Error {
    let cause: PostgreSQLError
    let mark: CommitToken
    /// Whether the server may have committed it.
    let isCommitSent: Bool
  }

  private func attemptCommit(
    _ changes: StoreChangeSet, _ plan: SavePlan, _ prepared: PreparedSchema, isCareful: Bool,
    recomputed: inout [Row]
  ) throws -> (SaveRun.Result, [StoreConflict]) {
    try pool.withConnection(cancellation) { connection in
      var isCommitSent = false
      let opened = opened
      var mark = connection.saveRow.mark(
        in: opened.format, or: opened.later, second: opened.second)
      do {
        // Waiting for the turn can be interrupted as the rest can.
        let turn = try DerivationTurn(changes, plan, prepared, connection, store: self)
        mark = connection.saveRow.mark(
          in: opened.format, or: opened.later, second: opened.second)
        recomputed = turn.recomputed
        let hashes = changes.metadata?.entityVersionHashes
        var run = SaveRun(
          turn.changes, turn.plan, prepared, connection, mark: mark, log: description.log,
          oldVersion: oldVersion,
          changesVersion: hashes != nil && hashes != metadata.entityVersionHashes,
          keepsHistory: metadata.keepsHistory)
        defer { isCommitSent = run.isCommitSent }
        let result = try isCareful ? run.runCarefully() : run.runStraight()
        if case .committed = result, connection.hasWarned { throw UnconfirmedCommit(mark: mark) }
        guard case .refused(let refusals) = result else { return (result, []) }
        // What stood in the way says nothing in a store that is of another version now.
        try checkVersion(connection)
        return (result, try conflicts(refusals, prepared, connection))
      } catch let error as PostgreSQLError where error.kind == .lost || error.kind == .silent {
        throw SaveInterruption(cause: error, mark: mark, isCommitSent: isCommitSent)
      } catch let error as PostgreSQLError where error.isOutdatedStatement {
        try connection.renewStatements()
        throw error
      }
    }
  }

  /// Finds out how an interrupted save ended.
  ///
  /// - Throws: `commitOutcomeUnknown` when the server cannot be asked.
  private func settle(_ interruption: SaveInterruption) throws -> Fate {
    pool.invalidate()
    guard interruption.isCommitSent else { return .rolledBack }
    // A server that is silent has had its time.
    let seconds = interruption.cause.kind == .silent ? 0.5 : min(pool.timeout, 10)
    if let fate = fate(of: interruption.mark, deadline: Deadline(after: seconds)) { return fate }
    addUnresolved(interruption.mark)
    throw PersistenceError(
      .commitOutcomeUnknown,
      "The connection was lost during the commit, and the server cannot be asked how it ended;"
        + " the next request to the store finds out.",
      store: identity.identifier, underlying: interruption.cause)
  }

  /// Waits until the standbys have a save that the server has committed without them.
  ///
  /// - Throws: `commitOutcomeUnknown` when they do not have it in time: a failover may lose it.
  private func confirm(_ commit: UnconfirmedCommit) throws {
    let deadline = Deadline(after: min(pool.timeout, 10))
    guard fate(of: commit.mark, deadline: deadline) == nil else { return }
    addUnresolved(commit.mark)
    throw PersistenceError(
      .commitOutcomeUnknown,
      "The save was interrupted while the server waited for its standbys, and they have not"
        + " confirmed it; the next request to the store asks again.",
      store: identity.identifier)
  }

  /// Reads how the records that stood in the way are now: after the rollback, so that nothing of this commit shows.
  private func conflicts(
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
