// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs alternatives in turn, several rounds, and prints medians and the ratio to the first.
struct Comparison {
  let name: String
  let rounds: Int
  var results: [(String, [Double])] = []

  init(_ name: String, rounds: Int) {
    self.name = name
    self.rounds = rounds
  }

  mutating func run(_ alternatives: [(String, () throws -> Int)]) throws {
    results = alternatives.map { ($0.0, []) }
    var sums = [Int?](repeating: nil, count: alternatives.count)
    for _ in 0..<rounds {
      for (index, alternative) in alternatives.enumerated() {
        let clock = ContinuousClock()
        var sum = 0
        let time = try clock.measure { sum = try alternative.1() }
        precondition(sums[index] ?? sum == sum, "\(alternative.0) gave two answers")
        sums[index] = sum
        results[index].1.append(
          Double(time.components.attoseconds) / 1e15
            + Double(time.components.seconds) * 1e3)
      }
    }
    precondition(Set(sums).count == 1, "The alternatives of \(name) differ: \(sums)")
    report()
  }

  private func report() {
    let base = median(results[0].1)
    print(name)
    for (label, times) in results {
      let middle = median(times)
      print(
        "  \(label.padding(toLength: 34, withPad: " ", startingAt: 0))"
          + String(
            format: "%10.2f ms  %5.2f x   (%.2f ... %.2f)", middle, middle / base,
            times.min() ?? 0, times.max() ?? 0))
    }
  }

  private func median(_ times: [Double]) -> Double {
    times.sorted()[times.count / 2]
  }
}
