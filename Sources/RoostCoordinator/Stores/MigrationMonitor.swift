// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
package import RoostStore
import Synchronization

/// Reports the progress of migrations to observers, and cancels migrations.
package final class MigrationMonitor: Sendable {
  /// Receives reports, on the thread of the migration.
  package typealias Observer = @Sendable (MigrationProgress) throws -> Void

  /// The total unit count of a `Progress`, which shows the completed fraction of a migration.
  private static let unitCount: Int64 = 10_000

  private struct State {
    var observers: [Observer] = []
    var progress: MigrationMonitorProgress?
    var step = 0
    var stepBegan: Double = 0
    var cancellation: RequestCancellation?
  }

  private let state = Mutex(State())
  private let running = RunningMigrations()
  private let clock: @Sendable () -> Double

  init(clock: @escaping @Sendable () -> Double) {
    self.clock = clock
  }

  /// Adds an observer for all migrations from now on. What it throws cancels the migration.
  package func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observers.append(observer) }
  }

  /// The progress of the migration, from 0 to 1, which can also cancel it; made on first use.
  package var progress: Progress {
    state.withLock { state in
      if let progress = state.progress { return progress }
      let progress = MigrationMonitorProgress(running)
      progress.totalUnitCount = Self.unitCount
      progress.isPausable = false
      state.progress = progress
      return progress
    }
  }

  /// Makes migrations a part of another one from now on: they report to it, and are cancelled with it.
  ///
  /// - Parameter reporter: The reporter of the other migration.
  /// - Returns: The error that the other migration has thrown; errors of migrations here are its consequence then.
  package func follow(_ reporter: MigrationReporter) -> @Sendable () -> (any Error)? {
    let thrown = Mutex<(any Error)?>(nil)
    state.withLock { $0.cancellation = reporter.cancellation }
    observe { report in
      do {
        try reporter.forward(report)
      } catch {
        thrown.withLock { $0 = error }
        throw error
      }
    }
    return { thrown.withLock { $0 } }
  }

  /// Runs a migration that reports to this monitor and, with its steps as operations, to the store log's instruments.
  ///
  /// - Parameters:
  ///   - stepCount: The number of steps, as far as it is known.
  ///   - records: The number of records of each step, for steps that do not report it themselves.
  func reporting<Answer>(
    on description: PersistentStoreDescription, stepCount: Int, records: [Int] = [],
    _ migrate: (MigrationReporter) throws -> Answer
  ) throws -> Answer {
    let cancellation = state.withLock { state in
      state.step = 0
      return state.cancellation ?? RequestCancellation()
    }
    return try cancelling(cancellation) {
      guard let log = description.log, let instruments = log.instruments, instruments.isOn else {
        return try migrate(
          MigrationReporter(stepCount: stepCount, records: records, cancellation: cancellation) {
            try self.receive($0, cancellation)
          })
      }
      let steps = MigrationSteps(log: log, instruments: instruments, description: description)
      let reporter = MigrationReporter(
        stepCount: stepCount, records: records, cancellation: cancellation
      ) { report in
        steps.receive(report)
        try self.receive(report, cancellation)
      }
      return try ending(steps) { try migrate(reporter) }
    }
  }

  private func ending<Answer>(
    _ steps: MigrationSteps, _ migrate: () throws -> Answer
  ) throws -> Answer {
    do {
      let answer = try migrate()
      steps.end(.success)
      return answer
    } catch {
      steps.end(StoreOperationResult.Outcome(error))
      throw error
    }
  }

  /// Runs the preparation of a migration, which is cancelled with the progress.
  func cancellable<Answer>(_ body: (RequestCancellation) throws -> Answer) throws -> Answer {
    let cancellation = state.withLock { $0.cancellation } ?? RequestCancellation()
    return try cancelling(cancellation) { try body(cancellation) }
  }

  /// Runs a migration whose statements are cancelled with the progress.
  private func cancelling<Answer>(
    _ cancellation: RequestCancellation, _ body: () throws -> Answer
  ) throws -> Answer {
    running.add(cancellation)
    defer { running.remove(cancellation) }
    // The progress may have been cancelled before.
    if state.withLock({ $0.progress })?.isCancelled == true { cancellation.cancel() }
    do {
      return try body()
    } catch let error as PersistenceError
      where error.code == .userCancelled && cancellation.isCancelled
    {
      throw Self.cancelled(error)
    }
  }

  private static func cancelled(_ reason: (any Error)? = nil) -> PersistenceError {
    PersistenceError(
      .migrationCancelled, "The migration was cancelled; the store is as it was.",
      underlying: reason)
  }

  /// Sets the progress to complete.
  func finish() {
    let progress = state.withLock { $0.progress }
    progress?.completedUnitCount = Self.unitCount
  }

  private func receive(
    _ report: MigrationProgress, _ cancellation: RequestCancellation
  ) throws {
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
    try checkProgress(cancellation)
    if let progress {
      // The last unit is for the commit.
      let done = Int64(report.fraction * Double(Self.unitCount - 1))
      progress.completedUnitCount = max(progress.completedUnitCount, done)
    }
    for observer in observers {
      do {
        try observer(report)
      } catch {
        throw Self.cancelled(error)
      }
    }
    // An observer may have cancelled the progress, and this may be the last report.
    try checkProgress(cancellation)
  }

  /// Ends a migration whose progress was cancelled.
  private func checkProgress(_ cancellation: RequestCancellation) throws {
    guard state.withLock({ $0.progress })?.isCancelled == true else { return }
    cancellation.cancel()
    throw Self.cancelled()
  }
}
