// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Threads that do something at the same time and hand in what they have done.
final class SideBySide<Work: Sendable>: Sendable {
  private let ends = Mutex([Result<Work, any Error>]())
  private let group = DispatchGroup()

  /// Runs something on a thread of its own.
  func run(_ body: @escaping @Sendable () throws -> Work) {
    group.enter()
    Thread.detachNewThread { [self] in
      let end = Result { try body() }
      ends.withLock { $0.append(end) }
      group.leave()
    }
  }

  /// - Throws: What the first of them has thrown that came to an end.
  func waitForAll() throws -> [Work] {
    group.wait()
    return try ends.withLock { try $0.map { try $0.get() } }
  }
}
