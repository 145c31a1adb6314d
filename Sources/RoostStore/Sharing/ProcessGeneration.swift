// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A counter of forks, to detect objects inherited from a parent process: they share locks and connections with the
/// parent, and using them would hang or damage the file.
///
/// The counter is updated by a fork handler, so that requests need no `getpid`. The handler does not run for a child
/// made by `_Fork` or by the system call itself; such a child may only call `exec`.
package enum ProcessGeneration {
  private static let count = Atomic<Int>(0)

  private static let isWatching: Bool = {
    pthread_atfork(nil, nil) { ProcessGeneration.count.wrappingAdd(1, ordering: .relaxed) } == 0
  }()

  /// A number that changes with every fork, in the child.
  package static var current: Int {
    precondition(isWatching, "the system must tell of forks")
    return count.load(ordering: .relaxed)
  }
}
