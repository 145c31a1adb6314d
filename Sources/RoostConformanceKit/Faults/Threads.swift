// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Bodies that run at once.
package enum Threads {
  private final class FirstFailure: Sendable {
    let failure = Mutex<(any Error)?>(nil)
  }

  /// Runs a body on several threads at once, and throws the first error.
  package static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let shared = FirstFailure()
    let group = DispatchGroup()
    for index in 0..<count {
      group.enter()
      let thread = Thread {
        defer { group.leave() }
        do {
          try body(index)
        } catch {
          shared.failure.withLock { $0 = $0 ?? error }
        }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    if let error = shared.failure.withLock({ $0 }) { throw error }
  }
}
