// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// A buffer of updates between the context that makes them and the task that reads them: one pending update, into
/// which newer ones are composed, or as many as requested.
package final class LiveMailbox<Update: Sendable>: Sendable {
  private struct Contents {
    var pending: [Update] = []
    var readers: [CheckedContinuation<Void, Never>] = []
    var isSignalled = false
    var error: PersistenceError?
    var isFinished = false

    mutating func takeReaders() -> [CheckedContinuation<Void, Never>] {
      defer { readers = [] }
      return readers
    }
  }

  /// The maximum number of buffered updates; nil for one, into which newer ones are composed.
  private let capacity: Int?
  private let compose: @Sendable (inout Update, Update) -> Void
  private let contents = Mutex(Contents())

  /// Makes an empty mailbox.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of buffered updates; nil for one, into which newer ones are composed.
  ///   - compose: Adds a newer update to one that was not read yet.
  package init(capacity: Int?, _ compose: @escaping @Sendable (inout Update, Update) -> Void) {
    self.capacity = capacity
    self.compose = compose
  }

  /// Adds an update.
  package func offer(_ update: Update) {
    let readers = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      guard !contents.isFinished else { return [] }
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
        compose(&last, update)
        contents.pending = [last]
      } else {
        contents.pending = [update]
      }
      return contents.takeReaders()
    }
    for reader in readers { reader.resume() }
  }

  /// Ends the updates, after the buffered ones were read.
  package func finish(throwing error: PersistenceError? = nil) {
    let readers = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      guard !contents.isFinished else { return [] }
      contents.isFinished = true
      contents.error = error
      return contents.takeReaders()
    }
    for reader in readers { reader.resume() }
  }

  /// Wakes the readers, so that they check again.
  package func signal() {
    let readers = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      contents.isSignalled = true
      return contents.takeReaders()
    }
    for reader in readers { reader.resume() }
  }

  /// The result of taking an update.
  package enum Found {
    case update(Update)
    /// No update, and no more will follow.
    case end(PersistenceError?)
    case nothing
  }

  /// Takes the next update, if there is one.
  ///
  /// - Parameter check: Looks for changes that ``signal()`` announces, and offers their updates. The reader is woken
  ///   again when one is announced during the check, which may have come too late for it.
  package func take(after check: () -> Void = {}) -> Found {
    contents.withLock { $0.isSignalled = false }
    check()
    return contents.withLock { contents in
      if !contents.pending.isEmpty { return .update(contents.pending.removeFirst()) }
      guard contents.isFinished else { return .nothing }
      defer { contents.error = nil }
      return .end(contents.error)
    }
  }

  /// Waits until there is an update to take, or the task is cancelled.
  package func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = contents.withLock { contents in
          if contents.isSignalled || contents.isFinished || !contents.pending.isEmpty
            || Task.isCancelled
          {
            return true
          }
          contents.readers.append(continuation)
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
