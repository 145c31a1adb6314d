// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Which process this is, counted by forks: what a child inherited shares locks and connections with its parent's, and
/// using it would hang or damage the file.
///
/// The system tells of a fork, so that a request does not have to ask who it is. It does not tell of a child that is
/// made by `_Fork` or by the system call itself: such a child may do no more than call `exec`.
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
