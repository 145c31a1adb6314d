// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// A step of an evolution: its title, the records that it affects, and its actions.
package struct SQLEvolutionTask {
  package let title: String
  package let kind: MigrationPlan.Kind
  /// The affected records.
  var extent = Extent.none
  /// The actions, in order.
  var actions: [Action] = []
  /// The deferred steps to record when the task is deferred; nil when it cannot be.
  let later: [DeferredStep]?
  /// Whether the task writes only tables, columns and indexes that no program of the old version reads, so that it can
  /// be committed before the version changes.
  let isHidden: Bool
  /// The identifier of the index that the task builds, if programs of the old version need not know of it.
  let index: String?

  init(
    _ title: String, kind: MigrationPlan.Kind, extent: Extent = .none, actions: [Action] = [],
    later: [DeferredStep]? = nil, isHidden: Bool = false,
    index: String? = nil
  ) {
    self.title = title
    self.kind = kind
    self.extent = extent
    self.actions = actions
    self.later = later
    self.isHidden = isHidden || index != nil
    self.index = index
  }

  /// The records that a task affects, so that they can be counted. Tables are written as statements name them.
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
    /// A statement that removes a table or a column, and the alternative for when objects of other programs depend on
    /// it.
    case remove(String, otherwise: String?)
    /// A statement that writes records of a key range, and is repeated for all ranges.
    case write(RangedStatement)
    /// A statement that writes everything at once.
    case writeAll(String)
    /// Refuses the change when there are records of entities that must have none.
    case refuseRecords(table: String, codes: [Int], entity: String)
    /// Refuses the change when a query finds keys: of records to which several moves bring different destinations.
    case refuseClaims(query: String, entity: String, key: String)
    /// Refuses the change when a query finds keys: of records with links into other stores that cannot be migrated.
    case refuseLinks(query: String, place: RelationMove.Place)
    /// Converts texts to URIs, and refuses texts that are not URIs.
    case convertToURIs(TextColumn)
    /// Refuses the change when records have the same values.
    case refuseDuplicates(SQLConstraint, table: SQLTable)
    /// Computes derived attributes of all records of an entity.
    case derive(SQLEntity, [RowSlot])
  }

  /// A statement whose first two parameters are a key range: the key before the first one, and the last one.
  struct RangedStatement {
    let text: String
    /// The values of the parameters after the two keys.
    var values: [SQLValue] = []
    /// The table whose keys are iterated, and the column of the keys.
    let table: String
    let column: String
  }

  /// A text column of the records of some entities.
  struct TextColumn {
    let table: String
    let column: String
    let codes: [Int]
    let entity: String
    let key: String
  }

  /// Whether its cost depends on the number of records, because it does not only change definitions.
  package var writes: Bool {
    kind == .index || kind.writesRecords
  }

  /// The statements, as a plan shows them.
  package var statements: [String] {
    actions.compactMap { action in
      switch action {
      case .define(let text), .remove(let text, _), .writeAll(let text): text
      case .write(let statement): statement.text
      case .refuseRecords, .refuseClaims, .refuseLinks, .convertToURIs, .refuseDuplicates, .derive:
        nil
      }
    }
  }
}
