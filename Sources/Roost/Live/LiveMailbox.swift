// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import Synchronization

/// A buffer of updates between the context that makes them and the task that reads them: one pending state, into
/// which newer changes are composed, or as many updates as requested.
final class LiveMailbox<State: Sendable>: Sendable {
  /// One update.
  struct Update: Sendable {
    var state: State
    var change: ListChange
  }

  private struct Contents {
    var pending: [Update] = []
    var reader: CheckedContinuation<Void, Never>?
    var isSignalled = false
    var error: PersistenceError?
    var isFinished = false

    mutating func takeReader() -> CheckedContinuation<Void, Never>? {
      defer { reader = nil }
      return reader
    }
  }

  /// The maximum number of buffered updates; nil for one, into which newer ones are composed.
  private let capacity: Int?
  private let contents = Mutex(Contents())

  init(_ buffering: LiveOptions.Buffering) {
    switch buffering {
    case .newest: capacity = nil
    case .everyUpdate(let maximum): capacity = max(maximum, 1)
    }
  }

  /// Adds an update.
  func offer(_ update: Update) {
    let reader = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      guard !contents.isFinished else { return nil }
      if let capacity {
        if contents.pending.count < capacity {
          contents.pending.append(update)
        } else {
          contents.isFinished = true
          contents.error = PersistenceError(
            .limitExceeded,
            "The reader of live results is \(capacity) updates behind, which is the most that was "
              + "asked for.")
        }
      } else if var last = contents.pending.popLast() {
        last.change.append(update.change)
        last.state = update.state
        contents.pending = [last]
      } else {
        contents.pending = [update]
      }
      return contents.takeReader()
    }
    reader?.resume()
  }

  /// Ends the updates, after the buffered ones were read.
  func finish(throwing error: PersistenceError? = nil) {
    let reader = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      guard !contents.isFinished else { return nil }
      contents.isFinished = true
      contents.error = error
      return contents.takeReader()
    }
    reader?.resume()
  }

  /// Wakes the reader, so that it checks again.
  func signal() {
    let reader = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      contents.isSignalled = true
      return contents.takeReader()
    }
    reader?.resume()
  }

  /// The result of taking an update.
  enum Found {
    case update(Update)
    /// No update, and no more will follow.
    case end(PersistenceError?)
    case nothing
  }

  /// Takes the next update, if there is one.
  func take() -> Found {
    contents.withLock { contents in
      contents.isSignalled = false
      if !contents.pending.isEmpty { return .update(contents.pending.removeFirst()) }
      guard contents.isFinished else { return .nothing }
      defer { contents.error = nil }
      return .end(contents.error)
    }
  }

  /// Waits until there is an update to take, or the task is cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = contents.withLock { contents in
          if contents.isSignalled || contents.isFinished || !contents.pending.isEmpty
            || Task.isCancelled
          {
            return true
          }
          contents.reader = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
