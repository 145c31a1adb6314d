// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostCoordinator
import RoostModel
import RoostStore

/// The transactions of an author that can be undone and redone, according to the histories of the stores.
///
/// A transaction that reverts another one records that. So a reader that starts at the beginning of the history
/// reconstructs both stacks, also after a restart, and no matter which program did the last undo.
package struct UndoHistory {
  private let isOwn: (PersistentHistoryTransaction) -> Bool
  /// The point up to which the histories were read.
  private var token: PersistentHistoryToken?
  /// The number of the first transaction that was read of each store: those before it are no longer kept.
  private var first: [String: Int64] = [:]
  /// The steps that can be undone, the newest last.
  package private(set) var undoable: [Step] = []
  /// The steps that reverted others and can be reverted themselves, the newest last.
  package private(set) var redoable: [Step] = []

  /// A unit of undo: one transaction without its changes, the transactions of one save in several stores, or those of
  /// the saves of one undo group.
  package struct Step {
    fileprivate(set) var parts: [Part]
    /// The ID shared by the transactions; nil for a single one.
    let bond: UUID?

    /// A transaction.
    struct Part {
      let number: Int64
      let store: String
      /// The ID shared by the transactions of one save in several stores.
      let save: UUID?
      /// The token from which the history with the transaction was read.
      let start: PersistentHistoryToken?

      func isTransaction(_ number: Int64, _ store: String) -> Bool {
        self.number == number && self.store == store
      }
    }
  }

  /// Creates the stacks of an author.
  ///
  /// - Parameter isOwn: Whether a transaction belongs to the author.
  package init(where isOwn: @escaping (PersistentHistoryTransaction) -> Bool) {
    self.isOwn = isOwn
  }

  /// Reads new transactions. If a history was truncated, the stacks are rebuilt from the transactions it still has.
  ///
  /// - Complexity: One round trip for each store.
  package mutating func catchUp(with coordinator: PersistentStoreCoordinator) throws {
    let history = CoordinatorHistory(of: coordinator)
    let news: [PersistentHistoryTransaction]
    do {
      news = try history.transactions(after: .token(token), stores: nil, withChanges: false)
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      (undoable, redoable, token, first) = ([], [], nil, [:])
      news = try history.transactions(after: .token(nil), stores: nil, withChanges: false)
    }
    for transaction in news {
      let number = transaction.transactionNumber
      first[transaction.storeID] = min(first[transaction.storeID] ?? number, number)
      if isOwn(transaction) {
        add(transaction, after: token)
      } else {
        // A transaction reverted by others is no longer a step, and can be redone only by them.
        for number in transaction.reverted {
          _ = undoable.remove(number, transaction.storeID)
          _ = redoable.remove(number, transaction.storeID)
        }
      }
      token = token?.merging(transaction.token) ?? transaction.token
    }
  }

  private mutating func add(
    _ transaction: PersistentHistoryTransaction, after start: PersistentHistoryToken?
  ) {
    let part = Step.Part(
      number: transaction.transactionNumber, store: transaction.storeID,
      save: transaction.commonSaveID, start: start)
    var wasUndo = false
    var wasRedo = false
    for number in transaction.reverted {
      if undoable.remove(number, part.store) {
        wasUndo = true
      } else if redoable.remove(number, part.store) {
        wasRedo = true
      }
    }
    // The transactions of one step may be read separately, and not all of them need to revert something.
    let bond = transaction.undoGroup ?? transaction.commonSaveID
    if redoable.join(part, bond) || undoable.join(part, bond) { return }
    let step = Step(parts: [part], bond: bond)
    if !wasUndo, !wasRedo, takesBackLost(transaction) {
      // Whether it was an undo or a redo is unknown, and so is what could be redone before it.
      redoable = []
    } else if wasUndo {
      redoable.append(step)
    } else {
      undoable.append(step)
      // A new change clears the redo stack.
      if !wasRedo { redoable = [] }
    }
  }

  /// Whether a transaction reverts one that is no longer kept.
  private func takesBackLost(_ transaction: PersistentHistoryTransaction) -> Bool {
    let number = first[transaction.storeID] ?? 0
    return transaction.reverted.contains { $0 < number }
  }

  /// Drops a step that can no longer be reverted.
  package mutating func drop(_ step: Step) {
    for part in step.parts {
      _ = undoable.remove(part.number, part.store)
      _ = redoable.remove(part.number, part.store)
    }
  }

  /// Reads a transaction with its changes.
  ///
  /// - Returns: nil when the history no longer has it.
  private func transaction(
    of part: Step.Part, in coordinator: PersistentStoreCoordinator
  ) throws -> PersistentHistoryTransaction? {
    let history = CoordinatorHistory(of: coordinator)
    func find(
      after token: PersistentHistoryToken?, limit: Int? = nil
    ) throws -> PersistentHistoryTransaction? {
      try history.transactions(
        after: .token(token), stores: [part.store], withChanges: true, limit: limit
      ).first { $0.transactionNumber == part.number }
    }
    do {
      // Usually it is the first one; on a server, others may have become visible before it since.
      return try find(after: part.start, limit: 4) ?? find(after: part.start)
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      // The start of the history was truncated, but the transaction may still be there.
      return try find(after: nil)
    }
  }
}

