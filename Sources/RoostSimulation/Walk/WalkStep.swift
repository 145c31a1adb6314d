// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// One operation of a walk: what is done, and three numbers that say with what.
///
/// The numbers are choices among what is there when the step is taken, so that a step means something whatever was
/// done before: steps can be left out when a failure is made small.
///
/// ```swift
/// let steps = [WalkStep(.insert, 1), WalkStep(.save), WalkStep(.undo)]
/// ```
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
  ///
  /// ```swift
  /// let saves = steps.filter { $0.kind == .save || $0.kind == .policySave }
  /// ```
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A new object, most often with a group.
    case insert
    /// An attribute gets a value.
    case set
    /// A value that no store may hold: the save fails, and nothing is lost.
    case refuse
    /// A relationship to one gets another target, or none.
    case toOne
    /// A relationship to many gets one more member.
    case add
    /// A relationship to many loses a member.
    case remove
    /// A relationship to many gets other members.
    case replace
    /// A member of an ordered relationship gets another position.
    case move
    /// An object is deleted, with what its rules say.
    case delete
    /// The innermost context is saved.
    case save
    /// A save fails half-way: the store and what is unsaved are as before.
    case failedSave
    /// New objects get permanent IDs before they are saved.
    case obtainIDs
    /// All that is unsaved is dropped.
    case rollback
    /// The context forgets all objects.
    case reset
    /// An object becomes a fault, or is read anew below its changes.
    case refresh
    /// All objects are read anew below their changes.
    case refreshAll
    /// Another context writes, and this one reads anew, or saves and may have a conflict.
    case interfere
    /// A child context is opened, and what follows is done in it.
    case openChild
    /// The innermost child is saved or dropped.
    case closeChild
    /// A step is taken, taken back and taken again in a child.
    case undoInChild
    /// What another context wrote is merged.
    case merge
    /// A conflict with another context is left to a merge policy.
    case policySave
    /// Another context deletes a record, and this one merges that.
    case deleteElsewhere
    /// A batch request writes a number into some records.
    case updateInBatch
    /// A batch request deletes a record.
    case deleteInBatch
    /// A condition, an order, a limit and an offset, with what is unsaved.
    case fetch
    /// The same of what is stored.
    case fetchStored
    /// How many records fulfil a condition.
    case count
    /// Sums and their like over what is stored.
    case aggregate
    /// The store is closed and opened again, where it can be.
    case reopen
    /// The store is opened with another version of the model.
    case migrate
    /// Every object of the context is compared with what it should be.
    case compare
    /// The last step is taken back.
    case undo
    /// What was taken back is done again.
    case redo

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
      // Only walks that ask for migrations have some.
      case .migrate: 0
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
///
/// ```swift
/// let failure = WalkRun(harness).failure(of: WalkScript.steps(seed: 7, count: 150))
/// ```
public enum WalkScript {
  /// The largest number in a step.
  static let range = 1 << 16

  /// Makes steps of a seed: the same ones for ever.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: How many steps.
  public static func steps(seed: UInt64, count: Int) -> [WalkStep] {
    steps(seed: seed, count: count, migrations: 0)
  }

  /// Makes steps of a seed, some of which open the store with another version of the model.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: How many steps.
  ///   - migrations: How many of a hundred steps are migrations.
  public static func steps(seed: UInt64, count: Int, migrations: Int) -> [WalkStep] {
    var generator = SplitMix64(seed: seed)
    let kinds = WalkStep.Kind.allCases.flatMap { kind in
      [WalkStep.Kind](repeating: kind, count: kind.weight)
    }
    return (0..<count).map { _ in
      let migrates = migrations > 0 && generator.below(100) < migrations
      let kind = migrates ? .migrate : kinds[generator.below(kinds.count)]
      return WalkStep(
        kind, generator.below(range), generator.below(range), generator.below(range))
    }
  }

  /// Reads steps, one a line.
  public static func steps(text: String) -> [WalkStep] {
    text.split(separator: "\n").compactMap { WalkStep(line: $0) }
  }
}
