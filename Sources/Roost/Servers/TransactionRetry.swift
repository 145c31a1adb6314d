// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Decides whether a transaction is retried after a failed save, and with which delay.
struct TransactionRetry {
  /// The maximum number of retries.
  let limit: Int
  /// The time after which no attempt begins; nil for none.
  let deadline: ContinuousClock.Instant?
  /// The number of retries so far.
  private(set) var count = 0
  /// The records that held the unique values of the failed saves.
  private var knownHolders: Set<ObjectID> = []

  init(limit: Int, deadline: ContinuousClock.Instant? = nil) {
    self.limit = limit
    self.deadline = deadline
  }

  /// Returns the delay before the next attempt; nil when there is none.
  ///
  /// - Parameter generator: The generator that randomises the delays of concurrent writers.
  mutating func delay(
    after failure: TransactionFailure, using generator: inout some RandomNumberGenerator
  ) -> Duration? {
    // A body that has saved or executed a batch request would do the same again.
    guard count < limit, !failure.savedBefore, mayHelp(failure) else { return nil }
    let longest = Self.shortestDelay * Double(1 << min(count, 20))
    let bound = min(longest, Self.longestDelay)
    let delay = Duration.seconds(Double.random(in: bound / 2...bound, using: &generator))
    if let deadline, .now + delay >= deadline { return nil }
    count += 1
    return delay
  }

  /// Returns whether the same work may succeed in a new context.
  private mutating func mayHelp(_ failure: TransactionFailure) -> Bool {
    guard let error = failure.error as? PersistenceError else { return false }
    if error.code == .managedObjectConstraintMerge {
      // The body could have found a record that was in conflict before, so it requests the value regardless.
      let isNew = !failure.holders.isSubset(of: knownHolders)
      knownHolders.formUnion(failure.holders)
      return isNew
    }
    return error.isOfTheMoment
  }

  private static let shortestDelay = 0.005
  private static let longestDelay = 1.0
}

/// The failed save of a transaction.
struct TransactionFailure {
  let error: any Error
  /// The records that hold the unique values of the save.
  var holders: Set<ObjectID> = []
  /// Whether the body had saved, or executed a batch request, before.
  var savedBefore = false
}

extension PersistenceError {
  /// Whether nothing was written because of concurrent work of others, so that a retry may succeed.
  fileprivate var isOfTheMoment: Bool {
    switch code {
    case .managedObjectMerge, .storeBusy, .persistentStoreTimeout, .saveInDoubt: true
    case .readFailed:
      !underlyingErrors.isEmpty
        && underlyingErrors.allSatisfy { [.storeBusy, .persistentStoreTimeout].contains($0.code) }
    default: false
    }
  }
}
