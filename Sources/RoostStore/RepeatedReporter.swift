// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reports the progress of a migration that a store may begin again: progress that was reported before is not reported
/// again, but each report can still cancel.
package final class RepeatedReporter: Sendable {
  private let base: MigrationReporter
  private let told = Mutex<(step: Int, completed: Int64)>((0, 0))

  package init(_ base: MigrationReporter) {
    self.base = base
  }

  /// The reporter of the next attempt.
  package func next() -> MigrationReporter {
    MigrationReporter(stepCount: 0, records: [], cancellation: base.cancellation) {
      try self.tell($0)
    }
  }

  private func tell(_ progress: MigrationProgress) throws {
    let (isNew, more) = told.withLock { told -> (Bool, Int64) in
      if progress.step > told.step {
        told = (progress.step, progress.completed)
        return (true, progress.completed)
      }
      guard progress.step == told.step, progress.completed > told.completed else {
        return (false, 0)
      }
      defer { told.completed = progress.completed }
      return (false, progress.completed - told.completed)
    }
    if isNew { try base.begin(progress.title, records: progress.total) }
    if !isNew || more > 0 { try base.advance(by: more) }
  }
}
