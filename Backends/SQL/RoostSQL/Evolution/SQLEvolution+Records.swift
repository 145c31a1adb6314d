// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Records that move to another table, and removed records, columns and tables.
extension SQLEvolution {
  /// Returns tasks that refuse the change because of existing records: those of entities that become abstract, and
  /// those with links into other stores that cannot be migrated.
  func refusals() -> [SQLEvolutionTask] {
    let abstractions = change.removedEntities.compactMap { entity -> SQLEvolutionTask? in
      guard let new = sources.destination(of: entity), new.isAbstract,
        let mapped = source.entity(entity)
      else { return nil }
      let table = place(ofSource: mapped.table).reference
      return SQLEvolutionTask(
        "make \(new.name ?? "") abstract", kind: .catalogue,
        actions: [
          .refuseRecords(table: table, codes: [mapped.code], entity: new.name ?? "")
        ])
    }
    return abstractions + SQLStrandedLinks(evolution: self).refusals()
  }

  func movedRecords() throws -> [SQLEvolutionTask] {
    try change.entities.compactMap { entity in
      guard !stays(entity), let old = source.entity(entity.source),
        let new = destination.entity(entity.destination)
      else { return nil }
      let from = place(ofSource: old.table)
      let to = place(of: new.table)
      var columns = [SQLTable.key, SQLTable.version].map(dialect.quoted)
      var expressions = columns
      var values: [SQLValue] = []
      for slot in entity.slots {
        guard let column = new.column(slot.slot) else { continue }
        columns.append(dialect.quoted(column.name))
        expressions.append(try expression(slot, of: entity, column, old, &values))
      }
      let conditions = [
        SQLEntityFilter.condition([entity.code], alias: nil, dialect: dialect), inRange(key),
      ]
      let text =
        "INSERT INTO \(to.reference) (\(columns.joined(separator: ", ")))"
        + " SELECT \(expressions.joined(separator: ", ")) FROM \(from.reference)"
        + " WHERE \(conditions.joined(separator: " AND "))"
      return SQLEvolutionTask(
        "move \(entity.destination.name ?? "") to the table of \(new.table.root.name ?? "")",
        kind: .move, extent: .records(table: from.reference, codes: [entity.code]),
        actions: [ranged(text, values, over: from)],
        isHidden: kept.table(ofRoot: new.table.root) == nil)
    }
  }

  private func expression(
    _ slot: SlotChange, of entity: EntityChange, _ column: SQLColumn, _ old: SQLEntity,
    _ values: inout [SQLValue]
  ) throws -> String {
    func bound(_ value: Value) throws -> String {
      guard !value.isNull else { return "NULL" }
      values.append(try SQLValue(value))
      return dialect.parameter(2 + values.count)
    }
    switch slot.origin {
    case .kept, .converted, .defaulted:
      guard let before = slot.origin.sourceSlot.flatMap(old.column) else { return "NULL" }
      let found = converted(dialect.quoted(before.name), slot, column)
      return try entity.demandedValue(slot).map { "coalesce(\(found), \(try bound($0)))" } ?? found
    case .constant(let value): return try bound(value)
    case .derived, .moved: return "NULL"
    }
  }

  // MARK: - Removals

  func removals() -> [SQLEvolutionTask] {
    removedEntities() + removedValues() + leftBehind() + removedTables()
  }

  private func removedEntities() -> [SQLEvolutionTask] {
    change.removedEntities.compactMap { entity in
      if let new = sources.destination(of: entity), new.isAbstract { return nil }
      guard let mapped = source.entity(entity) else { return nil }
      let place = place(ofSource: mapped.table)
      // The records of a removed table are removed with it.
      let isKept = kept.keeps(mapped.table.name)
      return SQLEvolutionTask(
        "drop \(entity.name ?? "")", kind: .drop,
        extent: .records(table: place.reference, codes: [mapped.code]),
        actions: isKept ? [deletion([mapped.code], place)] : [],
        later: removesLater && !isKept ? [] : nil)
    }
  }

