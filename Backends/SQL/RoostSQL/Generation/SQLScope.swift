// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The tables of one FROM clause: the records of one entity, and the joined destinations of their to-one
/// relationships.
struct SQLScope {
  /// The entity of the scope's records.
  let entity: SQLEntity
  /// The alias of their table in the statement.
  let alias: String
  /// The number of tables before the joins: the steps to the members of a relationship have several.
  private let firstTables: Int
  /// The joins of paths; each prefix of a path once.
  private(set) var joins: [Join] = []
  private var entities: [[ObjectIdentifier]: (alias: String, entity: SQLEntity)] = [:]

  struct Join {
    let text: String
  }

  init(entity: SQLEntity, alias: String, tables: Int = 1) {
    self.entity = entity
    self.alias = alias
    firstTables = tables
  }

  /// The number of tables.
  var tableCount: Int { firstTables + joins.count }

  /// Returns the destination of a chain of to-one relationships, if it is joined already.
  func joined(_ relationships: ArraySlice<RelationshipDescription>) -> (
    alias: String, entity: SQLEntity
  )? {
    relationships.isEmpty ? (alias, entity) : entities[relationships.map(ObjectIdentifier.init)]
  }

  /// Adds the destination of a chain of to-one relationships.
  mutating func join(
    _ relationships: ArraySlice<RelationshipDescription>, to entity: SQLEntity, alias: String,
    text: String
  ) {
    entities[relationships.map(ObjectIdentifier.init)] = (alias, entity)
    joins.append(Join(text: text))
  }

  /// The joins, as they follow the first table.
  var joinText: String {
    joins.map(\.text).joined()
  }
}
