// SPDX-License-Identifier: Apache-2.0

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

  /// A transaction, without its changes.
  package struct Step {
    let number: Int64
    let store: String
    /// Where the history was read from that has it.
    let start: PersistentHistoryToken?
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
          undoable.removeAll { $0.isStep(number, transaction.storeID) }
          redoable.removeAll { $0.isStep(number, transaction.storeID) }
        }
      }
      token = token?.merging(transaction.token) ?? transaction.token
    }
  }

  private mutating func add(
    _ transaction: PersistentHistoryTransaction, after start: PersistentHistoryToken?
  ) {
    let step = Step(
      number: transaction.transactionNumber, store: transaction.storeID, start: start)
    var wasUndo = false
    var wasRedo = false
    for number in transaction.reverted {
      if let place = undoable.lastIndex(where: { $0.isStep(number, step.store) }) {
        undoable.remove(at: place)
        wasUndo = true
      } else if let place = redoable.lastIndex(where: { $0.isStep(number, step.store) }) {
        redoable.remove(at: place)
        wasRedo = true
      }
    }
    if wasUndo {
      redoable.append(step)
    } else {
      undoable.append(step)
      // What is done anew ends what could be done again.
      if !wasRedo { redoable = [] }
    }
  }

  /// Gives up a transaction of which nothing can be taken back any more.
  package mutating func drop(_ step: Step) {
    undoable.removeAll { $0.isStep(step.number, step.store) }
    redoable.removeAll { $0.isStep(step.number, step.store) }
  }

  /// Reads a transaction with its changes.
  ///
  /// - Returns: nil when it is not kept any more.
  private func transaction(
    of step: Step, in coordinator: PersistentStoreCoordinator
  ) throws -> PersistentHistoryTransaction? {
    let history = CoordinatorHistory(of: coordinator)
    func find(
      after token: PersistentHistoryToken?, limit: Int? = nil
    ) throws -> PersistentHistoryTransaction? {
      try history.transactions(
        after: .token(token), stores: [step.store], withChanges: true, limit: limit
      ).first { $0.transactionNumber == step.number }
    }
    do {
      // As a rule it is the first one; on a server others may have become visible before it since.
      return try find(after: step.start, limit: 4) ?? find(after: step.start)
    } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
      // What was before it is gone, and it may be there.
      return try find(after: nil)
    }
  }
}

extension UndoHistory.Step {
  fileprivate func isStep(_ number: Int64, _ store: String) -> Bool {
    self.number == number && self.store == store
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

  /// Reverts a transaction, and saves; when that is refused, the context is as before.
  ///
  /// - Returns: What was done; nil when nothing could be taken back.
  package func takeBack(
    _ step: Step, in context: ManagedObjectContext
  ) throws -> Reverting.Outcome? {
    guard let transaction = try transaction(of: step, in: context.coordinator()) else { return nil }
    let outcome = try Reverting(in: context).revert(transaction, isForced: false)
    guard context.hasChanges else { return nil }
    do {
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
    return outcome
  }
}
