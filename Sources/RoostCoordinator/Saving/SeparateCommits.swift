// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Commits the parts of a save store after store: a single part, or several that need not be atomic.
///
/// Each part is atomic in its store (B169). A failure after a store has written is reported as an incomplete save
/// (B170). After a failure, no other store is asked to write.
struct SeparateCommits {
  let coordinator: PersistentStoreCoordinator
  /// The parts in the order in which they are written: a part comes after those to whose records it refers, so that
  /// what a crash leaves refers to nothing that was never written (X44).
  private let parts: [ChangeSetSplit.Part]

  init(coordinator: PersistentStoreCoordinator, parts: [ChangeSetSplit.Part]) {
    self.coordinator = coordinator
    self.parts = Self.ordered(parts)
  }

  /// Moves the parts to which a part refers in front of it, and leaves the order as it is otherwise. Parts that refer
  /// to each other have no such order.
  private static func ordered(_ parts: [ChangeSetSplit.Part]) -> [ChangeSetSplit.Part] {
    guard parts.contains(where: { !$0.storesReferred.isEmpty }) else { return parts }
    var ordered: [ChangeSetSplit.Part] = []
    var seen: Set<ObjectIdentifier> = []
    func add(_ part: ChangeSetSplit.Part) {
      guard seen.insert(ObjectIdentifier(part)).inserted else { return }
      let stores = part.storesReferred
      for other in parts where stores.contains(other.store.identity.identifier) { add(other) }
      ordered.append(part)
    }
    for part in parts { add(part) }
    return ordered
  }

  /// Runs the commits, while the stores' locks are held.
  func run() throws -> CrossStoreCommit.Outcome {
    var outcome = CrossStoreCommit.Outcome()
    // Each store records it in its own transaction, so it exists exactly if the part does.
    let save = parts.count > 1 ? CommonSave(of: parts) : nil
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
          outcome.conflicts = try conflicts.map { try CommitConflict($0, in: part.store) }
          part.store.learn(conflicts, of: part.changes, reading)
          return outcome
        }
      } catch {
        let error = PersistenceError.wrapping(error, .persistentStoreSave)
        if error.code == .commitOutcomeUnknown { part.store.mayHaveWritten(part.changes) }
        outcome.failure = (part, error)
        return outcome
      }
    }
    return outcome
  }

  /// - Parameter isFirst: Whether nothing is written yet. Afterwards the save is not cancelled, which would leave it
  ///   half written.
  private func commit(_ part: ChangeSetSplit.Part, isFirst: Bool) throws -> CommitOutcome {
    try part.store.askingToCommit(
      part, toTheEnd: !isFirst,
      conflicts: { if case .conflicted(let conflicts) = $0 { conflicts } else { nil } }
    ) { store in
      let outcome = try SaveRecovery(coordinator: coordinator).settling([part.store]) {
        try part.store.commits.sharing { try store.commit(part.changes) }
      }
      if case .committed = outcome { part.store.noteCommit() }
      return outcome
    }
  }
}

extension CommonSave {
  /// Makes the common save of some parts.
  init(id: SaveID = SaveID(), of parts: [ChangeSetSplit.Part]) {
    self.init(
      id: id, stores: parts.map(\.store).filter(\.keepsHistory).map(\.identity.identifier))
  }
}

extension AttachedStore {
  /// Sends a part of a save to the store.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - toTheEnd: Whether the save can no longer be cancelled.
  ///   - conflicts: Returns the conflicts of an answer; nil if there are none.
  ///   - body: Performs the request.
  func askingToCommit<Answer>(
    _ part: ChangeSetSplit.Part, toTheEnd: Bool, conflicts: (Answer) -> [StoreConflict]?,
    _ body: (any PersistentStore) throws -> Answer
  ) throws -> Answer {
    try asking(
      .commit, subject(of: part.changes), toTheEnd: toTheEnd,
      report: { answer, result in
        if let conflicts = conflicts(answer) {
          result.outcome = .conflict(conflicts.count)
        } else {
          result.rows = part.changes.recordCount
          result.bytes = part.changes.valueSize
        }
      }, body)
  }
}
