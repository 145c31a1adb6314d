// SPDX-License-Identifier: Apache-2.0

import RoostObjects
import RoostStore

/// The settings of the contexts of a transaction's attempts.
struct TransactionAttempt: Sendable {
  /// The line on which the transaction is called.
  let callSite: CallSite
  /// The time at which all attempts end; nil for none.
  let deadline: ContinuousClock.Instant?

  /// Configures the new context of an attempt.
  func configure(_ context: ManagedObjectContext) {
    context.callSite = callSite
    context.deadline = deadline
  }
}
