// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit

/// A failed walk: its steps, and the difference that was found.
///
/// ```swift
/// let again = WalkRun(harness).failure(of: failure.steps)
/// ```
public struct WalkFailure: Error, Sendable, CustomStringConvertible {
  /// The steps up to and including the one that failed.
  public let steps: [WalkStep]
  /// The difference that was found.
  public let message: String

  /// The message, and the steps that lead to the failure.
  public var description: String {
    "\(message)\nafter \(steps.count) steps:\n"
      + steps.map(\.description).joined(separator: "\n")
  }
}

/// Random operations on a store, compared with a model of plain values after each one.
///
/// ```swift
/// if let failure = WalkRun(harness).failure(of: WalkScript.steps(seed: 7, count: 150)) {
///   print(WalkRun(harness).shrunk(failure))
/// }
/// ```
public struct WalkRun: Sendable {
  /// The store under test.
  public let harness: any ConformanceHarness
  /// The mode, which decides what follows each walk.
  public let mode: ConformanceMode
  /// Whether records lie in two stores, and relationships lead from one into the other.
  public let isAcrossStores: Bool
  /// Where records lie.
  let layout: WalkLayout

  /// Prepares walks on a store.
  ///
  /// - Parameters:
  ///   - harness: The store under test.
  ///   - mode: The mode, which decides what follows each walk.
  ///   - isAcrossStores: Whether records lie in two stores, and every relationship leads from one into the other.
  ///     Saves that fail half-way are ended when the stores are opened again.
  public init(
    _ harness: any ConformanceHarness, mode: ConformanceMode = .plain, isAcrossStores: Bool = false
  ) {
    self.init(harness, mode: mode, layout: isAcrossStores ? .mixed : .together)
  }

  /// Prepares walks on stores.
  package init(
    _ harness: any ConformanceHarness, mode: ConformanceMode = .plain, layout: WalkLayout
  ) {
    self.harness = harness
    self.mode = mode
    self.layout = layout
    isAcrossStores = layout.isAcrossStores
  }

  /// Runs a walk, and returns its failure; nil when there is none.
  ///
  /// - Parameter steps: The steps.
  public func failure(of steps: [WalkStep]) -> WalkFailure? {
    let stage = ConformanceStage(harness: harness, mode: mode)
    defer { stage.clear() }
    var taken = 0
    do {
      let walker = try Walker(stage: stage, layout: layout)
      for step in steps {
        taken += 1
        try walker.take(step)
      }
      try walker.finish()
      try stage.finish()
    } catch {
      return WalkFailure(steps: Array(steps.prefix(taken)), message: "\(error)")
    }
    return nil
  }

  /// Returns a failure with as few steps and as small numbers as can be found.
  ///
  /// - Parameters:
  ///   - failure: A failure.
  ///   - attempts: How many walks may be tried.
  public func shrunk(_ failure: WalkFailure, attempts: Int = 2000) -> WalkFailure {
    var shrinker = WalkShrinker(run: self, best: failure, attemptsLeft: attempts)
    shrinker.shrink()
    return shrinker.best
  }
}

/// Makes a failing walk small: leaves out ever smaller parts (ddmin), then makes numbers small.
struct WalkShrinker {
  let run: WalkRun
  private(set) var best: WalkFailure
  private(set) var attemptsLeft: Int

  init(run: WalkRun, best: WalkFailure, attemptsLeft: Int) {
    self.run = run
    self.best = best
    self.attemptsLeft = attemptsLeft
  }

  mutating func shrink() {
    var size = max(1, best.steps.count / 2)
    while attemptsLeft > 0 {
      let before = best.steps.count
      leaveOut(parts: size)
      if size > 1 {
        size /= 2
      } else if best.steps.count == before {
        break
      }
    }
    shrinkNumbers()
  }

  /// Leaves out each part of the given size without which the walk still fails.
  private mutating func leaveOut(parts size: Int) {
    var start = 0
    while start < best.steps.count, attemptsLeft > 0 {
      var steps = best.steps
      steps.removeSubrange(start..<min(start + size, steps.count))
      if !improves(steps) { start += size }
    }
  }

  private mutating func shrinkNumbers() {
    for index in best.steps.indices {
      for path in [\WalkStep.first, \WalkStep.second, \WalkStep.third] {
        for candidate in [0, 1, 2, 3, 4, 5] {
          guard index < best.steps.count, best.steps[index][keyPath: path] > candidate else {
            break
          }
          var steps = best.steps
          steps[index][keyPath: path] = candidate
          if improves(steps) { break }
        }
      }
    }
  }

  private mutating func improves(_ steps: [WalkStep]) -> Bool {
    guard attemptsLeft > 0 else { return false }
    attemptsLeft -= 1
    guard let failure = run.failure(of: steps) else { return false }
    best = failure
    return true
  }
}
