// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension StorePreparation {
  /// True: the store is a file or a server.
  public var keepsParts: Bool { true }

  /// True: nothing but an error keeps it from that.
  public func canPrepare() throws -> Bool { true }

  /// Says only that it cannot.
  public func requirePreparing() throws {
    guard try !canPrepare() else { return }
    throw PersistenceError(
      .persistentStoreSave,
      "The store is set up so that it can only be written last in a save over several stores, and "
        + "another one of the save is, too: save to one of the two at a time.")
  }

  /// Those that ``pending()`` returns.
  public func visibleParts() throws -> [PreparedPart] { try pending() }

  /// Nil: a transaction is the store's own.
  public func transactionDomain() throws -> String? { nil }

  /// Writes to one store alone.
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

/// The part of a store that another store's transaction writes.
///
/// ```swift
/// let part = JointPart(preparation: second, changes: changes)
/// let outcome = try first.decide(own, with: [part], for: ticket, forgetting: [])
/// ```
public struct JointPart: Sendable {
  /// The store, as it takes part in saves.
  public let preparation: any StorePreparation
  /// The part.
  public let changes: StoreChangeSet

  /// Makes a part.
  ///
  /// - Parameters:
  ///   - preparation: The store, as it takes part in saves.
  ///   - changes: The part.
  public init(preparation: any StorePreparation, changes: StoreChangeSet) {
    self.preparation = preparation
    self.changes = changes
  }
}

/// How a commit ended that wrote to several stores in one transaction.
///
/// ```swift
/// if case .committed(let receipts) = outcome { print(receipts.count) }
/// ```
public enum JointOutcome: Sendable {
  /// All parts are written, with these receipts: the decider's own first, then those of the others in order.
  case committed([CommitReceipt])
  /// Nothing is written because of the conflicts of one part: the decider's own is number 0.
  case conflicted(part: Int, [StoreConflict])
  /// Nothing is written: another process has ended the save, and shut its coordinator out.
  case refused
}
