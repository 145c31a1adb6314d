// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

extension SaveRecovery {
  /// Retries the parts that this coordinator left prepared in a store, before a request to the store runs. A decided
  /// save must be visible; undecided ones of others are waited for only by saves that write the same records.
  ///
  /// - Throws: `saveInDoubt` when a part of a committed save cannot be written.
  func finishRemainders(of store: AttachedStore) throws {
    let failure: (any Error)?
    do {
      let failed = try settle(store, ending: .none, until: Deadline(after: 0)).failed
      let remainders = store.saves.remainders
      failure = failed.first { remainders[$0.part.ticket.id]?.isCommitted == true }?.error
    } catch {
      failure = store.saves.remainders.values.contains(where: \.isCommitted) ? error : nil
    }
    if let failure { throw PersistenceError.unwrittenPart(of: store, failure) }
  }

  /// Runs a write to stores, and settles the prepared parts that block it.
  ///
  /// - Parameters:
  ///   - stores: The stores.
  ///   - gate: A gate that the caller has locked. It is open while parts are settled, so that nobody else waits.
  ///   - body: The write.
  /// - Throws: `saveInDoubt` when one of them cannot be settled now, and what `body` throws.
  func settling<Answer>(
    _ stores: @autoclosure () -> [AttachedStore], opening gate: CommitGate? = nil,
    _ body: () throws -> Answer
  ) throws -> Answer {
    var known: Deadline?
    var before: Set<SaveID> = []
    while true {
      do {
        return try body()
      } catch let error as PersistenceError where error.code == .saveInDoubt {
        let deadline = known ?? Deadline(after: stores()[0].store.description.timeout)
        known = deadline
        gate?.unlock()
        defer { gate?.lock() }
        var result = Result()
        var failure: PersistenceError?
        for store in stores() {
          let found = try settle(store, ending: .all, until: deadline)
          result.settled += found.settled
          result.left += found.left + found.undecided + found.failed.map(\.part)
          failure = failure ?? found.failed.first.map { .unwrittenPart(of: store, $0.error) }
        }
        // Others may have finished the blocking part meanwhile: then it is not among the remaining ones.
        let left = Set(result.left.map(\.ticket.id))
        let isSettled = result.settled > 0 || left.isEmpty || left != before
        before = left
        guard isSettled, !deadline.isOver else { throw failure ?? error }
        // A part that was left alone is about to be finished by another thread of this coordinator.
        if result.settled == 0 { Thread.sleep(forTimeInterval: Self.pause) }
      }
    }
  }
}

extension PersistenceError {
  /// Returns the error of a request to a store that could not finish a part of a save.
  ///
  /// - Parameter error: The error of the store.
  static func unwrittenPart(of store: AttachedStore, _ error: any Error) -> PersistenceError {
    PersistenceError(
      .saveInDoubt,
      "The store's part of a save over several stores, whose outcome is known, could not be written"
        + " yet.", store: store.displayName, underlying: error)
  }
}
