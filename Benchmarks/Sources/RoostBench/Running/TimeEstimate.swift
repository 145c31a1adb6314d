// SPDX-License-Identifier: Apache-2.0

/// Estimates the remaining time of a run: steps that ran before take the same time again, the others their expected
/// time, multiplied by the ratio of measured to expected times so far.
struct TimeEstimate {
  private let expected: (Step) -> Double
  private var known: [Step.Cost: Double] = [:]
  private var measuredSum = 0.0
  private var expectedSum = 0.0

  /// - Parameter expected: The seconds that a step is expected to take, roughly.
  init(expected: @escaping (Step) -> Double) {
    self.expected = expected
  }

  /// Records the time of a step.
  mutating func finish(_ step: Step, seconds: Double) {
    known[step.cost] = seconds
    measuredSum += seconds
    expectedSum += expected(step)
  }

  /// Returns the estimated seconds of steps; nil before the first measurement.
  func seconds(for steps: some Sequence<Step>) -> Double? {
    guard expectedSum > 0 else { return nil }
    let factor = measuredSum / expectedSum
    return steps.reduce(0) { $0 + (known[$1.cost] ?? expected($1) * factor) }
  }
}
