// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects

/// Reads the updates of a mailbox one after the other, at the requested minimum interval.
struct LiveReading<State: Sendable> {
  let mailbox: LiveMailbox<LiveDelivery<State>>
  private let interval: Duration
  private var last: ContinuousClock.Instant?

  init(of mailbox: LiveMailbox<LiveDelivery<State>>, _ options: LiveOptions) {
    self.mailbox = mailbox
    interval = options.minimumInterval
  }

  /// Returns the next update; nil after the end, and when the task is cancelled.
  ///
  /// - Parameters:
  ///   - actor: The isolation of the caller.
  ///   - merge: Called before each check of the mailbox.
  /// - Throws: The error that ended the updates.
  mutating func next(
    isolation actor: isolated (any Actor)?, merging merge: () -> Void = {}
  ) async throws(PersistenceError) -> LiveDelivery<State>? {
    await pause(isolation: actor)
    while !Task.isCancelled {
      switch mailbox.take(after: merge) {
      case .update(let update):
        last = .now
        return update
      case .end(let error?): throw error
      case .end(nil): return nil
      case .nothing: await mailbox.wait(isolation: actor)
      }
    }
    return nil
  }

  /// Waits until the next update may be delivered, unless the interval has passed or the task is cancelled.
  private func pause(isolation actor: isolated (any Actor)?) async {
    guard let last, interval > .zero else { return }
    let next = last.advanced(by: interval)
    if next > .now { try? await Task.sleep(until: next) }
  }
}
