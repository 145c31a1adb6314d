// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Statements that read and write the destinations of relationships.
extension SQLSchema {
  /// Returns the columns of a to-many relationship's destinations; nil when the store does not hold them.
  package func destinations(of relationship: RelationshipDescription) -> SQLDestinations? {
    switch relationship.storage {
    case .inverseOfToOne(let slot, let position):
      guard let destination = relationship.destinationEntity.flatMap(entity),
        let column = destination.column(slot)
      else { return nil }
      return SQLDestinations(
        table: destination.table.reference, source: column.name, key: SQLTable.key,
        position: position.flatMap(destination.column)?.name)
    case .links(let links, let isForward):
      guard let table = linkTable(links) else { return nil }
      let isOrdered = isForward ? links.sourceIsOrdered : links.destinationIsOrdered
      let position = isForward ? SQLLinkTable.position : SQLLinkTable.inversePosition
      return SQLDestinations(
        table: table.reference, source: isForward ? SQLLinkTable.source : SQLLinkTable.destination,
        key: isForward ? SQLLinkTable.destination : SQLLinkTable.source,
        position: isOrdered ? position : nil)
    case .toOne, .transient:
      return nil
    }
  }

  /// Reads the destinations of one source of a to-many relationship, in order: the key, and the position where the
  /// relationship is ordered. Parameter: the source. nil when the store does not hold the destinations.
  package func selectDestinations(of relationship: RelationshipDescription) -> String? {
    guard let place = destinations(of: relationship) else { return nil }
    let columns = [place.key] + (place.position.map { [$0] } ?? [])
    let order =
      (place.position.map { [dialect.quoted($0) + dialect.nullsFirst] } ?? []) + [
        dialect.quoted(place.key)
      ]
    return "SELECT \(columns.map(dialect.quoted).joined(separator: ", "))"
      + " FROM \(place.table)"
      + " WHERE \(dialect.quoted(place.source)) = \(dialect.parameter(1))"
      + " ORDER BY \(order.joined(separator: ", "))"
  }

  /// Inserts a link, or gives it new positions. Parameters: source, destination, position, inverse position; a null
  /// position keeps the stored one.
  package func insertLink(_ table: SQLLinkTable) -> String {
    let columns = [
      SQLLinkTable.source, SQLLinkTable.destination, SQLLinkTable.position,
      SQLLinkTable.inversePosition,
    ]
    let names = columns.map(dialect.quoted)
    let parameters = (1...4).map(dialect.parameter)
    let assignments = (2...3).map {
      "\(names[$0]) = coalesce(excluded.\(names[$0]), \(dialect.quoted(table.name)).\(names[$0]))"
    }
    return "INSERT INTO \(table.reference) (\(names.joined(separator: ", ")))"
      + " VALUES (\(parameters.joined(separator: ", ")))"
      + " ON CONFLICT (\(names[0]), \(names[1]))"
      + " DO UPDATE SET \(assignments.joined(separator: ", "))"
  }

  /// Removes a link. Parameters: source, destination.
  package func deleteLink(_ table: SQLLinkTable) -> String {
    "DELETE FROM \(table.reference)"
      + " WHERE \(dialect.quoted(SQLLinkTable.source)) = \(dialect.parameter(1))"
      + " AND \(dialect.quoted(SQLLinkTable.destination)) = \(dialect.parameter(2))"
  }

  /// Removes all links of a deleted record. Parameter: the record.
  package func deleteLinks(_ table: SQLLinkTable, ofSource: Bool) -> String {
    let column = ofSource ? SQLLinkTable.source : SQLLinkTable.destination
    return "DELETE FROM \(table.reference)"
      + " WHERE \(dialect.quoted(column)) = \(dialect.parameter(1))"
  }

  /// Removes all links of a range of deleted records. Parameters: the first record and the last.
  package func deleteLinksOfRange(_ table: SQLLinkTable, ofSource: Bool) -> String {
    let column = ofSource ? SQLLinkTable.source : SQLLinkTable.destination
    return "DELETE FROM \(table.reference) WHERE \(dialect.quoted(column))"
      + " BETWEEN \(dialect.parameter(1)) AND \(dialect.parameter(2))"
  }
}
