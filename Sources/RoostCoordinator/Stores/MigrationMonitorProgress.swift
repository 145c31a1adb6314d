// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Synchronization

/// The progress of migrations; `cancel()` returns after the running migrations were cancelled. It does not rely on
/// the cancellation handler, which belongs to the program and which some systems call later, on another thread.
final class MigrationMonitorProgress: Progress, @unchecked Sendable {
  // Sendable: its own state is behind a lock.

  private let running: RunningMigrations

  /// - Parameter running: The migrations to cancel with it.
  init(_ running: RunningMigrations) {
    self.running = running
    // As Foundation's own convenience initializer.
    super.init(parent: .current(), userInfo: nil)
  }

  override func cancel() {
    super.cancel()
    running.cancel()
  }
}

/// The cancellations of the migrations under way.
final class RunningMigrations: Sendable {
  private let list = Mutex<[RequestCancellation]>([])

  func add(_ cancellation: RequestCancellation) { list.withLock { $0.append(cancellation) } }

  /// Removes a cancellation, which is then no longer triggered: it may be shared with other work.
  func remove(_ cancellation: RequestCancellation) {
    list.withLock { list in
      guard let index = list.firstIndex(where: { $0 === cancellation }) else { return }
      list.remove(at: index)
    }
  }

  func cancel() {
    list.withLock { for cancellation in $0 { cancellation.cancel() } }
  }
}
