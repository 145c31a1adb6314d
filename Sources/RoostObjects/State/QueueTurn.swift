// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The turn of a task's closure on a context's queue: the task is woken when the closure has run, or when the task was
/// cancelled before it has begun.
final class QueueTurn: Sendable {
  private enum State {
    /// Nobody waits yet.
    case new
    case waiting(CheckedContinuation<Void, Never>)
    /// The closure runs; the waiting task, once there is one.
    case begun(CheckedContinuation<Void, Never>?)
    /// There is nothing to wait for: the closure has run, or never will.
    case over
  }

  private let state = Mutex(State.new)
  private let canBeGivenUp: Bool

  /// - Parameter canBeGivenUp: Whether the task can be told that the closure did not run.
  init(canBeGivenUp: Bool) {
    self.canBeGivenUp = canBeGivenUp
  }

  /// Waits until the closure has run, or the task was cancelled before it has begun.
  ///
  /// - Parameter cancellation: Whose requests the closure makes; cancelled with the task.
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
  /// - Returns: False when the task waits no longer.
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

  /// Wakes the task after its closure has run.
  func end() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .over }
      guard case .begun(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume()
  }

  /// Wakes the task, if its closure has not begun.
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
