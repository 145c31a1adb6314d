// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Views for other tools. A view has the names of the model, and no value in an encoding of Roost's own.
extension SQLSchema {
  /// The name of the key in a view.
  private static let key = "id"
  /// The name of the column with the entity of each record.
  private static let entity = "entity"
  private static let alias = "r"

  /// Returns the views: one for each entity that can have records, its own or those of subentities, and one for each
  /// relationship that is to many on both sides.
  ///
  /// - Parameter prefix: The beginning of all names.
  package func views(prefix: String = "") -> [SQLView] {
    // In SQLite, tables, indexes and views share one space of names.
    let taken =
      tables.flatMap { [$0.name] + $0.indexes.map(\.name) }
      + linkTables.flatMap { [$0.name, $0.reverseIndex] }
    var names = SQLViewNames(
      limit: dialect.identifierLimit, taken: dialect.namespace.isEmpty ? taken : [])
    let entities = store.entities.compactMap(entity).filter { !$0.concreteCodes.isEmpty }
      .sorted { UTF8Order.isLess($0.entity.name ?? "", $1.entity.name ?? "") }
    let links = linkTables.sorted { UTF8Order.isLess($0.links.name, $1.links.name) }
    return entities.map { view(of: $0, name: names.assign(prefix + ($0.entity.name ?? ""))) }
      + links.map { table in
        let relationship = table.links.relationship
        return view(
          of: table,
          name: names.assign(
            prefix + (relationship.entity?.name ?? "") + "_" + relationship.name))
      }
  }

  // MARK: - Records

  private func view(of entity: SQLEntity, name: String) -> SQLView {
    let layout = entity.entity.layout
    let slots = entity.storedSlots.map { (slot: $0, content: layout.contents[$0.index]) }
    // The names of the model come first: no added column takes one.
    var names = SQLViewNames(limit: dialect.identifierLimit)
    var columnNames: [Int: String] = [:]
    for (slot, content) in slots {
      guard case .attribute(_, let name) = content, !name.contains(".") else { continue }
      columnNames[slot.index] = names.assign(name)
    }
    let key = names.assign(Self.key, isAdded: true)
    let hasSubentities = !entity.entity.subentities.isEmpty
    let kind = hasSubentities ? names.assign(Self.entity, isAdded: true) : ""
    for (slot, content) in slots where columnNames[slot.index] == nil {
      columnNames[slot.index] = names.assign(Self.columnName(content), isAdded: true)
    }
    var columns = [SQLView.Column(name: key, expression: column(SQLTable.key))]
    if hasSubentities { columns.append(.init(name: kind, expression: entityName(entity))) }
    for (slot, _) in slots {
      guard let stored = entity.column(slot), let name = columnNames[slot.index] else { continue }
      columns.append(
        .init(name: name, expression: dialect.views.plainValue(stored.kind, column(stored.name))))
    }
    var source = "\(entity.table.reference) AS \(Self.alias)"
    if entity.concreteCodes != entity.table.codes {
      source +=
        " WHERE "
        + SQLEntityFilter.condition(entity.concreteCodes, alias: Self.alias, dialect: dialect)
    }
    return SQLView(name: name, columns: columns, source: source)
  }

  /// Returns the wanted name of a column that has no attribute's name.
  private static func columnName(_ content: SlotContent) -> String {
    switch content {
    case .attribute(_, let name): name.replacing(".", with: "_")
    case .reference(let relationship): relationship.name + "_id"
    case .position(let relationship):
      (relationship.maintainedInverse?.name ?? relationship.name) + "_position"
    }
  }

  /// Returns the expression of the name of a record's entity.
  private func entityName(_ entity: SQLEntity) -> String {
    let names = entity.entity.concreteEntities.compactMap { concrete in
      store.code(of: concrete).map { ($0, concrete.name ?? "") }
    }.sorted { $0.0 < $1.0 }
    let cases = names.map { code, name in "WHEN \(code) THEN \(dialect.views.literal(name))" }
    return "CASE \(SQLEntityFilter.expression(dialect, alias: Self.alias)) "
      + cases.joined(separator: " ") + " END"
  }

  // MARK: - Links

  private func view(of table: SQLLinkTable, name: String) -> SQLView {
    let links = table.links
    var names = SQLViewNames(limit: dialect.identifierLimit)
    var columns = [
      SQLView.Column(
        name: names.assign((links.relationship.entity?.name ?? "") + "_id"),
        expression: column(SQLLinkTable.source)),
      SQLView.Column(
        name: names.assign(links.relationship.name + "_id"),
        expression: column(SQLLinkTable.destination)),
    ]
    for (isOrdered, position) in [
      (links.sourceIsOrdered, SQLLinkTable.position),
      (links.destinationIsOrdered, SQLLinkTable.inversePosition),
    ] where isOrdered {
      columns.append(.init(name: names.assign(position), expression: column(position)))
    }
    return SQLView(name: name, columns: columns, source: "\(table.reference) AS \(Self.alias)")
  }

  private func column(_ name: String) -> String { Self.alias + "." + dialect.quoted(name) }
}
