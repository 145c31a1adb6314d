// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Retries with exponential back-off after a failed read: a lost store may come back.
///
/// It needs the context's queue; a context that is used without one retries at its next change.
final class LiveRetry {
  private static let firstDelay = 1
  private static let lastDelay = 32

  private weak var context: ManagedObjectContext?
  /// The delay of the next attempt in seconds.
  private var delay = LiveRetry.firstDelay
  private var isScheduled = false

  init(of context: ManagedObjectContext) {
    self.context = context
  }

  /// Records whether a retry is needed.
  func note(isStale: Bool) {
    guard isStale else {
      delay = Self.firstDelay
      return
    }
    guard !isScheduled, let context, context.queue.isWatched else { return }
    isScheduled = true
    let attempt = Attempt(self)
    context.queue.enqueue(afterSeconds: delay) { attempt.run() }
    delay = min(delay * 2, Self.lastDelay)
  }

  private func run() {
    isScheduled = false
    guard let context else { return }
    context.merger.mergeHeardSaves()
    (context.eventState.follower as? LiveQueries)?.tryAgain()
    context.processPendingChanges()
  }

  private final class Attempt: @unchecked Sendable {
    // Sendable: it runs on the queue of the context to which the retry belongs, and holds it weakly.
    private weak var retry: LiveRetry?

    init(_ retry: LiveRetry) {
      self.retry = retry
    }

    func run() {
      retry?.run()
    }
  }
}
