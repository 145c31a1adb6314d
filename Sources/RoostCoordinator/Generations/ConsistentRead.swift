// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Reads several stores so that saves of other coordinators and processes are in all of them or in none (X21).
///
/// The read is optimistic, without locks. If no store was written between a time before the first read and one after
/// the last, all reads see one common state. In that state, a save can be visible in only some stores if it is
/// decided and a part of it is still prepared: then the part is finished, and the stores are read again.
struct ConsistentRead {
  let coordinator: PersistentStoreCoordinator
  /// The stores to read.
  let stores: [AttachedStore]

  /// Reads until no save interferes.
  ///
  /// - Throws: `storeBusy` when the stores keep being written until the timeout, `saveInDoubt` when the outcome of a
  ///   save is unknown or its part cannot be finished, `persistentStoreUnsupportedRequestType` for a store without
  ///   change marks.
  func reading<Result>(_ read: () throws -> Result) throws -> Result {
    let deadline = Deadline(after: stores.map(\.store.description.timeout).max() ?? 0)
    while true {
      // Meanwhile no save over several stores of this coordinator becomes visible: in-memory stores, which only this
      // process writes, have no change marks.
      let result = try coordinator.saveTraffic.reading { try attempt(read) }
      if let result { return result }
      try RequestScope.cancellation?.check()
      guard !deadline.isOver else {
        throw PersistenceError(
          .storeBusy,
          "The stores were written again and again while they were read, so that no consistent "
            + "snapshot was read: repeat the request, or set `readsAcrossStores` to "
            + "`.eachStore`.")
      }
      Thread.sleep(forTimeInterval: Double.random(in: 0.0002...0.002))
    }
  }

  /// - Returns: nil when a save interfered.
  private func attempt<Result>(_ read: () throws -> Result) throws -> Result? {
    let before = try marks()
    let result = try read()
    let parts = try parts()
    guard try !finish(parts), try marks() == before, try !isTorn(parts) else { return nil }
    return result
  }

  /// Returns the change mark of each store.
  private func marks() throws -> [String] {
    try stores.map { store in
      try store.requesting { backend in
        if let marks = backend.changeMarks { return try marks.changeMark() }
        // An in-memory store without change marks is not shared.
        guard store.isDurable else { return "" }
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType,
          "The store cannot tell whether it was written meanwhile, which reads of whole saves over "
            + "several stores need: set `readsAcrossStores` to `.eachStore`.",
          store: store.displayName)
      }
    }
  }

  /// A prepared part and its store.
  private struct HeldPart {
    let store: AttachedStore
    let part: PreparedPart
  }

  private func parts() throws -> [HeldPart] {
    try stores.flatMap { store in
      try store.requesting { try $0.preparation?.visibleParts() ?? [] }
        .map { HeldPart(store: store, part: $0) }
    }
  }

  /// Finishes the parts of committed saves.
  ///
  /// - Returns: Whether there were some.
  private func finish(_ parts: [HeldPart]) throws -> Bool {
    let recovery = SaveRecovery(coordinator: coordinator)
    var hasFound = false
    for held in parts {
      let (store, part) = (held.store, held.part)
      guard let decider = recovery.decider(of: part.ticket),
        try isCommitted(part, of: store, decider)
      else { continue }
      hasFound = true
      // A part that another thread of this coordinator is about to finish is waited for.
      guard !coordinator.saveTraffic.isWriting(part.ticket.id),
        let preparation = store.store.preparation
      else { continue }
      guard !store.isReadOnly else {
        throw PersistenceError(
          .saveInDoubt,
          "The store holds its part of a save that is committed, and was opened for reading only:"
            + " open it for writing, so that the part can be finished.",
          store: store.displayName)
      }
      do {
        try recovery.commit(part, of: store, preparation)
      } catch let error as PersistenceError where error.code != .userCancelled {
        throw PersistenceError.unwrittenPart(of: store, error)
      }
    }
    return hasFound
  }

  /// Checks the parts whose decider is not attached, so that the outcome is unknown: each store is read as before the
  /// save, unless another store may have finished its part (X7).
  ///
  /// - Returns: Whether the check must be repeated, because the save may be under way.
  /// - Throws: `saveInDoubt` when it is no longer under way.
  private func isTorn(_ parts: [HeldPart]) throws -> Bool {
    let recovery = SaveRecovery(coordinator: coordinator)
    for held in parts where recovery.decider(of: held.part.ticket) == nil {
      let ticket = held.part.ticket
      let isFinished = stores.contains { other in
        ticket.participants.contains(other.identity.identifier)
          && !parts.contains { $0.store === other && $0.part.ticket.id == ticket.id }
      }
      guard isFinished else { continue }
      guard coordinator.saveTraffic.isOverdue(ticket.id) else { return true }
      throw held.part.inDoubt(in: held.store.displayName)
    }
    return false
  }

  private func isCommitted(
    _ part: PreparedPart, of store: AttachedStore, _ decider: AttachedStore
  ) throws -> Bool {
    do {
      return try decider.requesting {
        try $0.preparation?.decision(
          on: part.ticket, for: store.identity.identifier, aborting: false)
      } == .committed
    } catch {
      throw PersistenceError(
        .saveInDoubt,
        "The store holds a part of a save, and the store that decides about it, "
          + "\(decider.displayName), cannot be asked now.",
        store: store.displayName, underlying: error)
    }
  }
}
