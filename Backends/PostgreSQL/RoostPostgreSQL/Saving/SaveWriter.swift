// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Writes a change set, and retries until its outcome is known.
struct SaveWriter {
  let store: PostgreSQLStore
  let changes: StoreChangeSet
  let plan: SavePlan
  let prepared: PreparedSchema
  let ending: SaveEnding
  /// The parts of other stores in the same database that the same transaction writes.
  let companions: [CompanionSave]
  /// Statements that the same transaction runs first and that determine its history entry; nil for a save.
  let batch: BatchWork?

  /// How often a save is tried that collides with others.
  private static let attemptLimit = 12

  /// How a save ended.
  enum Outcome {
    /// It is committed or prepared. The recomputed rows are those of the save and of each companion; empty without
    /// companions when nothing was recomputed.
    case written(recomputed: [[Row]])
    /// Nothing is written, because of conflicts of one part: 0 is the save's own part, the companions follow.
    case conflicted(part: Int, [StoreConflict])
  }

  init(
    _ changes: StoreChangeSet, to store: PostgreSQLStore, ending: SaveEnding = .commit,
    companions: [CompanionSave] = [], batch: BatchWork? = nil
  ) throws {
    guard !store.isReadOnly else {
      throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
    }
    self.store = store
    self.changes = changes
    self.ending = ending
    self.companions = companions
    self.batch = batch
    prepared = try store.prepared()
    plan = try SavePlan(changes, prepared)
  }

  /// Tries a save until its outcome is known. A save consists of values alone, so it can be repeated unchanged
  /// whenever it is certain that nothing of it was written.
  func run() throws -> Outcome {
    try store.resolvePending()
    let deadline = Deadline(after: store.pool.timeout)
    var isCareful = false
    var hasLostConnection = false
    var hasOutdatedStatement = false
    var attempt = 0
    var recomputed: [[Row]] = []
    while true {
      attempt += 1
      try store.cancellation.check()
      do {
        switch try self.attempt(isCareful: isCareful, recomputed: &recomputed) {
        case .written: return .written(recomputed: recomputed)
        case .conflicted(let part, let conflicts): return .conflicted(part: part, conflicts)
        case .hindered:
          // The hindrance may be gone when it is looked for; then the careful attempt writes the save.
          isCareful = true
        }
      } catch let interruption as SaveInterruption {
        if try settle(interruption) == .committed { return .written(recomputed: recomputed) }
        // It is certain that nothing was written; once more, unless that was tried already or time is over. The row of
        // a prepared transaction cannot be used again.
        guard !hasLostConnection, interruption.cause.kind == .lost, ending.preparation == nil else {
          throw interruption.cause
        }
        hasLostConnection = true
      } catch let commit as UnconfirmedCommit {
        try confirm(commit)
        return .written(recomputed: recomputed)
      } catch let error as PostgreSQLError
        where error.isCollision
        || (isCareful || !companions.isEmpty) && error.isUniquenessViolation
      {
        guard attempt < Self.attemptLimit else { throw error }
        // Random back-off: saves that failed together must not retry at the same time.
        Thread.sleep(forTimeInterval: Double.random(in: 0.0005...0.004) * Double(attempt))
      } catch let error as PostgreSQLError where error.isStoppedByWatch {
        // The blocking part may be finished: then the save goes on as if it had not been stopped.
        guard !deadline.isOver, (try? waitsForPart()) == false else { throw error }
      } catch let error as PostgreSQLError where error.isOutdatedStatement {
        guard !hasOutdatedStatement else { throw error }
        hasOutdatedStatement = true
      }
    }
  }

  /// Whether there is a prepared part that may block the save.
  private func waitsForPart() throws -> Bool {
    try ([store] + companions.map(\.store)).contains {
      try $0.preparation?.visibleParts().isEmpty == false
    }
  }

  /// A save whose connection was lost, or whose server fell silent.
  private struct SaveInterruption: Error {
    let cause: PostgreSQLError
    let mark: CommitToken
    /// Whether the server may have committed it.
    let isCommitSent: Bool
  }

  /// The outcome of an attempt that threw no error.
  private enum Attempt {
    case written
    case conflicted(part: Int, [StoreConflict])
    case hindered
  }

  private func attempt(isCareful: Bool, recomputed: inout [[Row]]) throws -> Attempt {
    try store.pool.withConnection(store.cancellation) { connection in
      let watch = PreparedObstacle.watch(connection, store, companions)
      return try connection.watching(watch) {
        try attempt(isCareful: isCareful, on: connection, recomputed: &recomputed)
      }
    }
  }

