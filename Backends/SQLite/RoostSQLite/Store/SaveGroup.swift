// SPDX-License-Identifier: Apache-2.0

import RoostSQL
import RoostStore

/// A save that waits for a group commit.
final class QueuedSave {
  let changes: StoreChangeSet
  /// The cancellation of the save, until it is written; nil when it cannot be cancelled.
  let cancellation: RequestCancellation?
  /// The outcome of the save; nil until it has ended.
  fileprivate(set) var outcome: CommitOutcome?

  init(_ changes: StoreChangeSet, _ cancellation: RequestCancellation?) {
    self.changes = changes
    self.cancellation = cancellation
  }
}

// Group commit: concurrent saves are written in one transaction, each in a savepoint of its own. There is one flush
// for all, and a save with conflicts is rolled back without the others.
extension SQLiteStore {
  /// Writes a save together with those that are waiting when the writer's lock is acquired; waits in the queue if
  /// another thread writes now.
  func commitInTurn(_ changes: StoreChangeSet, _ prepared: PreparedSchema) throws -> CommitOutcome {
    if !saves.beginLeading() {
      let save = QueuedSave(changes, cancellation)
      let leads = try saves.wait(save, until: Deadline(after: description.timeout), cancellation)
      if !leads, let outcome = save.outcome { return outcome }
    }
    var hasLock = false
    do {
      let outcome = try pool.write(cancellation) { connection in
        try begin(connection)
        hasLock = true
        let others = saves.takeWaiting()
        guard !others.isEmpty else { return try commitAlone(changes, prepared, connection) }
        return try commitTogether(changes, others, prepared, connection)
      }
      saves.end()
      return outcome
    } catch {
      saves.end(after: hasLock ? nil : error)
      throw error
    }
  }

  /// Begins the transaction of saves, and checks that the store is in the version in which it was opened.
  private func begin(_ connection: SQLiteConnection) throws {
    try connection.run("BEGIN IMMEDIATE")
    do {
      try pool.checkVersion(connection)
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Writes several saves in the open transaction, and passes the others their outcomes.
  private func commitTogether(
    _ changes: StoreChangeSet, _ others: [WriteQueue<QueuedSave>.Waiter],
    _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> CommitOutcome {
    let saves = [QueuedSave(changes, cancellation)] + others.compactMap(\.work)
    let results = ends(of: saves, prepared, connection)
    for (index, waiter) in others.enumerated() {
      waiter.work?.outcome = try? results[index + 1].get()
      waiter.finish(results[index + 1].map { _ in })
    }
    return try results[0].get()
  }

  private func ends(
    of saves: [QueuedSave], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) -> [Result<CommitOutcome, any Error>] {
    do {
      let results = try write(saves, prepared, connection)
      try prepared.indexWords(connection)
      try connection.commitTransaction()
      return results
    } catch let failure as SQLiteCommitFailure {
      // For none of them is it known whether it is durable.
      return saves.map { _ in .failure(failure) }
    } catch {
      connection.rollBack()
    }
    // The engine has raised an error, for example because the disk is full: each save is retried alone, so that none
    // fails because of another.
    var results: [Result<CommitOutcome, any Error>] = []
    for save in saves {
      if case .failure(let failure as SQLiteCommitFailure)? = results.last {
        results.append(.failure(failure))
        continue
      }
      results.append(
        Result {
          try save.cancellation.check()
          try begin(connection)
          return try commitAlone(save.changes, prepared, connection)
        })
    }
    return results
  }

  /// Writes saves one after the other; each sees the writes of those before.
  ///
  /// - Throws: The engine's error; then the transaction must be rolled back.
  private func write(
    _ saves: [QueuedSave], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Result<CommitOutcome, any Error>] {
    try saves.map { save -> Result<CommitOutcome, any Error> in
      // In a group, no save is interrupted: that would roll the others back as well.
      if save.cancellation?.isCancelled == true { return .failure(RequestCancellation.error) }
      try connection.run("SAVEPOINT save")
      do {
        let (writer, receipt) = try apply(save.changes, prepared, connection)
        guard writer.isUnopposed else {
          try undo(connection)
          return .success(.conflicted(try conflicts(of: writer, prepared, connection)))
        }
        try requireNoOverlap(of: save.changes, prepared, connection)
        try connection.run("RELEASE save")
        return .success(.committed(receipt))
      } catch let error as SQLiteError {
        throw error
      } catch {
        // The save contains a value that cannot be written.
        try undo(connection)
        return .failure(error)
      }
    }
  }

  func undo(_ connection: SQLiteConnection) throws {
    try connection.run("ROLLBACK TO save")
    try connection.run("RELEASE save")
  }
}
