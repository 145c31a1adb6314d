// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Decides whether a transaction is tried again after a save that failed, and how long to wait before that.
struct TransactionRetry {
  /// How often the transaction may be tried again.
  let limit: Int
  /// How often it was tried again.
  private(set) var count = 0
  /// The records that had the values of the saves that failed.
  private var knownHolders: Set<ObjectID> = []

  init(limit: Int) {
    self.limit = limit
  }

  /// Returns how long to wait before the next attempt; nil when there is none.
  ///
  /// - Parameter generator: What the waiting times of several writers are kept apart with.
  mutating func delay(
    after failure: TransactionFailure, using generator: inout some RandomNumberGenerator
  ) -> Duration? {
    // What the body has saved by itself it would save once more.
    guard count < limit, !failure.savedBefore, mayHelp(failure) else { return nil }
    count += 1
    let longest = Self.shortestDelay * Double(1 << min(count - 1, 20))
    let bound = min(longest, Self.longestDelay)
    return .seconds(Double.random(in: bound / 2...bound, using: &generator))
  }

  /// Whether the same work may succeed in a new context.
  private mutating func mayHelp(_ failure: TransactionFailure) -> Bool {
    guard let error = failure.error as? PersistenceError else { return false }
    if error.code == .managedObjectConstraintMerge {
      // A record that was in the way before is there for the body to find: it wants the value all the same.
      let isNew = !failure.holders.isSubset(of: knownHolders)
      knownHolders.formUnion(failure.holders)
      return isNew
    }
    return error.isOfTheMoment
  }

  private static let shortestDelay = 0.005
  private static let longestDelay = 1.0
}

/// A save that a transaction ended with.
struct TransactionFailure {
  let error: any Error
  /// The records that have the unique values that the save wanted.
  var holders: Set<ObjectID> = []
  /// Whether the body had saved something by itself.
  var savedBefore = false
}

extension PersistenceError {
  /// Whether nothing was written because of what others did at the time.
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
