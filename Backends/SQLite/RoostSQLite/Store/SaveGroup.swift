// SPDX-License-Identifier: Apache-2.0

import RoostSQL
import RoostStore

/// A save that waits to be written together with others.
final class QueuedSave {
  let changes: StoreChangeSet
  /// Who can cancel it, until it is written; nil when nobody can.
  let cancellation: RequestCancellation?
  /// How it ended; nil until then.
  fileprivate(set) var outcome: CommitOutcome?

  init(_ changes: StoreChangeSet, _ cancellation: RequestCancellation?) {
    self.changes = changes
    self.cancellation = cancellation
  }
}

// Saves that wait for each other are written in one transaction, each in a savepoint of its own: one flush for all,
// and what stands in the way of one is undone without the others.
extension SQLiteStore {
  /// Writes a save together with those that wait by the time when the writer's lock is had; in line, if another thread
  /// writes now.
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

  /// Begins the transaction of saves, in a store that is of the version in which it was opened.
  private func begin(_ connection: SQLiteConnection) throws {
    try connection.run("BEGIN IMMEDIATE")
    do {
      try pool.checkVersion(connection)
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Writes several saves in the open transaction, and tells the others how theirs ended.
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
      try connection.commitTransaction()
      return results
    } catch let failure as SQLiteCommitFailure {
      // Nobody knows of any of them whether it is durable.
      return saves.map { _ in .failure(failure) }
    } catch {
      connection.rollBack()
    }
    // The engine refused, as when there is no room for all: each by itself, so that none fails for another one's sake.
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

  /// Writes saves one after the other, each of which sees what those before have written.
  ///
  /// - Throws: What the engine says; then nothing of the transaction is to be kept.
  private func write(
    _ saves: [QueuedSave], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [Result<CommitOutcome, any Error>] {
    try saves.map { save -> Result<CommitOutcome, any Error> in
      // Among others, nothing is interrupted: that would undo theirs as well.
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
        // What was sent cannot be written, as a value that nobody keeps.
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
