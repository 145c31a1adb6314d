// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reads repeatedly while a case runs, and records the distinct results.
package final class NeighbourReads: Sendable {
  private struct State {
    var isStopped = false
    var answers: Set<Int> = []
    var error: (any Error)?
  }

  private let state = Mutex(State())

  package init() {}

  package var answers: Set<Int> { state.withLock { $0.answers } }
  package var error: (any Error)? { state.withLock { $0.error } }

  /// Reads at least once, until it is stopped or a read fails.
  package func run(_ read: () throws -> Int) {
    repeat {
      do {
        let answer = try read()
        state.withLock { _ = $0.answers.insert(answer) }
      } catch {
        state.withLock { $0.error = error }
        return
      }
    } while !state.withLock { $0.isStopped }
  }

  package func stop() { state.withLock { $0.isStopped = true } }
}