extension [UndoHistory.Step] {
  /// Removes a transaction from the stack, and its step with the last of its transactions.
  ///
  /// - Returns: Whether it was in the stack.
  fileprivate mutating func remove(_ number: Int64, _ store: String) -> Bool {
    func isThere(_ step: Element) -> Bool {
      step.parts.contains { $0.isTransaction(number, store) }
    }
    guard let place = lastIndex(where: isThere) else { return false }
    self[place].parts.removeAll { $0.isTransaction(number, store) }
    if self[place].parts.isEmpty { remove(at: place) }
    return true
  }

  /// Adds a transaction to the step with the same bond, which becomes the newest one.
  ///
  /// - Returns: Whether there is such a step.
  fileprivate mutating func join(_ part: UndoHistory.Step.Part, _ bond: UUID?) -> Bool {
    guard let bond, let place = lastIndex(where: { $0.bond == bond }) else { return false }
    var step = remove(at: place)
    step.parts.append(part)
    append(step)
    return true
  }
}

extension UndoHistory.Step {
  /// The transactions grouped by save, the newest first.
  fileprivate var saves: [[Part]] {
    var result: [[Part]] = []
    for part in parts.reversed() {
      if let save = part.save, result.last?.first?.save == save {
        result[result.count - 1].append(part)
      } else {
        result.append([part])
      }
    }
    return result
  }
}

// Operations of an undo manager on its context.
extension UndoHistory {
  /// Rejects a context whose saves cannot be undone by the history.
  ///
  /// - Throws: `invalidRequest` for a child, `persistentStoreUnsupportedRequestType` when a store keeps no previous
  ///   values.
  package static func check(_ context: ManagedObjectContext) throws {
    guard context.parentContext == nil else {
      throw PersistenceError(
        .invalidRequest, "A child of another context saves nothing to a store that could be undone."
      )
    }
    for store in try context.coordinator().persistentStores
    where !store.metadata.keepsPreviousValues && !store.isReadOnly {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "The store keeps no history with values; add it with the option historyLevel “values”.",
        store: store.identity.identifier)
    }
  }

  /// Reads new transactions.
  package mutating func catchUp(with context: ManagedObjectContext) throws {
    try context.asCaller { try catchUp(with: context.coordinator()) }
  }

  /// Sets the undo group that the history stores with each save, as long as its owner retains it; nil for none.
  package static func setGroup(_ group: SaveGroup?, of context: ManagedObjectContext) {
    context.saving.undoGroup = group
  }

  /// The result of reverting a step.
  package struct Attempt {
    /// The saved changes; nil when nothing was saved.
    package fileprivate(set) var outcome: Reverting.Outcome?
    /// The error that stopped the revert; of an undo group, some saves may be reverted nevertheless.
    package fileprivate(set) var error: (any Error)?
    /// The part of the step that can no longer be reverted.
    package fileprivate(set) var lost: Step
  }

  /// Reverts a step and saves; when the save is refused, the context is left as before.
  ///
  /// The saves of an undo group are reverted one after the other, the newest first: only in this order is it known
  /// for each property whether another writer has changed it since. When one is refused, the remaining saves are a
  /// step of their own.
  package func takeBack(_ step: Step, in context: ManagedObjectContext) -> Attempt {
    var attempt = Attempt(lost: Step(parts: [], bond: step.bond))
    do {
      try takeBack(step, in: context, noting: &attempt)
    } catch {
      attempt.error = error
    }
    return attempt
  }

  private func takeBack(
    _ step: Step, in context: ManagedObjectContext, noting attempt: inout Attempt
  ) throws {
    let coordinator = try context.coordinator()
    let saves = try step.saves.map { parts in
      (parts, try parts.map { try transaction(of: $0, in: coordinator) })
    }
    guard !saves.contains(where: { $0.1.contains { $0 == nil } }) else {
      attempt.lost = step
      return
    }
    let known = context.saving.undoGroup
    // They are redone together, too.
    let group = saves.count > 1 ? SaveGroup() : nil
    context.saving.undoGroup = group
    defer { withExtendedLifetime(group) { context.saving.undoGroup = known } }
    // Conflicts of skipped saves are reported with those of the reverted ones.
    var passedOver = Reverting.Outcome()
    for (parts, save) in saves {
      let (done, isSaved) = try takeBack(save.compactMap(\.self), in: context)
      if isSaved {
        attempt.outcome = (attempt.outcome ?? passedOver).union(done)
      } else {
        attempt.lost.parts += parts
        attempt.outcome = attempt.outcome?.union(done)
        passedOver = passedOver.union(done)
      }
    }
  }

  /// Reverts the transactions of one save, and saves.
  ///
  /// - Returns: The outcome, and whether there was anything to save.
  private func takeBack(
    _ transactions: [PersistentHistoryTransaction], in context: ManagedObjectContext
  ) throws -> (Reverting.Outcome, isSaved: Bool) {
    let outcome: Reverting.Outcome
    let isSaved: Bool
    do {
      // Together, because the records of one store may be linked with those of another one.
      outcome = try Reverting(in: context).revert(transactions, isForced: false)
      guard context.hasChanges else { return (outcome, false) }
      let known = context.saving.namedReverts
      try context.save()
      // Otherwise the stores had nothing to write, and the transactions are steps still.
      isSaved = context.saving.namedReverts > known
    } catch {
      context.rollback()
      throw error
    }
    return (outcome, isSaved)
  }
}
