// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The members of a path with to-many steps, as the FROM and WHERE of a subquery.
struct SQLMembers {
  /// The index of their scope.
  let scope: Int
  /// The tables of the to-many steps; the scope's own joins come after them. The condition of the first one relates
  /// the members to the outer record.
  let tables: [SQLMemberTable]
  /// The index of the first step after the last to-many step.
  let rest: Int
}

/// A table of a subquery, and its join condition.
struct SQLMemberTable {
  let text: String
  let condition: String
}

/// A table that a path has reached, by its alias.
typealias SQLPlace = (alias: String, entity: SQLEntity)

extension FetchGenerator {
  /// Opens a scope for the members of a path with to-many steps.
  mutating func openMembers(_ path: ResolvedPath) throws -> SQLMembers {
    if case .elements(let attribute, _) = path.end {
      throw LeftToMemory("the elements of '\(attribute.name)'")
    }
    let steps = path.relationships
    guard let first = steps.firstIndex(where: \.isToMany),
      let last = steps.lastIndex(where: \.isToMany)
    else { throw LeftToMemory("a collection that is no to-many relationship") }
    var place: SQLPlace = try join(steps[..<first], in: scopeIndex(path.root))
    var tables: [SQLMemberTable] = []
    for step in steps[first...last] {
      tables += try memberTables(of: step, place: &place)
    }
    try requireTables(tables.count)
    scopes.append(SQLScope(entity: place.entity, alias: place.alias, tables: tables.count))
    return SQLMembers(scope: scopes.count - 1, tables: tables, rest: last + 1)
  }

  /// Closes the innermost scope and returns the FROM and WHERE of its subquery.
  mutating func closeMembers(_ members: SQLMembers, where condition: String? = nil) -> String {
    precondition(members.scope == scopes.count - 1, "Scopes are closed in the opposite order.")
    let scope = scopes.removeLast()
    var text = " FROM " + members.tables[0].text
    for table in members.tables.dropFirst() { text += " JOIN \(table.text) ON \(table.condition)" }
    text += scope.joinText + " WHERE " + members.tables[0].condition
    return text + (condition.map { " AND (" + $0 + ")" } ?? "")
  }

  /// Returns the tables of one step, which leads from `place` to another.
  private mutating func memberTables(
    of relationship: RelationshipDescription, place: inout SQLPlace
  ) throws -> [SQLMemberTable] {
    let destination = try destination(of: relationship)
    let sourceKey = "\(place.alias).\(dialect.quoted(SQLTable.key))"
    let source = place
    let links = try linkTable(of: relationship).map { ($0, alias: makeAlias()) }
    let alias = makeAlias()
    let key = "\(alias).\(dialect.quoted(SQLTable.key))"
    let table = "\(destination.table.reference) AS \(alias)"
    place = (alias, destination)
    switch relationship.storage {
    case .toOne:
      let column = try column(of: relationship, at: source)
      let condition = "\(key) = \(source.alias).\(dialect.quoted(column.name))"
      return [SQLMemberTable(text: table, condition: condition)]
    case .inverseOfToOne(let slot, _):
      guard let column = destination.column(slot) else { break }
      let condition = "\(alias).\(dialect.quoted(column.name)) = \(sourceKey)"
      return [SQLMemberTable(text: table, condition: condition)]
    case .links(_, let isForward):
      guard let (linkTable, link) = links else { break }
      let near = dialect.quoted(isForward ? SQLLinkTable.source : SQLLinkTable.destination)
      let far = dialect.quoted(isForward ? SQLLinkTable.destination : SQLLinkTable.source)
      return [
        SQLMemberTable(
          text: "\(linkTable.reference) AS \(link)",
          condition: "\(link).\(near) = \(sourceKey)"),
        SQLMemberTable(text: table, condition: "\(key) = \(link).\(far)"),
      ]
    case .transient: break
    }
    throw LeftToMemory("the relationship '\(relationship.name)', which is not stored")
  }

  private func linkTable(of relationship: RelationshipDescription) throws -> SQLLinkTable? {
    guard case .links(let links, _) = relationship.storage else { return nil }
    return schema.linkTable(links)
  }
}
