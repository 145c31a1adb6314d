// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

extension PreparedPart {
  /// Whether the part writes, locks or links one of some records.
  public func touches(_ keys: Set<Int64>) -> Bool {
    self.keys.contains(where: keys.contains)
  }

  /// Returns the error of a write that conflicts with the part, or of a request that depends on it.
  ///
  /// - Parameter store: The store that holds the part.
  public func inDoubt(in store: String) -> PersistenceError {
    PersistenceError(
      .saveInDoubt,
      "The store waits for the decision on a save over several stores, which \(ticket.decider.name) "
        + "(\(ticket.decider.identifier)) knows.", store: store)
  }

  /// Returns the error of a prepared part that cannot be written, because another write has changed its records.
  package static func overtaken(in store: String) -> PersistenceError {
    PersistenceError(
      .corruptStore,
      "The store's part of a committed save cannot be written: its records were changed meanwhile.",
      store: store)
  }
}

extension StorePreparation {
  /// Refuses to replace a store that holds unfinished parts, or decisions that other stores still need.
  ///
  /// - Parameter store: The name of the store in messages.
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
  /// Returns the name under which a decider records how far a participant has acknowledged the saves of this ticket's
  /// coordinator.
  ///
  /// A coordinator makes its saves with one decider serially, ordered by their start times. So as long as a decider
  /// knows the coordinator, even an unregistered one, it relies on that order alone: the saves of other coordinators
  /// overlap with it, and their clocks may differ.
  public func acknowledgementName(of participant: String) -> String {
    "\(participant)/\(coordinator.uuidString)"
  }

  /// Returns the decision on a save that the decider does not remember.
  ///
  /// - Parameters:
  ///   - acknowledged: The start time of the last save that the asking participant has acknowledged; nil for none.
  ///     Among the saves of the coordinator while the decider knows it (``acknowledgementName(of:)``), otherwise
  ///     among all.
  ///   - isRegistered: Whether the coordinator of the save is registered with the decider.
  public func decision(acknowledged: Double?, isRegistered: Bool) -> Decision {
    if let acknowledged, startedAt <= acknowledged { return .forgotten }
    if isRegistered { return .none }
    // Without participants, only the coordinator itself could ask for the decision, which is forgotten with it.
    return participants.isEmpty ? .forgotten : .aborted
  }
}
