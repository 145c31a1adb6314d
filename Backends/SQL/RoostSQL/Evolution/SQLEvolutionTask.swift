// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// A step of an evolution: what it is called, how many records it concerns, and what is done.
package struct SQLEvolutionTask {
  package let title: String
  package let kind: MigrationPlan.Kind
  /// The records that it concerns.
  var extent = Extent.none
  /// What is done, in order.
  var actions: [Action] = []
  /// What is written down instead when the task is left for later; nil when it cannot be left.
  let later: [DeferredStep]?

  init(
    _ title: String, kind: MigrationPlan.Kind, extent: Extent = .none, actions: [Action] = [],
    later: [DeferredStep]? = nil
  ) {
    self.title = title
    self.kind = kind
    self.extent = extent
    self.actions = actions
    self.later = later
  }

  /// Which records a task concerns, so that they can be counted. Tables are written as in a statement.
  enum Extent {
    case none
    /// The records of entities.
    case records(table: String, codes: [Int])
    /// The records of entities that have a value in a column.
    case values(table: String, codes: [Int], column: String)
    /// The records of entities that have none.
    case nulls(table: String, codes: [Int], column: String)
    /// All rows of a table of links.
    case links(table: String)
  }

  enum Action {
    /// A statement that changes definitions.
    case define(String)
    /// A statement that removes a table or a column, and the one that is run instead where others' objects need that.
    case remove(String, otherwise: String?)
    /// A statement that writes records of some keys, again and again for all.
    case write(RangedStatement)
    /// A statement that writes all at once.
    case writeAll(String)
    /// Refuses the change when there are records of entities that must have none.
    case refuseRecords(table: String, codes: [Int], entity: String)
    /// Refuses the change when a query finds keys: of records that several others claim.
    case refuseClaims(query: String, entity: String, key: String)
    /// Makes texts be URIs, and refuses those that are none.
    case convertToURIs(TextColumn)
    /// Refuses the change when records share values.
    case refuseDuplicates(SQLConstraint, table: SQLTable)
    /// Computes derived attributes of all records of an entity.
    case derive(SQLEntity, [RowSlot])
  }

  /// A statement whose first two parameters are a key before the first one and the last key that are written.
  struct RangedStatement {
    let text: String
    /// What is bound after the two keys.
    var values: [SQLValue] = []
    /// The table whose keys are passed, and the column that has them.
    let table: String
    let column: String
  }

  /// A column of texts of the records of some entities.
  struct TextColumn {
    let table: String
    let column: String
    let codes: [Int]
    let entity: String
    let key: String
  }

  /// Whether it writes as much as there are records, and not definitions alone.
  package var writes: Bool {
    kind == .index || kind.writesRecords
  }

  /// The statements, as a plan shows them.
  package var statements: [String] {
    actions.compactMap { action in
      switch action {
      case .define(let text), .remove(let text, _), .writeAll(let text): text
      case .write(let statement): statement.text
      case .refuseRecords, .refuseClaims, .convertToURIs, .refuseDuplicates, .derive: nil
      }
    }
  }
}
