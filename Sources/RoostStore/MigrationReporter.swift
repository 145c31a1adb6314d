// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// Reports the progress of a migration, and cancels it when the receiver throws.
///
/// ```swift
/// reporter.begin("fill Person.score", records: 96_004)
/// try reporter.advance(by: 1_000)
/// ```
public final class MigrationReporter: Sendable {
  private struct State {
    var step = 0
    var stepCount: Int
    var title = ""
    var completed: Int64 = 0
    var total: Int64 = 0
    /// The current part of the migration, the number of parts, and the steps of the current part.
    var part = 0
    var partCount = 1
    var stepsBefore = 0
    var partStepCount: Int

    /// The progress of the migration, from 0 to 1. All parts have equal weight, and so have the steps of a part.
    var fraction: Double {
      let inStep = total > 0 ? min(1, Double(completed) / Double(total)) : 0
      let steps = Double(max(partStepCount, 1))
      let inPart = min(1, max(0, Double(step - stepsBefore - 1) + inStep) / steps)
      return (Double(part) + inPart) / Double(partCount)
    }

    /// Updates the number of known steps.
    mutating func countSteps() {
      partStepCount = max(partStepCount, step - stepsBefore)
      stepCount = max(stepCount, stepsBefore + partStepCount + partCount - part - 1)
    }
  }

  private let state: Mutex<State>
  /// The number of records per step, for steps that begin without one.
  private let records: [Int]
  /// Interrupts blocking calls when the migration is cancelled.
  package let cancellation: RequestCancellation?
  private let receive: @Sendable (MigrationProgress) throws -> Void

  /// Makes a reporter.
  ///
  /// - Parameters:
  ///   - stepCount: The number of steps known in advance; further steps are counted as they begin.
  ///   - receive: Called with each report, on the migration's thread. An error that it throws cancels the migration,
  ///     and nothing is written.
  public init(
    stepCount: Int = 0, receive: @escaping @Sendable (MigrationProgress) throws -> Void = { _ in }
  ) {
    state = Mutex(State(stepCount: stepCount, partStepCount: stepCount))
    records = []
    cancellation = nil
    self.receive = receive
  }

  /// Makes a reporter for steps that are known in advance.
  ///
  /// - Parameters:
  ///   - records: The number of records per step, for steps that begin without one.
  ///   - cancellation: Interrupts blocking calls when the migration is cancelled.
  package init(
    stepCount: Int, records: [Int], cancellation: RequestCancellation?,
    receive: @escaping @Sendable (MigrationProgress) throws -> Void
  ) {
    state = Mutex(State(stepCount: stepCount, partStepCount: stepCount))
    self.records = records
    self.cancellation = cancellation
    self.receive = receive
  }

  /// Begins a part of the migration. All parts have equal weight in the progress, whatever their number of steps.
  ///
  /// - Parameters:
  ///   - part: The number of the part, from 0.
  ///   - count: The number of parts.
  ///   - steps: The number of steps of the part, as far as it is known.
  package func beginPart(_ part: Int, of count: Int, steps: Int = 1) {
    state.withLock { state in
      state.part = part
      state.partCount = max(count, part + 1)
      state.stepsBefore = state.step
      state.partStepCount = steps
      state.countSteps()
    }
  }

  /// Forwards a report of another migration, which runs as the current part of this one.
  ///
  /// - Throws: An error that the receiver throws, such as `migrationCancelled`.
  package func forward(_ report: MigrationProgress) throws {
    try tell {
      $0.step = $0.stepsBefore + report.step
      $0.partStepCount = max($0.partStepCount, report.stepCount)
      $0.countSteps()
      $0.title = report.title
      $0.completed = report.completed
      $0.total = report.total
    }
  }

  /// Begins the next step.
  ///
  /// - Parameters:
  ///   - title: The title of the step, as in the plan.
  ///   - records: The number of records that the step processes, as far as it is known.
  /// - Throws: An error that the receiver throws, such as `migrationCancelled`.
  public func begin(_ title: String, records: Int64 = 0) throws {
    try tell {
      $0.step += 1
      $0.countSteps()
      $0.title = title
      $0.completed = 0
      let known = self.records.indices.contains($0.step - 1) ? self.records[$0.step - 1] : 0
      $0.total = records > 0 ? records : Int64(known)
    }
  }

  /// Reports further processed records.
  ///
  /// - Parameter records: The number of records since the last report.
  /// - Throws: An error that the receiver throws, such as `migrationCancelled`.
  public func advance(by records: Int64) throws {
    try tell {
      $0.completed += records
      $0.total = max($0.total, $0.completed)
    }
  }

  private func tell(_ change: (inout State) -> Void) throws {
    let progress = state.withLock { state in
      change(&state)
      var progress = MigrationProgress(
        step: state.step, stepCount: state.stepCount, title: state.title,
        completed: state.completed, total: state.total)
      progress.fraction = state.fraction
      return progress
    }
    try receive(progress)
  }
}

/// A progress report of a migration.
///
/// ```swift
/// print("\(progress.step) of \(progress.stepCount): \(progress.title), \(progress.completed) of \(progress.total)")
/// ```
public struct MigrationProgress: Sendable, Hashable {
  /// The number of the step, from 1.
  public let step: Int
  /// How many steps there are.
  public let stepCount: Int
  /// The title of the step.
  public let title: String
  /// How many records of the step are done.
  public let completed: Int64
  /// The number of records that the step processes; 0 when its cost does not depend on them.
  public let total: Int64
  /// The remaining seconds of the step, estimated from its speed so far; nil until there is an estimate.
  public package(set) var secondsLeft: Double?
  /// The progress of the whole migration, from 0 to 1.
  package var fraction = 0.0

  /// Makes a report.
  ///
  /// - Parameters:
  ///   - step: The number of the step, from 1.
  ///   - stepCount: How many steps there are.
  ///   - title: The title of the step.
  ///   - completed: How many records of the step are done.
  ///   - total: How many records the step concerns.
  ///   - secondsLeft: The remaining seconds of the step; nil until there is an estimate.
  public init(
    step: Int, stepCount: Int, title: String, completed: Int64, total: Int64,
    secondsLeft: Double? = nil
  ) {
    self.step = step
    self.stepCount = stepCount
    self.title = title
    self.completed = completed
    self.total = total
    self.secondsLeft = secondsLeft
  }
}
