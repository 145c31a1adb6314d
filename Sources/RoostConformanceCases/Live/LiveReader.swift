// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostConformanceKit
import Synchronization

/// Reads a sequence in a task, for a case that waits for its elements on a thread.
///
/// The task has a queue of its own: where cases occupy the threads on which tasks run, it goes on nevertheless.
final class LiveReader<Element: Sendable>: Sendable {
  private struct State {
    var unread: [Element] = []
    var error: (any Error)?
    var hasEnded = false
  }

  private let state: SharedState
  private let task: Task<Void, Never>

  private final class SharedState: Sendable {
    let state = Mutex(State())
    let arrivals = DispatchSemaphore(value: 0)

    func change(_ body: (inout sending State) -> Void) {
      state.withLock { body(&$0) }
      arrivals.signal()
    }
  }

  /// Starts to read.
  init<Elements: AsyncSequence & Sendable>(_ elements: Elements)
  where Elements.Element == Element {
    let state = SharedState()
    self.state = state
    task = Task.detached(executorPreference: QueueExecutor()) {
      do {
        for try await element in elements { state.change { $0.unread.append(element) } }
        state.change { $0.hasEnded = true }
      } catch {
        let error = error
        state.change { ($0.error, $0.hasEnded) = (error, true) }
      }
    }
  }

  deinit { task.cancel() }

  /// Waits for the next element; nil at the end.
  ///
  /// - Throws: The error that ended the sequence; `ExpectationFailure` when nothing comes within two minutes.
  func next(file: StaticString = #fileID, line: UInt = #line) throws -> Element? {
    guard state.arrivals.wait(timeout: .now() + 120) == .success else {
      try expect(false, "an element within two minutes", file: file, line: line)
      return nil
    }
    return try state.state.withLock { state in
      guard state.unread.isEmpty else { return state.unread.removeFirst() }
      if let error = state.error { throw error }
      return nil
    }
  }

  /// Whether nothing has come that was not read.
  var isWaiting: Bool { state.state.withLock { $0.unread.isEmpty && !$0.hasEnded } }
}

/// Runs the jobs of a task on a queue.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "roost.reader")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Waits until a condition holds.
///
/// - Throws: `ExpectationFailure` when it does not hold within two minutes.
func awaitCondition(
  _ what: String, file: StaticString = #fileID, line: UInt = #line, _ condition: () -> Bool
) throws {
  let start = ContinuousClock.now
  while !condition() {
    try expect(start.duration(to: .now) < .seconds(120), what, file: file, line: line)
    Thread.sleep(forTimeInterval: 0.001)
  }
}
