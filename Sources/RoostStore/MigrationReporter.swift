// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// What a migration tells of its progress, and how it is cancelled.
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
    /// The part of the migration that is under way, of how many, and its steps.
    var part = 0
    var partCount = 1
    var stepsBefore = 0
    var partStepCount: Int

    /// How much of the migration is done, from 0 to 1: each part is the same share of it, and each step of a part.
    var fraction: Double {
      let inStep = total > 0 ? min(1, Double(completed) / Double(total)) : 0
      let steps = Double(max(partStepCount, 1))
      let inPart = min(1, max(0, Double(step - stepsBefore - 1) + inStep) / steps)
      return (Double(part) + inPart) / Double(partCount)
    }

    /// Counts the steps that are known by now.
    mutating func countSteps() {
      partStepCount = max(partStepCount, step - stepsBefore)
      stepCount = max(stepCount, stepsBefore + partStepCount + partCount - part - 1)
    }
  }

  private let state: Mutex<State>
  /// How many records steps concern that do not say it themselves.
  private let records: [Int]
  /// Ends what the migration waits for when it is cancelled.
  package let cancellation: RequestCancellation?
  private let receive: @Sendable (MigrationProgress) throws -> Void

  /// Makes a reporter.
  ///
  /// - Parameters:
  ///   - stepCount: How many steps there are; more are counted when they begin.
  ///   - receive: Called with each report, on the thread of the migration. What it throws ends the migration: nothing
  ///     is written then.
  public init(
    stepCount: Int = 0, receive: @escaping @Sendable (MigrationProgress) throws -> Void = { _ in }
  ) {
    state = Mutex(State(stepCount: stepCount, partStepCount: stepCount))
    records = []
    cancellation = nil
    self.receive = receive
  }

  /// Makes a reporter of steps that are known.
  ///
  /// - Parameters:
  ///   - records: How many records each step concerns, for those that do not say it when they begin.
  ///   - cancellation: Ends what the migration waits for when it is cancelled.
  package init(
    stepCount: Int, records: [Int], cancellation: RequestCancellation?,
    receive: @escaping @Sendable (MigrationProgress) throws -> Void
  ) {
    state = Mutex(State(stepCount: stepCount, partStepCount: stepCount))
    self.records = records
    self.cancellation = cancellation
    self.receive = receive
  }

  /// Begins a part of the migration: what follows is a share of the whole, whatever steps it has.
  ///
  /// - Parameters:
  ///   - part: The number of the part, from 0.
  ///   - count: How many parts there are.
  ///   - steps: How many steps the part has, as far as it is known.
  package func beginPart(_ part: Int, of count: Int, steps: Int = 1) {
    state.withLock { state in
      state.part = part
      state.partCount = max(count, part + 1)
      state.stepsBefore = state.step
      state.partStepCount = steps
      state.countSteps()
    }
  }

  /// Tells what another migration reports, which is the part that is under way.
  ///
  /// - Throws: What the receiver throws, as `migrationCancelled`.
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
  ///   - title: What is done, as a plan has it.
  ///   - records: How many records the step concerns, as far as it is known.
  /// - Throws: What the receiver throws, as `migrationCancelled`.
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

  /// Tells that more records are done.
  ///
  /// - Parameter records: How many since the last report.
  /// - Throws: What the receiver throws, as `migrationCancelled`.
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

/// How far a migration is.
///
/// ```swift
/// print("\(progress.step) of \(progress.stepCount): \(progress.title), \(progress.completed) of \(progress.total)")
/// ```
public struct MigrationProgress: Sendable, Hashable {
  /// The number of the step, from 1.
  public let step: Int
  /// How many steps there are.
  public let stepCount: Int
  /// What the step does.
  public let title: String
  /// How many records of the step are done.
  public let completed: Int64
  /// How many records the step concerns; 0 when it does not depend on them.
  public let total: Int64
  /// How many seconds the step still needs, estimated from its speed so far; nil when there is no telling yet.
  public package(set) var secondsLeft: Double?
  /// How much of the whole migration is done, from 0 to 1.
  package var fraction = 0.0

  /// Makes a report.
  ///
  /// - Parameters:
  ///   - step: The number of the step, from 1.
  ///   - stepCount: How many steps there are.
  ///   - title: What the step does.
  ///   - completed: How many records of the step are done.
  ///   - total: How many records the step concerns.
  ///   - secondsLeft: How many seconds the step still needs; nil when there is no telling yet.
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
