// SPDX-License-Identifier: Apache-2.0

/// How long the rest of a run takes: steps that ran before take as long again, the others as long as expected, times
/// what the expectations were off so far.
struct TimeEstimate {
  private let expected: (Step) -> Double
  private var known: [Step.Cost: Double] = [:]
  private var measuredSum = 0.0
  private var expectedSum = 0.0

  /// - Parameter expected: The seconds that a step is expected to take, roughly.
  init(expected: @escaping (Step) -> Double) {
    self.expected = expected
  }

  /// Learns how long a step took.
  mutating func finish(_ step: Step, seconds: Double) {
    known[step.cost] = seconds
    measuredSum += seconds
    expectedSum += expected(step)
  }

  /// The seconds that steps will take; nil as long as nothing was measured.
  func seconds(for steps: some Sequence<Step>) -> Double? {
    guard expectedSum > 0 else { return nil }
    let factor = measuredSum / expectedSum
    return steps.reduce(0) { $0 + (known[$1.cost] ?? expected($1) * factor) }
  }
}
