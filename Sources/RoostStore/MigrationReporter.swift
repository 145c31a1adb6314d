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
  }

  private let state: Mutex<State>
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
    state = Mutex(State(stepCount: stepCount))
    self.receive = receive
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
      $0.stepCount = max($0.stepCount, $0.step)
      $0.title = title
      $0.completed = 0
      $0.total = records
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
      return MigrationProgress(
        step: state.step, stepCount: state.stepCount, title: state.title,
        completed: state.completed, total: state.total)
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
