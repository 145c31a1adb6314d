// SPDX-License-Identifier: Apache-2.0

/// One operation of a walk: what is done, and three numbers that say with what.
///
/// The numbers are choices among what is there when the step is taken, so that a step means something whatever was
/// done before: steps can be left out when a failure is made small.
public struct WalkStep: Sendable, Hashable {
  /// What is done.
  public var kind: Kind
  /// Choices.
  public var first: Int
  /// Choices.
  public var second: Int
  /// Choices.
  public var third: Int

  /// What can be done.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case insert, set, refuse, toOne, add, remove, replace, move, delete
    case save, failedSave, obtainIDs, rollback, reset, refresh, refreshAll, interfere
    case openChild, closeChild, undoInChild, merge, policySave
    case deleteElsewhere, updateInBatch, deleteInBatch
    case fetch, fetchStored, count, aggregate, reopen, compare, undo, redo

    /// How often it is done, compared with the others.
    var weight: Int {
      switch self {
      case .insert, .set: 15
      case .fetch: 14
      case .save: 10
      case .toOne: 12
      case .add: 8
      case .delete, .fetchStored: 6
      case .count, .undo, .policySave: 5
      case .openChild, .updateInBatch: 2
      case .merge, .closeChild: 3
      case .remove, .replace, .refresh, .compare: 4
      case .rollback, .move, .redo, .interfere: 3
      case .aggregate, .reset: 2
      case .undoInChild: 4
      case .deleteElsewhere, .deleteInBatch: 1
      case .refuse, .failedSave, .obtainIDs, .refreshAll, .reopen: 1
      }
    }
  }

  /// Makes a step.
  public init(_ kind: Kind, _ first: Int = 0, _ second: Int = 0, _ third: Int = 0) {
    self.kind = kind
    self.first = first
    self.second = second
    self.third = third
  }
}

extension WalkStep: CustomStringConvertible {
  /// The step in a line, as ``init(line:)`` reads it: `set 3 1 4`.
  public var description: String { "\(kind.rawValue) \(first) \(second) \(third)" }

  /// Reads a step; nil when the line is none.
  public init?(line: some StringProtocol) {
    let words = line.split(separator: " ")
    guard words.count == 4, let kind = Kind(rawValue: String(words[0])), let first = Int(words[1]),
      let second = Int(words[2]), let third = Int(words[3])
    else { return nil }
    self.init(kind, first, second, third)
  }
}

/// The steps of a walk.
public enum WalkScript {
  /// The largest number in a step.
  static let range = 1 << 16

  /// Makes steps of a seed: the same ones for ever.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: How many steps.
  public static func steps(seed: UInt64, count: Int) -> [WalkStep] {
    var generator = SplitMix64(seed: seed)
    let kinds = WalkStep.Kind.allCases.flatMap { kind in
      [WalkStep.Kind](repeating: kind, count: kind.weight)
    }
    return (0..<count).map { _ in
      let kind = kinds[generator.below(kinds.count)]
      return WalkStep(
        kind, generator.below(range), generator.below(range), generator.below(range))
    }
  }

  /// Reads steps, one a line.
  public static func steps(text: String) -> [WalkStep] {
    text.split(separator: "\n").compactMap { WalkStep(line: $0) }
  }
}
