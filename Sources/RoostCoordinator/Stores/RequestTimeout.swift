// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostModel
import RoostStore

/// Limits how long a request takes: when the time is over, the request is cancelled, as a task would cancel it.
package struct RequestTimeout: Sendable {
  private let seconds: Double

  /// Makes a limit.
  ///
  /// - Parameter seconds: The time, in seconds.
  package init(seconds: Double) {
    self.seconds = seconds
  }

  /// Runs a request.
  ///
  /// - Parameter request: Asks the stores.
  /// - Throws: `persistentStoreTimeout` where the time was over before the request was; or what it throws.
  package func limiting<Answer, Failure: Error>(
    _ request: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let deadline = Deadline(after: seconds)
    let cancellation = RequestCancellation()
    // No time at all is no race with a timer.
    if seconds <= 0 { cancellation.cancel() }
    // A work item would stay in its queue until the time is over, although it is cancelled; a source goes at once.
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { cancellation.cancel() }
    timer.schedule(deadline: .now() + seconds)
    timer.activate()
    defer { timer.cancel() }
    let outer = RequestScope.cancellation
    let result: Result<Answer, any Error> = Result {
      try outer.interrupting({ cancellation.cancel() }) {
        try RequestScope.cancellable(by: cancellation, request)
      }
    }
    do {
      return try result.get()
    } catch {
      throw Self.failure(of: error, deadline.isOver && outer?.isCancelled != true ? seconds : nil)
    }
  }

  /// The error of a request, which is that of the limit where the limit has cancelled it.
  private static func failure<Failure: Error>(of error: any Error, _ limit: Double?) -> Failure {
    var error = error
    if let limit, let cancelled = error as? PersistenceError, cancelled.code == .userCancelled {
      error = PersistenceError(
        .persistentStoreTimeout,
        "The request took longer than the \(limit) seconds that its context allows.",
        store: cancelled.store)
    }
    guard let failure = error as? Failure else {
      preconditionFailure("A request that is limited throws other errors than its own: \(error)")
    }
    return failure
  }
}
