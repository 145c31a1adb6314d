// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// A step of an expansion, which can be repeated.
package struct ExpansionStep {
  package let title: String
  package let kind: MigrationPlan.Kind
  /// Who waits for it.
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
    /// Values of old records, in many short transactions.
    case fill(Fill)
    /// An index, which is made while others write.
    case index(Index)
  }

  /// A statement whose two parameters are a key before the first one and the last key that are written.
  package struct Fill {
    package let text: String
    /// The table as it stands in a statement.
    package let table: String
    /// A statement with the same parameters that comes before, and locks what is written.
    package var lock: String?
  }

  /// A query for the keys of records that stand in the way.
  package struct Check {
    package let query: String
    /// What is wrong with them.
    package let text: String
    package let entity: String
    package let key: String
  }

  /// An index that is made while others write.
  package struct Index {
    package let name: String
    /// What it enforces; nil where it only makes requests faster.
    package let constraint: SQLConstraint?
    package let table: SQLTable
    package let statement: String
  }

  /// The step in a plan.
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
