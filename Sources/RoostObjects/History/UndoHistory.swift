// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostCoordinator
import RoostModel
import RoostStore

/// The transactions of an author that can be undone, and those that can be done again, as the histories of the stores
/// tell it.
///
/// A transaction that takes another one back says so. So who reads the history from its beginning finds the stacks as
/// they were left, also after a restart, and whichever program has undone last.
package struct UndoHistory {
  private let isOwn: (PersistentHistoryTransaction) -> Bool
  /// Up to where the histories were read.
  private var token: PersistentHistoryToken?
  /// What can be undone, the newest last.
  package private(set) var undoable: [Step] = []
  /// The transactions that have taken something back, and can be taken back themselves, the newest last.
  package private(set) var redoable: [Step] = []

  /// What is undone together: a transaction without its changes, those of one save in several stores, or those of the
  /// saves of one undo group.
  package struct Step {
    fileprivate(set) var parts: [Part]
    /// What the transactions have in common; nil for one by itself.
    let bond: UUID?

    /// A transaction.
    struct Part {
      let number: Int64
      let store: String
      /// What it has in common with others of one save.
      let save: UUID?
      /// Where the history was read from that has it.
      let start: PersistentHistoryToken?

      func isTransaction(_ number: Int64, _ store: String) -> Bool {
        self.number == number && self.store == store
      }
    }
  }

  /// Reads the transactions of an author.
  ///
  /// - Parameter isOwn: Whether a transaction is one of those.
  package init(where isOwn: @escaping (PersistentHistoryTransaction) -> Bool) {
    self.isOwn = isOwn
  }

  /// Reads what is new. Transactions whose histories were cut end the stacks.
  ///
  /// - Complexity: One round trip a store.
  package mutating func catchUp(with coordinator: PersistentStoreCoordinator) throws {
    let history = CoordinatorHistory(of: coordinator)
    let news: [PersistentHistoryTransaction]
    do {
      news = try history.transactions(after: .token(token), stores: nil, withChanges: false)
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      (undoable, redoable, token) = ([], [], nil)
      news = try history.transactions(after: .token(nil), stores: nil, withChanges: false)
    }
    for transaction in news {
      if isOwn(transaction) {
        add(transaction, after: token)
      } else {
        // What others have taken back is no step any more, and theirs to do again.
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
    // Those of one step may be read apart, and not all of them need take something back.
    let bond = transaction.undoGroup ?? transaction.commonSaveID
    if redoable.join(part, bond) || undoable.join(part, bond) { return }
    let step = Step(parts: [part], bond: bond)
    if wasUndo {
      redoable.append(step)
    } else {
      undoable.append(step)
      // What is done anew ends what could be done again.
      if !wasRedo { redoable = [] }
    }
  }

  /// Gives up a step of which nothing can be taken back any more.
  package mutating func drop(_ step: Step) {
    for part in step.parts {
      _ = undoable.remove(part.number, part.store)
      _ = redoable.remove(part.number, part.store)
    }
  }

  /// Reads a transaction with its changes.
  ///
  /// - Returns: nil when it is not kept any more.
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
      // As a rule it is the first one; on a server others may have become visible before it since.
      return try find(after: part.start, limit: 4) ?? find(after: part.start)
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      // What was before it is gone, and it may be there.
      return try find(after: nil)
    }
  }
}

extension [UndoHistory.Step] {
  /// Takes a transaction out of the stack, and its step with the last of its transactions.
  ///
  /// - Returns: Whether it was there.
  fileprivate mutating func remove(_ number: Int64, _ store: String) -> Bool {
    func isThere(_ step: Element) -> Bool {
      step.parts.contains { $0.isTransaction(number, store) }
    }
    guard let place = lastIndex(where: isThere) else { return false }
    self[place].parts.removeAll { $0.isTransaction(number, store) }
    if self[place].parts.isEmpty { remove(at: place) }
    return true
  }

  /// Adds a transaction to the step with which it has something in common; that is the newest one by that.
  ///
  /// - Returns: Whether there is one.
  fileprivate mutating func join(_ part: UndoHistory.Step.Part, _ bond: UUID?) -> Bool {
    guard let bond, let place = lastIndex(where: { $0.bond == bond }) else { return false }
    var step = remove(at: place)
    step.parts.append(part)
    append(step)
    return true
  }
}

extension UndoHistory.Step {
  /// The transactions that were saved at once, the newest first.
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

// What a manager asks for, by its context.
extension UndoHistory {
  /// Refuses a context whose saves cannot be undone by the history.
  ///
  /// - Throws: `invalidRequest` for a child, `persistentStoreUnsupportedRequestType` when a store keeps no values.
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

  /// Reads what is new.
  package mutating func catchUp(with context: ManagedObjectContext) throws {
    try context.asCaller { try catchUp(with: context.coordinator()) }
  }

  /// The undo group of whose saves the history is to say so, as long as its owner keeps it; nil for none.
  package static func setGroup(_ group: SaveGroup?, of context: ManagedObjectContext) {
    context.saving.undoGroup = group
  }

  /// What became of a step that was to be taken back.
  package struct Attempt {
    /// What was done, and is saved; nil when nothing was.
    package fileprivate(set) var outcome: Reverting.Outcome?
    /// What has ended it; when the step is a group, some of its saves may be reverted all the same.
    package fileprivate(set) var error: (any Error)?
    /// What of the step cannot be taken back any more.
    package fileprivate(set) var lost: Step
  }

  /// Reverts a step, and saves; of a save that is refused, the context is as before.
  ///
  /// The saves of an undo group are reverted one after the other, the newest first: only so is it known of each
  /// property whether another writer has changed it since. When one is refused, what is left is a step of its own.
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
    // They are done again together, too.
    let group = saves.count > 1 ? SaveGroup() : nil
    context.saving.undoGroup = group
    defer { withExtendedLifetime(group) { context.saving.undoGroup = known } }
    // What was left alone is told with what was not.
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

  /// Reverts transactions that were saved at once, and saves.
  ///
  /// - Returns: What was done, and whether it was anything that could be saved.
  private func takeBack(
    _ transactions: [PersistentHistoryTransaction], in context: ManagedObjectContext
  ) throws -> (Reverting.Outcome, isSaved: Bool) {
    var outcome = Reverting.Outcome()
    do {
      for transaction in transactions {
        outcome = outcome.union(try Reverting(in: context).revert(transaction, isForced: false))
      }
      guard context.hasChanges else { return (outcome, false) }
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
    return (outcome, true)
  }
}
