// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Synchronization

/// The progress of migrations, which ends those under way before `cancel()` returns. The handler is the program's own,
/// and some systems call it later, on another thread.
final class MigrationMonitorProgress: Progress, @unchecked Sendable {
  // Sendable: what it has of its own is behind a lock.

  private let running: RunningMigrations

  /// - Parameter running: What is cancelled with it.
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

/// What ends the migrations that are under way.
final class RunningMigrations: Sendable {
  private let list = Mutex<[RequestCancellation]>([])

  func add(_ cancellation: RequestCancellation) { list.withLock { $0.append(cancellation) } }

  /// After that, the migration is cancelled no more: what ends it may be another one's, too.
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
