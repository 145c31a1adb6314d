// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension StorePreparation {
  /// True: the store is a file or a server.
  public var keepsParts: Bool { true }

  /// True: the store can always prepare a part.
  public func canPrepare() throws -> Bool { true }

  /// Throws a general error when the store cannot prepare a part.
  public func requirePreparing() throws {
    guard try !canPrepare() else { return }
    throw PersistenceError(
      .persistentStoreSave,
      "The store is set up so that it can only be written last in a save over several stores, and "
        + "another one of the save is, too: save to one of the two at a time.")
  }

  /// The parts that ``pending()`` returns.
  public func visibleParts() throws -> [PreparedPart] { try pending() }

  /// Nil: the store shares no transactions with other stores.
  public func transactionDomain() throws -> String? { nil }

  /// Writes to this store alone, and refuses companions.
  public func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome {
    guard companions.isEmpty else {
      throw PersistenceError(
        .invalidRequest, "A transaction of the store writes to that store alone.")
    }
    return switch try decide(changes, for: save, forgetting: acknowledged) {
    case .committed(let receipt): .committed([receipt])
    case .conflicted(let conflicts): .conflicted(part: 0, conflicts)
    case .refused: .refused
    }
  }
}

/// A part that another store's transaction writes.
///
/// ```swift
/// let part = JointPart(preparation: second, changes: changes)
/// let outcome = try first.decide(own, with: [part], for: ticket, forgetting: [])
/// ```
public struct JointPart: Sendable {
  /// The two-phase commit interface of the store.
  public let preparation: any StorePreparation
  /// The changes of this part.
  public let changes: StoreChangeSet

  /// Makes a part.
  ///
  /// - Parameters:
  ///   - preparation: The two-phase commit interface of the store.
  ///   - changes: The changes of this part.
  public init(preparation: any StorePreparation, changes: StoreChangeSet) {
    self.preparation = preparation
    self.changes = changes
  }
}

/// The outcome of a commit that writes to several stores in one transaction.
///
/// ```swift
/// if case .committed(let receipts) = outcome { print(receipts.count) }
/// ```
public enum JointOutcome: Sendable {
  /// All parts are written. The decider's receipt comes first, then those of the companions in order.
  case committed([CommitReceipt])
  /// Nothing is written because of conflicts in one part; part 0 is the decider's own.
  case conflicted(part: Int, [StoreConflict])
  /// Nothing is written: another process has aborted the save and removed its coordinator's registration.
  case refused
}
