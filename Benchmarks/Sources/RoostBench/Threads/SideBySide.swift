// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs bodies on concurrent threads and collects their results.
final class SideBySide<Work: Sendable>: Sendable {
  private let ends = Mutex([Result<Work, any Error>]())
  private let group = DispatchGroup()

  /// Runs a body on a new thread.
  func run(_ body: @escaping @Sendable () throws -> Work) {
    group.enter()
    Thread.detachNewThread { [self] in
      let end = Result { try body() }
      ends.withLock { $0.append(end) }
      group.leave()
    }
  }

  /// - Throws: The error of the thread that failed first.
  func waitForAll() throws -> [Work] {
    group.wait()
    return try ends.withLock { try $0.map { try $0.get() } }
  }
}
