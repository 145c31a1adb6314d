// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// One operation of a walk: its kind, and three numbers that choose its operands.
///
/// The numbers choose among the objects that exist when the step runs, so that a step is valid after any others:
/// steps can be left out when a failure is minimised.
///
/// ```swift
/// let steps = [WalkStep(.insert, 1), WalkStep(.save), WalkStep(.undo)]
/// ```
public struct WalkStep: Sendable, Hashable {
  /// The kind of operation.
  public var kind: Kind
  /// Choices.
  public var first: Int
  /// Choices.
  public var second: Int
  /// Choices.
  public var third: Int

  /// A kind of operation.
  ///
  /// ```swift
  /// let saves = steps.filter { $0.kind == .save || $0.kind == .policySave }
  /// ```
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Inserts an object, usually with a group.
    case insert
    /// Sets an attribute.
    case set
    /// Sets a value that no store accepts: the save fails, and nothing is lost.
    case refuse
    /// Sets a to-one relationship, or empties it.
    case toOne
    /// Adds a member to a to-many relationship.
    case add
    /// Removes a member from a to-many relationship.
    case remove
    /// Replaces the members of a to-many relationship.
    case replace
    /// Moves a member of an ordered relationship.
    case move
    /// Deletes an object, with its delete rules.
    case delete
    /// Saves the innermost context.
    case save
    /// Makes a save fail half-way: the store and the unsaved changes stay as they were.
    case failedSave
    /// Obtains permanent IDs for new objects before they are saved.
    case obtainIDs
    /// Discards all unsaved changes.
    case rollback
    /// Resets the context.
    case reset
    /// Refreshes an object: it becomes a fault, or is read again with its changes on top.
    case refresh
    /// Refreshes all objects, with their changes on top.
    case refreshAll
    /// Another context writes; this one refreshes, or saves and may have a conflict.
    case interfere
    /// Opens a child context for the following steps.
    case openChild
    /// Saves or discards the innermost child.
    case closeChild
    /// Takes a step in a child, undoes it and redoes it.
    case undoInChild
    /// Merges the save of another context.
    case merge
    /// Leaves a conflict with another context to a merge policy.
    case policySave
    /// Another context deletes a record, and this one merges the deletion.
    case deleteElsewhere
    /// A batch update writes a number to some records.
    case updateInBatch
    /// A batch deletion removes a record.
    case deleteInBatch
    /// Fetches with a condition, an order, a limit and an offset, including unsaved changes.
    case fetch
    /// The same fetch of stored data only.
    case fetchStored
    /// Counts the records that match a condition.
    case count
    /// Computes aggregates over stored data.
    case aggregate
    /// Closes the store and opens it again, where it can be.
    case reopen
    /// Opens the store with another version of the model.
    case migrate
    /// Compares every object of the context with its expected state.
    case compare
    /// Undoes the last step.
    case undo
    /// Redoes the last undone step.
    case redo

    /// The relative frequency of the operation.
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

  /// Makes reproducible steps from a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: The number of steps.
  public static func steps(seed: UInt64, count: Int) -> [WalkStep] {
    steps(seed: seed, count: count, migrations: 0)
  }

  /// Makes steps from a seed, some of which open the store with another version of the model.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: The number of steps.
  ///   - migrations: The percentage of migrations.
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
