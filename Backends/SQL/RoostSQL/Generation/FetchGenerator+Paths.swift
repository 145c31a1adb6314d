// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Key paths: to-one steps are joins that all paths share; to-many steps are subqueries of their own.
extension FetchGenerator {
  /// Returns the scope in which a path begins.
  func scopeIndex(_ root: ResolvedPath.Root) throws -> Int {
    switch root {
    case .object: return 0
    case .variable(let number):
      guard let index = scopeByVariable[number] else {
        throw LeftToMemory("a variable that no subquery binds")
      }
      return index
    }
  }

  /// Returns the operand at the end of a path without to-many steps.
  mutating func operand(_ path: ResolvedPath) throws -> SQLOperand {
    guard !path.isToMany else { throw LeftToMemory("a to-many key path without ANY or ALL") }
    let operand = try operand(path, in: scopeIndex(path.root), from: 0)
    // A group has one value of each grouping term, and of no other expression.
    if let groups, !groups.contains(operand.text) {
      throw LeftToMemory("a column that is neither grouped nor aggregated")
    }
    return operand
  }

  /// Returns the operand at the end of a path whose first steps have led to a scope already.
  mutating func operand(
    _ path: ResolvedPath, in scope: Int, from first: Int
  ) throws -> SQLOperand {
    let steps = path.relationships[first...]
    switch path.end {
    case .attribute(let attribute, let slot):
      let place = try join(steps, in: scope)
      // Records of other entities have null in a subentity's columns.
      let owner = path.endGuard.flatMap(schema.entity) ?? place.entity
      guard owner.table === place.entity.table, let column = owner.column(slot) else {
        throw LeftToMemory("the property '\(attribute.name)', which is not stored")
      }
      var operand = columnOperand(column, place)
      operand.isWide = attribute.type == .integer64
      return operand
    case .elements(let attribute, _):
      throw LeftToMemory("the elements of '\(attribute.name)'")
    case .object:
      return try objectOperand(steps, in: scope)
    case .entity:
      let place = try join(steps, in: scope)
      return SQLOperand(
        text: SQLEntityFilter.expression(dialect, alias: place.alias), kind: .entity,
        canBeNull: !steps.isEmpty)
    }
  }

  private func columnOperand(_ column: SQLColumn, _ place: SQLPlace) -> SQLOperand {
    // A partial index serves only requests for exactly its records.
    let isIndexed = place.entity.table.indexes.contains {
      $0.columns.first == column.name && $0.condition == nil
    }
    return SQLOperand(
      text: place.alias + "." + dialect.quoted(column.name), kind: .slot(column.kind),
      isIndexed: isIndexed && place.alias == scopes[0].alias, words: words(of: column, place))
  }

  private func words(of column: SQLColumn, _ place: SQLPlace) -> SQLWordAccess? {
    guard !schema.wordIndexes.isEmpty, column.kind == .string,
      let words = place.entity.table.wordColumns.first(where: { $0.column == column.name }),
      let index = schema.wordIndexes[words]
    else { return nil }
    return SQLWordAccess(index: index, alias: place.alias)
  }

  /// Returns the key of the object at the end of a chain of to-one steps: the last step needs no join.
  private mutating func objectOperand(
    _ steps: ArraySlice<RelationshipDescription>, in scope: Int
  ) throws -> SQLOperand {
    guard let last = steps.last else {
      let key = scopes[scope].alias + "." + dialect.quoted(SQLTable.key)
      return SQLOperand(text: key, kind: .slot(.reference), canBeNull: false, isIndexed: scope == 0)
    }
    let place = try join(steps.dropLast(), in: scope)
    return columnOperand(try column(of: last, at: place), place)
  }

  /// Returns the column of a to-one relationship, which may be a subentity's.
  func column(of relationship: RelationshipDescription, at place: SQLPlace) throws -> SQLColumn {
    let owner = relationship.entity.flatMap(schema.entity) ?? place.entity
    guard case .toOne(let slot) = relationship.storage, owner.table === place.entity.table,
      let column = owner.column(slot)
    else { throw LeftToMemory("the relationship '\(relationship.name)', which is not stored") }
    return column
  }

  /// Joins the tables of a chain of to-one steps, as far as they are not joined yet, and returns the last one.
  mutating func join(
    _ steps: ArraySlice<RelationshipDescription>, in scope: Int
  ) throws -> SQLPlace {
    var index = steps.startIndex
    while true {
      let prefix = steps[steps.startIndex..<index]
      guard let place = scopes[scope].joined(prefix) else {
        preconditionFailure("A prefix of a chain is joined before the chain.")
      }
      guard index < steps.endIndex else { return place }
      let chain = steps[steps.startIndex...index]
      if scopes[scope].joined(chain) == nil {
        try addJoin(steps[index], after: place, chain: chain, in: scope)
      }
      index += 1
    }
  }

  private mutating func addJoin(
    _ relationship: RelationshipDescription, after place: SQLPlace,
    chain: ArraySlice<RelationshipDescription>, in scope: Int
  ) throws {
    try requireTables(scopes[scope].tableCount + 1)
    let column = try column(of: relationship, at: place)
    let destination = try destination(of: relationship)
    let alias = makeAlias()
    let key = "\(alias).\(dialect.quoted(SQLTable.key))"
    let text =
      " LEFT JOIN \(destination.table.reference) AS \(alias)"
      + " ON \(key) = \(place.alias).\(dialect.quoted(column.name))"
    scopes[scope].join(chain, to: destination, alias: alias, text: text)
  }

  /// Leaves to memory what takes more tables than the database joins.
  func requireTables(_ count: Int) throws {
    guard count <= dialect.tableLimit else { throw LeftToMemory("a join of \(count) tables") }
  }

  /// Returns the entity of a relationship's destinations.
  func destination(of relationship: RelationshipDescription) throws -> SQLEntity {
    guard let entity = relationship.destinationEntity.flatMap(schema.entity) else {
      throw LeftToMemory("the relationship '\(relationship.name)', which leads to another store")
    }
    return entity
  }
}
