// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The turn of a task's closure on a context's queue. The task resumes when the closure has run, or when the task is
/// cancelled before the closure has begun.
final class QueueTurn: Sendable {
  private enum State {
    /// No task waits yet.
    case new
    case waiting(CheckedContinuation<Void, Never>)
    /// The closure is running; the waiting task, if there is one yet.
    case begun(CheckedContinuation<Void, Never>?)
    /// No task needs to wait: the closure has run, or never will.
    case over
  }

  private let state = Mutex(State.new)
  private let canBeGivenUp: Bool

  /// - Parameter canBeGivenUp: Whether a cancelled task may return although the closure did not run.
  init(canBeGivenUp: Bool) {
    self.canBeGivenUp = canBeGivenUp
  }

  /// Suspends the task until the closure has run, or the task is cancelled before the closure has begun.
  ///
  /// - Parameter cancellation: The cancellation of the closure's requests; cancelled with the task.
  func wait(_ cancellation: RequestCancellation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isOver = state.withLock { state in
          switch state {
          case .new: state = .waiting(continuation)
          case .begun: state = .begun(continuation)
          case .waiting, .over: return true
          }
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      cancellation.cancel()
      giveUp()
    }
  }

  /// Begins the turn; ``end()`` must follow.
  ///
  /// - Returns: False when the task no longer waits.
  func begin() -> Bool {
    state.withLock { state in
      switch state {
      case .new: state = .begun(nil)
      case .waiting(let continuation): state = .begun(continuation)
      case .begun, .over: return false
      }
      return true
    }
  }

  /// Resumes the task after its closure has run.
  func end() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .over }
      guard case .begun(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume()
  }

  /// Resumes the task if its closure has not begun.
  private func giveUp() {
    guard canBeGivenUp else { return }
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      switch state {
      case .new:
        state = .over
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .begun, .over: return nil
      }
    }
    waiting?.resume()
  }
}
