// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
package import RoostStore
import Synchronization

/// Tells observers how far migrations are, and ends them when they are cancelled.
package final class MigrationMonitor: Sendable {
  /// Receives reports, on the thread of the migration.
  package typealias Observer = @Sendable (MigrationProgress) throws -> Void

  /// The units of a `Progress`: a migration is one thing of which parts are done.
  private static let unitCount: Int64 = 10_000

  private struct State {
    var observers: [Observer] = []
    var progress: Progress?
    var step = 0
    var stepBegan: Double = 0
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> Double

  init(clock: @escaping @Sendable () -> Double) {
    self.clock = clock
  }

  /// Adds an observer for all migrations from now on. What it throws cancels the migration.
  package func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observers.append(observer) }
  }

  /// What shows how far the migration is, from 0 to 1, and cancels it; made when it is first asked for.
  package var progress: Progress {
    state.withLock { state in
      if let progress = state.progress { return progress }
      let progress = Progress(totalUnitCount: Self.unitCount)
      progress.isPausable = false
      state.progress = progress
      return progress
    }
  }

  /// Runs a migration that reports to this and, its steps as operations, to the instruments of a store's log.
  func reporting<Answer>(
    on description: PersistentStoreDescription, stepCount: Int,
    _ migrate: (MigrationReporter) throws -> Answer
  ) throws -> Answer {
    state.withLock { $0.step = 0 }
    guard let log = description.log, let instruments = log.instruments, instruments.isOn else {
      return try migrate(MigrationReporter(stepCount: stepCount) { try self.receive($0) })
    }
    let steps = MigrationSteps(log: log, instruments: instruments, description: description)
    let reporter = MigrationReporter(stepCount: stepCount) { report in
      steps.receive(report)
      try self.receive(report)
    }
    do {
      let answer = try migrate(reporter)
      steps.end(.success)
      return answer
    } catch {
      steps.end(StoreOperationResult.Outcome(error))
      throw error
    }
  }

  /// Tells that a migration is complete.
  func finish() {
    let progress = state.withLock { $0.progress }
    progress?.completedUnitCount = Self.unitCount
  }

  private func receive(_ report: MigrationProgress) throws {
    let now = clock()
    var report = report
    let (observers, progress) = state.withLock { state in
      if state.step != report.step {
        state.step = report.step
        state.stepBegan = now
      }
      if report.completed > 0, report.total > report.completed {
        let passed = now - state.stepBegan
        report.secondsLeft =
          passed / Double(report.completed) * Double(report.total - report.completed)
      }
      return (state.observers, state.progress)
    }
    if let progress {
      guard !progress.isCancelled else {
        throw PersistenceError(
          .migrationCancelled, "The migration was cancelled; the store is as it was.")
      }
      // The last unit is for the commit.
      let done = Int64(Self.fraction(report) * Double(Self.unitCount - 1))
      progress.completedUnitCount = max(progress.completedUnitCount, done)
    }
    for observer in observers {
      do {
        try observer(report)
      } catch {
        throw PersistenceError(
          .migrationCancelled, "The migration was cancelled; the store is as it was.",
          underlying: error)
      }
    }
  }

  private static func fraction(_ report: MigrationProgress) -> Double {
    guard report.stepCount > 0 else { return 0 }
    let inStep =
      report.total > 0 ? min(1, Double(report.completed) / Double(report.total)) : 0
    return min(1, (Double(report.step - 1) + inStep) / Double(report.stepCount))
  }
}
