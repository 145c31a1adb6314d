// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Commits the parts of one save in all of their stores or in none (X3), by two-phase commit: all but one prepare,
/// the last one commits its part together with the decision, and then the others finish.
///
/// Before the decision nothing is visible, and a process that finds a prepared part aborts the save; after it the
/// save has succeeded, and a process that finds a prepared part finishes it. This holds for any failure, and
/// whichever process is killed.
struct AtomicSave {
  /// The maximum number of stores in one save.
  static let mostStores = 16
  /// The maximum number of attempts of a save that other processes abort because they take its coordinator for dead.
  private static let mostAttempts = 16
  /// The number of attempts that are prepared while others read; the patience of who aborts them grows with each.
  private static let attemptsBesideReaders = 4

  let coordinator: PersistentStoreCoordinator
  /// The parts in the order in which all processes write them, which prevents deadlocks; the last one decides (X1).
  private let parts: [ChangeSetSplit.Part]
  /// Parts that use two-phase commit; they come first in `parts`.
  let participants: ArraySlice<ChangeSetSplit.Part>
  /// Parts whose stores are in the decider's database: its transaction writes them, too (X2).
  private let companions: ArraySlice<ChangeSetSplit.Part>

  /// The outcome of one attempt.
  private enum Ending {
    case over(CrossStoreCommit.Outcome)
    /// Another process aborted the save before it was decided.
    case refused
  }

  /// - Throws: Errors of a store that is asked for its transaction domain or whether it can prepare.
  init(coordinator: PersistentStoreCoordinator, parts: [ChangeSetSplit.Part]) throws {
    self.coordinator = coordinator
    let order = try SaveOrder(of: parts.map(\.store))
    self.parts = (order.preparing + order.joined + [order.deciding]).map { parts[$0] }
    (participants, companions) = (
      self.parts[..<order.preparing.count], self.parts[order.preparing.count...].dropLast()
    )
  }

  /// Runs the save, while the stores' locks are held.
  func run() throws -> CrossStoreCommit.Outcome {
    let readings = parts.map { ($0.store, $0.store.cache.beginReading()) }
    defer { for (store, reading) in readings { store.cache.end(reading) } }
    let watches = parts.compactMap(\.store.watch)
    for watch in watches { watch.commitBegins() }
    defer { for watch in watches { watch.commitEnds() } }
    for number in 0..<Self.mostAttempts {
      do {
        // When attempts were too slow again and again, wait for readers before beginning.
        let waitsFirst = number >= Self.attemptsBesideReaders
        if waitsFirst { coordinator.saveTraffic.visibility.lock() }
        defer { if waitsFirst { coordinator.saveTraffic.visibility.unlock() } }
        let run = try begin(readings.map(\.1))
        let ending = try coordinator.saveTraffic.writing(run.ticket.id) {
          try attempt(run, waitsForReaders: !waitsFirst)
        }
        if case .over(let outcome) = ending { return outcome }
        decider.store.saves.registrationIsGone(run.ticket.coordinator)
      } catch let failure as PartFailure {
        return CrossStoreCommit.Outcome(failure: (parts[failure.place], failure.error))
      }
    }
    throw PersistenceError(
      .storeBusy, "Others have ended the save again and again before it was decided.",
      store: decider.store.displayName)
  }

  var decider: ChangeSetSplit.Part { parts[parts.count - 1] }
  /// The parts that are committed with the decision, the decider's own first.
  private var decidedParts: [ChangeSetSplit.Part] { [decider] + companions }
  private func place(of part: ChangeSetSplit.Part) -> Int { parts.firstIndex { $0 === part } ?? 0 }

  // MARK: - Steps

  /// Assigns a number to the save, and adds the history notes to the parts.
  private func begin(_ readings: [CacheReading]) throws -> Run {
    let store = decider.store
    let registration = try naming(decider) {
      try store.requesting { try store.saves.registration(in: Self.preparation($0)) }
    }
    let ticket = SaveTicket(
      coordinator: registration,
      decider: .init(identifier: store.identity.identifier, name: store.displayName),
      participants: participants.map(\.store).filter(\.isDurable).map(\.identity.identifier),
      startedAt: store.saves.timeOfNextSave())
    // Histories list the transactions of one save in the order of the stores.
    for part in parts.sorted(by: { $0.store.order < $1.store.order }) {
      try naming(part) { try part.addHistoryNotes(save: CommonSave(id: ticket.id, of: parts)) }
    }
    return Run(ticket: ticket, readings: readings)
  }