  private func deletion(_ codes: [Int], _ place: Place) -> SQLEvolutionTask.Action {
    let condition = SQLEntityFilter.condition(codes, alias: nil, dialect: dialect)
    return ranged(
      "DELETE FROM \(place.reference) WHERE \(condition) AND \(inRange(key))", over: place)
  }

  /// Removes the records that were copied into another table.
  private func leftBehind() -> [SQLEvolutionTask] {
    source.tables.filter { kept.keeps($0.name) }.compactMap { table in
      let codes = change.entities.filter { entity in
        source.entity(entity.source)?.table === table && !stays(entity)
      }.map(\.code)
      guard !codes.isEmpty else { return nil }
      return SQLEvolutionTask(
        "remove what was moved from the table of \(table.root.name ?? "")", kind: .move,
        extent: .records(table: place(ofSource: table).reference, codes: codes),
        actions: [deletion(codes, place(ofSource: table))])
    }
  }

  /// Removes the values of removed attributes and relationships, and the columns that no property uses any more.
  private func removedValues() -> [SQLEvolutionTask] {
    source.tables.flatMap { table -> [SQLEvolutionTask] in
      let place = place(ofSource: table)
      let used = usedColumns(of: table)
      return table.columns.compactMap { column in
        let leaving = leaving(column, table)
        let isDropped = used.map { !$0.contains(column.name) } ?? false
        // Values that are removed with their table are reported all the same.
        let cleared = used == nil || isDropped ? [] : leaving.cleared
        guard isDropped || !leaving.lost.isEmpty || !cleared.isEmpty else { return nil }
        let title = leaving.title ?? column.name
        let name = dialect.quoted(column.name)
        var actions: [SQLEvolutionTask.Action] = []
        if isDropped {
          actions = [
            .remove("ALTER TABLE \(place.reference) DROP COLUMN \(name)", otherwise: nil)
          ]
        } else if !cleared.isEmpty {
          let conditions = [condition(cleared, in: place), inRange(key)]
          actions = [
            ranged(
              "UPDATE \(place.reference) SET \(name) = NULL WHERE "
                + conditions.compactMap { $0 }.joined(separator: " AND "), over: place)
          ]
        }
        let later =
          removesLater && isDropped
          ? [DeferredStep(.column, table.name, part: column.name)] : nil
        guard leaving.lost.isEmpty else {
          return SQLEvolutionTask(
            "drop \(title)", kind: .drop,
            extent: .values(table: place.reference, codes: leaving.lost, column: column.name),
            actions: actions, later: later)
        }
        return SQLEvolutionTask(
          "remove the old \(isDropped ? "column" : "values") of \(title)",
          kind: isDropped ? .catalogue : .fill,
          extent: isDropped
            ? .none : .values(table: place.reference, codes: cleared, column: column.name),
          actions: actions, later: later)
      }
    }
  }

  /// Returns the columns of a table that are kept; nil for a removed table.
  private func usedColumns(of table: SQLTable) -> Set<String>? {
    guard let after = destination.tables.first(where: { kept.table(ofRoot: $0.root) === table })
    else { return nil }
    return Set(after.columns.map(\.name))
  }

  /// The entities whose values leave a column.
  private struct Leaving {
    var title: String?
    /// The codes of entities whose values are lost.
    var lost: [Int] = []
    /// The codes of entities whose records stay in the table, but no longer use the column.
    var cleared: [Int] = []
  }

  private func leaving(_ column: SQLColumn, _ table: SQLTable) -> Leaving {
    var result = Leaving()
    for mapped in change.source.entities.compactMap({ source.entity($0) }) {
      guard mapped.table === table,
        let slot = mapped.storedSlots.first(where: { mapped.column($0) == column })
      else { continue }
      let title =
        SlotOwners(mapped.entity).owner(of: slot) + "." + mapped.entity.layout.names[slot.index]
      if result.title == nil { result.title = title }
      guard let entity = change.entities.first(where: { $0.source === mapped.entity }) else {
        continue
      }
      if isLost(slot, entity) {
        // The title is that of the first entity whose values are lost.
        if result.lost.isEmpty { result.title = title }
        result.lost.append(mapped.code)
      }
      if stays(entity), !uses(column, entity.destination) { result.cleared.append(mapped.code) }
    }
    return result
  }

