// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// What one FROM clause brings into reach: the records of one entity, and what their to-one relationships lead to.
struct SQLScope {
  /// Whose records are judged.
  let entity: SQLEntity
  /// The name that they have in the statement.
  let alias: String
  /// What is joined for paths; each prefix of a path once.
  private(set) var joins: [Join] = []
  private var entities: [[ObjectIdentifier]: (alias: String, entity: SQLEntity)] = [:]

  struct Join {
    let text: String
  }

  init(entity: SQLEntity, alias: String) {
    self.entity = entity
    self.alias = alias
  }

  /// What a chain of to-one relationships leads to, when it is joined already.
  func joined(_ relationships: ArraySlice<RelationshipDescription>) -> (
    alias: String, entity: SQLEntity
  )? {
    relationships.isEmpty ? (alias, entity) : entities[relationships.map(ObjectIdentifier.init)]
  }

  /// Adds what the last of a chain of to-one relationships leads to.
  mutating func join(
    _ relationships: ArraySlice<RelationshipDescription>, to entity: SQLEntity, alias: String,
    text: String
  ) {
    entities[relationships.map(ObjectIdentifier.init)] = (alias, entity)
    joins.append(Join(text: text))
  }

  /// The joins as they stand after the first table.
  var joinText: String {
    joins.map(\.text).joined()
  }
}
