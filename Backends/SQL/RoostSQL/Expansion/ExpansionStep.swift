// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// A step of an expansion, which can be repeated.
package struct ExpansionStep {
  package let title: String
  package let kind: MigrationPlan.Kind
  /// The lock that it takes, which tells who waits for it.
  package let lock: MigrationPlan.Lock
  package let action: Action
  /// Checks that run before the first write, and again under the lock that keeps other writers out.
  package var checks: [Check] = []

  init(
    _ title: String, _ kind: MigrationPlan.Kind, _ lock: MigrationPlan.Lock, _ action: Action
  ) {
    self.title = title
    self.kind = kind
    self.lock = lock
    self.action = action
  }

  package enum Action {
    /// Definitions, in one short transaction.
    case define([String])
    /// Values of existing records, in many short transactions.
    case fill(Fill)
    /// An index, which is built while others write.
    case index(Index)
  }

  /// A statement whose two parameters are a key range: the key before the first one, and the last one.
  package struct Fill {
    package let text: String
    /// The table, as statements name it.
    package let table: String
    /// A statement with the same parameters that runs first, and locks the records to write.
    package var lock: String?
  }

  /// A query for the keys of records that prevent the step.
  package struct Check {
    package let query: String
    /// The reason, for the error's message.
    package let text: String
    package let entity: String
    package let key: String
  }

  /// An index that is built while others write.
  package struct Index {
    package let name: String
    /// The constraint that it enforces; nil for an index that only makes requests faster.
    package let constraint: SQLConstraint?
    package let table: SQLTable
    package let statement: String
  }

  /// Returns the step as part of a plan.
  package func planned(rows: Int) -> MigrationPlan.Step {
    let statements =
      switch action {
      case .define(let statements): statements
      case .fill(let fill): [fill.text]
      case .index(let index): [index.statement]
      }
    var step = MigrationPlan.Step(title, kind: kind, rows: rows, statements: statements)
    step.lock = lock
    return step
  }
}