  /// Returns whether an entity of the destination has values in a column of its kept table.
  private func uses(_ column: SQLColumn, _ entity: EntityDescription) -> Bool {
    guard let mapped = destination.entity(entity) else { return false }
    return mapped.storedSlots.contains { mapped.column($0)?.name == column.name }
  }

  /// Returns whether the values of a slot have no place in the destination, and cannot be computed.
  private func isLost(_ slot: RowSlot, _ entity: EntityChange) -> Bool {
    switch entity.source.layout.contents[slot.index] {
    case .attribute(let attribute, _):
      return !(attribute is DerivedAttributeDescription) && entity.removedSlots.contains(slot)
    case .reference(let relationship):
      guard !entity.slots.contains(where: { $0.origin.sourceSlot == slot }) else { return false }
      return !isContinued(relationship)
    case .position: return false
    }
  }

  /// Returns whether the pairs of a to-one relationship are kept in another place, or in the slot of its inverse.
  func isContinued(_ relationship: RelationshipDescription) -> Bool {
    let inverse = relationship.maintainedInverse
    let isMoved = change.moves.contains { move in
      guard case .slot(let old) = move.from else { return false }
      return old === relationship || old === inverse
    }
    guard !isMoved, let inverse, case .toOne(let slot) = inverse.storage else { return isMoved }
    return change.entities.contains { entity in
      inverse.entity.map(entity.source.isKindOf(entity:)) == true
        && entity.slots.contains { $0.origin.sourceSlot == slot }
    }
  }

  private func removedTables() -> [SQLEvolutionTask] {
    let records = source.tables.filter { !kept.keeps($0.name) }.map { table in
      SQLEvolutionTask(
        "remove the table of \(table.root.name ?? "")", kind: .catalogue,
        actions: [removal(of: table.reference)],
        later: removesLater ? [DeferredStep(.table, table.name)] : nil)
    }
    let moved = change.moves.compactMap { move -> ObjectIdentifier? in
      guard case .links(let old) = move.from else { return nil }
      return ObjectIdentifier(old)
    }
    let links = source.linkTables.filter { !kept.keeps($0.name) }.map { table in
      let isMoved = moved.contains(ObjectIdentifier(table.links))
      return SQLEvolutionTask(
        (isMoved ? "remove the table of " : "drop ") + table.links.name,
        kind: isMoved ? .catalogue : .drop,
        extent: isMoved ? .none : .links(table: table.reference),
        actions: [removal(of: table.reference)],
        later: removesLater ? [DeferredStep(.table, table.name)] : nil)
    }
    return records + links
  }

  private func removal(of table: String) -> SQLEvolutionTask.Action {
    .remove("DROP TABLE \(table)", otherwise: "DELETE FROM \(table)")
  }

  /// Renames the tables that programs of the old version would misread.
  func tableRenames() -> [SQLEvolutionTask] {
    var actions: [SQLEvolutionTask.Action] = []
    for table in destination.tables {
      guard let old = kept.table(ofRoot: table.root), old.name != table.name else { continue }
      actions.append(renaming(old.reference, to: table.name))
    }
    for table in destination.linkTables {
      guard let old = kept.table(of: table.links), old.name != table.name else { continue }
      actions.append(renaming(old.reference, to: table.name))
    }
    guard !actions.isEmpty else { return [] }
    return [
      SQLEvolutionTask(
        "hide the tables from programs of the old version", kind: .catalogue, actions: actions)
    ]
  }

  private func renaming(_ reference: String, to name: String) -> SQLEvolutionTask.Action {
    .define("ALTER TABLE \(reference) RENAME TO \(dialect.quoted(name))")
  }
}