  private func attempt(_ run: Run, waitsForReaders: Bool) throws -> Ending {
    var run = run
    for part in participants {
      do {
        if let conflicts = try prepare(part, &run, isVisibilityLocked: !waitsForReaders) {
          return .over(conflicts)
        }
      } catch {
        rollBack(run)
        throw error
      }
    }
    // From the decision until all stores show it, no read of several stores runs (X20).
    if waitsForReaders { coordinator.saveTraffic.visibility.lock() }
    defer { if waitsForReaders { coordinator.saveTraffic.visibility.unlock() } }
    switch try decide(&run) {
    case .committed: return .over(publish(run))
    case .conflicted(let outcome):
      rollBack(run)
      return .over(outcome)
    case .refused:
      rollBack(run)
      return .refused
    }
  }

  /// - Returns: The outcome of a save with conflicts; nil when the part is prepared.
  private func prepare(
    _ part: ChangeSetSplit.Part, _ run: inout Run, isVisibilityLocked: Bool
  ) throws -> CrossStoreCommit.Outcome? {
    let answer = try naming(part) {
      do {
        return try ask(
          part, isVisibilityLocked: isVisibilityLocked,
          conflicts: { if case .conflicted(let conflicts) = $0 { conflicts } else { nil } }
        ) { try $0.prepare(part.changes, for: run.ticket) }
      } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
        // The part may be prepared, but the save is undecided, so it will never be committed.
        run.prepared.append((part, CommitReceipt()))
        throw PersistenceError(
          .persistentStoreSave, "The store could not prepare its part of the save.",
          underlying: error)
      }
    }
    switch answer {
    case .prepared(let receipt):
      run.prepared.append((part, receipt))
      return nil
    case .conflicted(let conflicts):
      rollBack(run)
      return try outcome(of: conflicts, in: part, run)
    }
  }

  private enum DeciderAnswer {
    case committed
    case conflicted(CrossStoreCommit.Outcome)
    case refused
  }

  /// Commits the decider's part together with the decision: the commit point.
  private func decide(_ run: inout Run) throws -> DeciderAnswer {
    let (part, ticket) = (decider, run.ticket)
    let acknowledged = SaveRecovery(coordinator: coordinator).acknowledgements(to: part.store)
    let answer: JointOutcome
    do {
      let joint = try companions.map {
        JointPart(preparation: try Self.preparation($0.store.store), changes: $0.changes)
      }
      answer = try ask(
        part, besides: companions, isVisibilityLocked: true,
        conflicts: { if case .conflicted(_, let conflicts) = $0 { conflicts } else { nil } }
      ) { try $0.decide(part.changes, with: joint, for: ticket, forgetting: acknowledged) }
    } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
      return try settleDecision(error, &run)
    } catch {
      rollBack(run)
      throw PartFailure(place: place(of: part), error: .wrapping(error, .persistentStoreSave))
    }
    switch answer {
    case .committed(let receipts):
      part.store.saves.wereTold(acknowledged)
      run.receipts = receipts
      return .committed
    case .conflicted(let number, let conflicts):
      do {
        return .conflicted(try outcome(of: conflicts, in: decidedParts[number], run))
      } catch {
        rollBack(run)
        throw error
      }
    case .refused: return .refused
    }
  }

  /// Asks the decider again after its answer was lost (X5): the decision that it reports now is final.
  private func settleDecision(
    _ error: PersistenceError, _ run: inout Run
  ) throws -> DeciderAnswer {
    let (store, ticket) = (decider.store, run.ticket)
    // Other processes may have finished all parts meanwhile, and the decision may be forgotten: the decider keeps a
    // decision only until its participants have acknowledged it.
    let asking = ticket.participants.first ?? store.identity.identifier
    let decision = try? store.requestingToTheEnd {
      try Self.preparation($0).decision(on: ticket, for: asking, aborting: true)
    }
    switch decision {
    case .committed:
      run.receiptIsLost = true
      return .committed
    case .aborted:
      store.saves.registrationIsGone(ticket.coordinator)
      rollBack(run)
      throw PartFailure(
        place: parts.count - 1,
        error: PersistenceError(
          .persistentStoreSave, "The store could not write the save.", underlying: error))
    case .some(.none), .forgotten, nil:
      for part in parts { part.store.mayHaveWritten(part.changes, of: ticket.id) }
      throw PartFailure(place: parts.count - 1, error: error)
    }
  }

  /// Finishes all parts, and then updates the caches: no reader sees one store with the save and another without
  /// (X20).
  private func publish(_ run: Run) -> CrossStoreCommit.Outcome {
    var outcome = CrossStoreCommit.Outcome()
    var finished: [ChangeSetSplit.Part] = []
    for (part, receipt) in run.prepared {
      do {
        let final = try part.store.requestingToTheEnd {
          try Self.preparation($0).finish(run.ticket.id, committing: true)
        }
        finished.append(part)
        outcome.committed.append((part, final ?? receipt))
      } catch {
        // The save has succeeded (X4): the final state of the store is known, and its next requests retry to finish
        // the part.
        part.store.saves.add(.decided(committing: true), of: run.ticket.id)
        outcome.committed.append((part, receipt))
      }
    }
    for (number, part) in decidedParts.enumerated() {
      outcome.committed.append((part, run.receiptIsLost ? CommitReceipt() : run.receipts[number]))
    }
    for entry in outcome.committed {
      let store = entry.part.store
      store.didCommit(entry.part.changes, entry.receipt, of: run.readings[place(of: entry.part)])
      if run.receiptIsLost, decidedParts.contains(where: { $0 === entry.part }) {
        store.forgetRows(writtenBy: entry.part.changes)
      }
      store.noteCommit()
      store.watch?.catchUp(store)
    }
    acknowledge(finished, run.ticket)
    return outcome
  }

  /// Aborts the prepared parts of an undecided save. A part that cannot be aborted now is ended with the next request
  /// to its store, or when the store is opened.
  private func rollBack(_ run: Run) {
    for (part, _) in run.prepared {
      do {
        _ = try part.store.requestingToTheEnd {
          try Self.preparation($0).finish(run.ticket.id, committing: false)
        }
      } catch {
        part.store.saves.add(.decided(committing: false), of: run.ticket.id)
        if !part.store.isDurable { decider.store.saves.keepRegistration() }
      }
    }
  }

  // MARK: - Asking

  /// - Parameters:
  ///   - others: The other parts that the same request writes.
  ///   - isVisibilityLocked: Whether reads of several stores wait for the save. They go on while it waits itself.
  private func ask<Answer>(
    _ part: ChangeSetSplit.Part, besides others: ArraySlice<ChangeSetSplit.Part> = [],
    isVisibilityLocked: Bool, conflicts: (Answer) -> [StoreConflict]?,
    _ body: (any StorePreparation) throws -> Answer
  ) throws -> Answer {
    let stores = [part.store] + others.map(\.store)
    let gate = isVisibilityLocked ? coordinator.saveTraffic.visibility : nil
    return try counting(others, conflicts: conflicts) {
      try part.store.askingToCommit(
        part, toTheEnd: false, conflicts: conflicts
      ) { store in
        try SaveRecovery(coordinator: coordinator).settling(stores, opening: gate) {
          try body(Self.preparation(store))
        }
      }
    }
  }

  /// Runs a request that also writes to other stores, counting it as a request to each of them.
  private func counting<Answer>(
    _ others: ArraySlice<ChangeSetSplit.Part>, conflicts: (Answer) -> [StoreConflict]?,
    _ body: () throws -> Answer
  ) throws -> Answer {
    guard let next = others.first else { return try body() }
    return try next.store.askingToCommit(
      next, toTheEnd: false, conflicts: conflicts
    ) { _ in try counting(others.dropFirst(), conflicts: conflicts, body) }
  }

  /// - Throws: `PartFailure` for any error of `body`.
  private func naming<Result>(
    _ part: ChangeSetSplit.Part, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw PartFailure(place: place(of: part), error: .wrapping(error, .persistentStoreSave))
    }
  }

  private func outcome(
    of conflicts: [StoreConflict], in part: ChangeSetSplit.Part, _ run: Run
  ) throws -> CrossStoreCommit.Outcome {
    part.store.learn(conflicts, of: part.changes, run.readings[place(of: part)])
    return CrossStoreCommit.Outcome(
      conflicts: try conflicts.map { try CommitConflict($0, in: part.store) })
  }
}

extension AtomicSave {
  /// One attempt.
  private struct Run {
    let ticket: SaveTicket
    /// A cache reading for each part, begun before its store was asked.
    let readings: [CacheReading]
    /// The prepared parts, in their order.
    var prepared: [(part: ChangeSetSplit.Part, receipt: CommitReceipt)] = []
    /// The receipts of the decider and its companions.
    var receipts: [CommitReceipt] = []
    /// Whether the decider has committed, but its answer was lost.
    var receiptIsLost = false
  }

  /// The failure of a part: nothing was written, or the outcome is unknown.
  private struct PartFailure: Error {
    /// The index of the part in `parts`.
    let place: Int
    let error: PersistenceError
  }
}
