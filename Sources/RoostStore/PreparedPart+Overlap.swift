// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

extension PreparedPart {
  /// Whether the part writes, locks or links one of some records.
  public func touches(_ keys: Set<Int64>) -> Bool {
    self.keys.contains(where: keys.contains)
  }

  /// The error of a write that stands in the way of the part, or of a request for what the part decides about.
  ///
  /// - Parameter store: The store that holds the part.
  public func inDoubt(in store: String) -> PersistenceError {
    PersistenceError(
      .saveInDoubt,
      "The store waits for the decision on a save over several stores, which \(ticket.decider.name) "
        + "(\(ticket.decider.identifier)) knows.", store: store)
  }

  /// The error of a part that cannot be written although it was kept for that: another write has stood in its way.
  package static func overtaken(in store: String) -> PersistenceError {
    PersistenceError(
      .corruptStore,
      "The store's part of a committed save cannot be written: its records were changed meanwhile.",
      store: store)
  }
}

extension StorePreparation {
  /// Refuses to replace a store that holds what others need to end a save: parts, or decisions.
  ///
  /// - Parameter store: How messages name it.
  /// - Throws: `saveInDoubt`.
  package func requireNothingKept(in store: String?) throws {
    if let part = try pending().first { throw part.inDoubt(in: store ?? "") }
    guard let save = try decisions().first(where: { !$0.unacknowledged.isEmpty }) else { return }
    let waiting = save.unacknowledged.sorted().joined(separator: ", ")
    throw PersistenceError(
      .saveInDoubt,
      "The store decides about a save over several stores, and others have not finished their parts "
        + "of it: add them to the same coordinator, with the model they have. They are \(waiting).",
      store: store)
  }
}

extension SaveTicket {
  /// Under which name a decider keeps until when a participant has taken note of the decisions on saves of this one's
  /// coordinator.
  ///
  /// A coordinator makes its saves with one decider one after the other, and numbers them by when they began. So as
  /// long as a decider knows the coordinator, even as one that has ended, it goes by that order alone: those of other
  /// coordinators overlap with it, and their clocks may be others.
  public func acknowledgementName(of participant: String) -> String {
    "\(participant)/\(coordinator.uuidString)"
  }

  /// How a save ended that a decider does not remember.
  ///
  /// - Parameters:
  ///   - acknowledged: When the last save began of whose decision the asking participant has taken note; nil for none.
  ///     Of the saves of the coordinator while the decider knows it (``acknowledgementName(of:)``), else of all.
  ///   - isRegistered: Whether the coordinator of the save is registered with the decider.
  public func decision(acknowledged: Double?, isRegistered: Bool) -> Decision {
    if let acknowledged, startedAt <= acknowledged { return .forgotten }
    if isRegistered { return .none }
    // Without participants, the decision is forgotten with the coordinator that alone could ask for it.
    return participants.isEmpty ? .forgotten : .aborted
  }
}