  private func attempt(
    isCareful: Bool, on connection: PostgreSQLConnection, recomputed: inout [[Row]]
  ) throws -> Attempt {
    var isCommitSent = false
    var mark = mark(connection)
    do {
      recomputed = []
      if ending.preparation != nil {
        // Written first: another process that asks for the outcome waits while the save is under way.
        _ = try connection.run([.begin, mark.writing]).get()
      }
      if !companions.isEmpty, !ending.beginning.isEmpty {
        _ = try connection.run([.begin] + ending.beginning).get()
      }
      for (index, companion) in companions.enumerated() {
        switch try companion.write(on: connection) {
        case .written(let rows): recomputed.append(rows)
        case .conflicted(let conflicts): return .conflicted(part: index + 1, conflicts)
        }
      }
      let written = try batch?.write(on: connection) ?? changes
      try written.requireForeignNumbers(of: store, connection.namespace, connection)
      let changes = try written.keepingOthers(of: store, connection.namespace, connection)
      // Waiting for the turn can be interrupted like the rest.
      let turn = try DerivationTurn(changes, plan, prepared, connection, store: store)
      mark = self.mark(connection)
      if !companions.isEmpty || !turn.recomputed.isEmpty {
        recomputed.insert(turn.recomputed, at: 0)
      }
      var run = SaveRun(turn, prepared, connection, mark: mark, store: store, ending: ending)
      defer { isCommitSent = run.isCommitSent }
      switch try isCareful ? run.runCarefully() : run.runStraight() {
      case .committed:
        if connection.hasWarned { throw UnconfirmedCommit(mark: mark) }
        return .written
      case .hindered: return .hindered
      case .refused(let refusals):
        // Conflicts are meaningless in a store that was migrated to another version.
        try store.checkVersion(connection)
        return .conflicted(
          part: 0, try store.conflicts(refusals, prepared, connection))
      }
    } catch let error as PostgreSQLError where error.kind == .lost || error.kind == .silent {
      throw SaveInterruption(cause: error, mark: mark, isCommitSent: isCommitSent)
    } catch let error as PostgreSQLError where error.isOutdatedStatement {
      try connection.renewStatements()
      throw error
    }
  }

  /// The token by which the save is recognised: the row of the connection. A prepared transaction keeps its row locked
  /// after the connection serves another save, so it has a row of its own.
  private func mark(_ connection: PostgreSQLConnection) -> CommitToken {
    let opened = store.opened
    var mark = connection.saveRow.mark(in: opened.format, or: opened.later, second: opened.second)
    if let preparation = ending.preparation {
      mark.use(token: preparation.save.uuid, of: .preparedSave)
    }
    return mark
  }

  /// Finds out the outcome of an interrupted save.
  ///
  /// - Throws: `commitOutcomeUnknown` when the server cannot be asked.
  private func settle(_ interruption: SaveInterruption) throws -> PostgreSQLStore.Fate {
    store.pool.invalidate()
    guard interruption.isCommitSent else { return .rolledBack }
    // A silent server has had its time already.
    let seconds = interruption.cause.kind == .silent ? 0.5 : min(store.pool.timeout, 10)
    let deadline = Deadline(after: seconds)
    let mark = interruption.mark
    if let preparation = ending.preparation {
      if let fate = preparation.fate(of: mark, in: store, deadline) { return fate }
    } else {
      if let fate = store.fate(of: mark, deadline: deadline) { return fate }
      store.addUnresolved(mark)
    }
    throw PersistenceError(
      .commitOutcomeUnknown,
      "The connection was lost during the commit, and the server cannot be asked how it ended;"
        + " the next request to the store finds out.",
      store: store.identity.identifier, underlying: interruption.cause)
  }

  /// Waits until the standbys have confirmed a save that the server has committed without them.
  ///
  /// - Throws: `commitOutcomeUnknown` when they do not have it in time: a failover may lose it.
  private func confirm(_ commit: UnconfirmedCommit) throws {
    let deadline = Deadline(after: min(store.pool.timeout, 10))
    if ending.preparation == nil {
      guard store.fate(of: commit.mark, deadline: deadline) == nil else { return }
      store.addUnresolved(commit.mark)
    }
    throw PersistenceError(
      .commitOutcomeUnknown,
      "The save was interrupted while the server waited for its standbys, and they have not"
        + " confirmed it; the next request to the store asks again.",
      store: store.identity.identifier)
  }
}
