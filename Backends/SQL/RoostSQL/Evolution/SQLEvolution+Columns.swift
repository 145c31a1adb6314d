// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A column of a table of the destination, with its slots in the entities whose records are in the table before and
/// after.
struct EvolvedColumn {
  let table: SQLTable
  let column: SQLColumn
  /// The name of the property in the model.
  let title: String
  let members: [Member]

  struct Member {
    let entity: EntityChange
    let slot: SlotChange
    /// The column of the same table that has the entity's values now.
    let old: SQLColumn?

    var code: Int { entity.code }

    /// The value that takes the place of nulls while the values are copied into another column; nil for none.
    func copiedDefault(into column: SQLColumn) -> Value? {
      guard case .defaulted = slot.origin, let old, old.name != column.name else { return nil }
      return entity.demandedValue(slot)
    }
  }
}

// New tables and columns, and their values.
extension SQLEvolution {
  func tables() -> [SQLEvolutionTask] {
    let records = destination.tables.filter { kept.table(ofRoot: $0.root) == nil }.map {
      SQLEvolutionTask(
        "make a table for \($0.root.name ?? "")", kind: .catalogue,
        actions: [.define(destination.definition($0))], isHidden: true)
    }
    let links = destination.linkTables.filter { kept.table(of: $0.links) == nil }.map {
      SQLEvolutionTask(
        "make a table for \($0.links.name)", kind: .catalogue,
        actions: [.define(destination.definition($0))], isHidden: true)
    }
    return records + links
  }

  func renames() -> [SQLEvolutionTask] {
    var titles = change.renamedEntities.map {
      "rename \($0.source.name ?? "") to \($0.destination.name ?? "")"
    }
    for entity in change.entities {
      let owners = SlotOwners(entity.destination)
      for slot in entity.slots {
        guard let old = slot.origin.sourceSlot, !entity.destination.isPosition(slot.slot) else {
          continue
        }
        let name = entity.source.layout.names[old.index]
        guard name != slot.name else { continue }
        titles.append("rename \(owners.owner(of: slot.slot)).\(name) to \(slot.name)")
      }
    }
    var seen: Set<String> = []
    return titles.filter { seen.insert($0).inserted }.map {
      SQLEvolutionTask($0, kind: .catalogue)
    }
  }

  /// Returns the columns of the kept tables.
  func evolvedColumns() -> [EvolvedColumn] {
    destination.tables.flatMap { table -> [EvolvedColumn] in
      guard kept.table(ofRoot: table.root) != nil else { return [] }
      var titles = [String](repeating: "", count: table.columns.count)
      var members = [[EvolvedColumn.Member]](repeating: [], count: table.columns.count)
      for entity in change.destination.entities {
        guard let mapped = destination.entity(entity), mapped.table === table else { continue }
        let owners = SlotOwners(entity)
        for slot in mapped.storedSlots where titles[mapped.columnBySlot[slot.index]].isEmpty {
          titles[mapped.columnBySlot[slot.index]] =
            owners.owner(of: slot) + "." + entity.layout.names[slot.index]
        }
        guard let change = change.entities.first(where: { $0.destination === entity }),
          stays(change), let old = source.entity(change.source)
        else { continue }
        for slot in change.slots {
          members[mapped.columnBySlot[slot.slot.index]].append(
            EvolvedColumn.Member(
              entity: change, slot: slot, old: slot.origin.sourceSlot.flatMap(old.column)))
        }
      }
      return table.columns.indices.map {
        EvolvedColumn(
          table: table, column: table.columns[$0], title: titles[$0], members: members[$0])
      }
    }
  }

  func columns() throws -> [SQLEvolutionTask] {
    try evolvedColumns().compactMap { column in
      let before = kept.table(ofRoot: column.table.root)
      let isNew = before?.columns.contains { $0.name == column.column.name } == false
      return isNew ? try adding(column) : try correcting(column)
    }
  }

  private func adding(_ column: EvolvedColumn) throws -> SQLEvolutionTask {
    let place = place(of: column.table)
    let name = dialect.quoted(column.column.name)
    let isConverted = column.members.contains { member in
      if case .converted = member.slot.origin { true } else { false }
    }
    var text =
      "ALTER TABLE \(place.reference) ADD COLUMN \(name) \(dialect.columnType(column.column.kind))"
    guard let value = try column.commonConstant(), let literal = value.literal(dialect) else {
      let writes = try writes(column, place, isNew: true)
      return SQLEvolutionTask(
        (isConverted ? "convert " : "add ") + column.title,
        kind: isConverted ? .rewrite : writes.isEmpty ? .addColumn : .fill,
        extent: writes.isEmpty
          ? .none : .records(table: place.reference, codes: column.members.map(\.code)),
        actions: [.define(text)] + writes, isHidden: true)
    }
    text += " DEFAULT \(literal)"
    var actions: [SQLEvolutionTask.Action] = [.define(text)]
    if dialect.dropsDefaults {
      actions.append(
        .define("ALTER TABLE \(place.reference) ALTER COLUMN \(name) DROP DEFAULT"))
    }
    return SQLEvolutionTask(
      "add \(column.title)", kind: .addColumn, actions: actions, isHidden: true)
  }

  /// Writes the values of records into a kept column that does not have them yet.
  private func correcting(_ column: EvolvedColumn) throws -> SQLEvolutionTask? {
    let place = place(of: column.table)
    let writes = try writes(column, place, isNew: false)
    guard !writes.isEmpty else { return nil }
    return SQLEvolutionTask(
      "fill \(column.title)", kind: .fill,
      extent: .records(table: place.reference, codes: column.members.map(\.code)), actions: writes)
  }

  /// The new value of a column for some records.
  private struct Assignment: Hashable {
    let expression: String
    var values: [SQLValue] = []
  }

  private func writes(
    _ column: EvolvedColumn, _ place: Place, isNew: Bool
  ) throws -> [SQLEvolutionTask.Action] {
    let name = dialect.quoted(column.column.name)
    var codes: [Assignment: [Int]] = [:]
    var order: [Assignment] = []
    for member in column.members {
      guard let assignment = try assignment(member, column.column, isNew: isNew) else { continue }
      if codes[assignment] == nil { order.append(assignment) }
      codes[assignment, default: []].append(member.code)
    }
    return order.map { assignment in
      let conditions = [inRange(key), condition(codes[assignment] ?? [], in: place)]
      return ranged(
        "UPDATE \(place.reference) SET \(name) = \(assignment.expression)"
          + " WHERE \(conditions.compactMap { $0 }.joined(separator: " AND "))",
        assignment.values, over: place)
    }
  }

  /// Returns the new value of a column for an entity's records; nil when it stays as it is.
  private func assignment(
    _ member: EvolvedColumn.Member, _ column: SQLColumn, isNew: Bool
  ) throws -> Assignment? {
    switch member.slot.origin {
    case .kept, .defaulted, .converted:
      guard let old = member.old, old.name != column.name else { return nil }
      let copy = converted(dialect.quoted(old.name), member.slot, column)
      guard let value = member.copiedDefault(into: column) else {
        return Assignment(expression: copy)
      }
      return Assignment(
        expression: "coalesce(\(copy), \(dialect.parameter(3)))", values: [try SQLValue(value)])
    case .constant(let value):
      if value.isNull { return isNew ? nil : Assignment(expression: "NULL") }
      return Assignment(expression: dialect.parameter(3), values: [try SQLValue(value)])
    // A kept column has values of other entities there, if any.
    case .moved: return isNew ? nil : Assignment(expression: "NULL")
    case .derived: return nil
    }
  }

  /// Returns queries for records that have no value in a new column, although one was to be copied there.
  func missedCopies() throws -> [(text: String, values: [SQLValue])] {
    var queries: [(text: String, values: [SQLValue])] = []
    for column in evolvedColumns() where isNew(column.column, in: column.table) {
      let place = place(of: column.table)
      let name = dialect.quoted(column.column.name)
      for member in column.members where !member.entity.destination.isPosition(member.slot.slot) {
        guard let assignment = try assignment(member, column.column, isNew: true) else { continue }
        var conditions = [
          inRange(key), "\(name) IS NULL", "\(assignment.expression) IS NOT NULL",
        ]
        if let condition = condition([member.code], in: place) { conditions.append(condition) }
        let gone = goneDestinations(of: member)
        if !gone.isEmpty {
          conditions.append("NOT \(condition(assignment.expression, names: gone, others: false))")
        }
        let text =
          "SELECT \(key) FROM \(place.reference)"
          + " WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
        queries.append((text, [.integer(0), .integer(.max)] + assignment.values))
      }
    }
    return queries
  }

  /// Returns the codes of the records to which a reference no longer leads: such references are cleared.
  private func goneDestinations(of member: EvolvedColumn.Member) -> Set<Int> {
    guard case .kept(let from) = member.slot.origin,
      case .reference(let new) = member.entity.destination.layout.contents[member.slot.slot.index],
      case .reference(let old) = member.entity.source.layout.contents[from.index]
    else { return [] }
    return change.codesLeft(by: old, for: new)
  }

  /// Returns the expression of an old column's value, converted for the new one.
  func converted(_ expression: String, _ slot: SlotChange, _ column: SQLColumn) -> String {
    guard case .converted(_, .integerToDouble) = slot.origin else { return expression }
    return "CAST(\(expression) AS \(dialect.columnType(column.kind)))"
  }

  // MARK: - Required values, and conversions

  func fills() throws -> [SQLEvolutionTask] {
    var tasks: [SQLEvolutionTask] = []
    for column in evolvedColumns() {
      let place = place(of: column.table)
      let name = dialect.quoted(column.column.name)
      var codes: [SQLValue: [Int]] = [:]
      var order: [SQLValue] = []
      for member in column.members {
        guard let value = member.entity.demandedValue(member.slot),
          member.copiedDefault(into: column.column) == nil
        else { continue }
        let bound = try SQLValue(value)
        if codes[bound] == nil { order.append(bound) }
        codes[bound, default: []].append(member.code)
      }
      for value in order {
        let conditions = [
          "\(name) IS NULL", inRange(key), condition(codes[value] ?? [], in: place),
        ].compactMap { $0 }
        let text =
          "UPDATE \(place.reference) SET \(name) = \(dialect.parameter(3)) WHERE "
          + conditions.joined(separator: " AND ")
        tasks.append(
          SQLEvolutionTask(
            "fill \(column.title)", kind: .fill,
            extent: .nulls(
              table: place.reference, codes: codes[value] ?? [], column: column.column.name),
            actions: [ranged(text, [value], over: place)],
            isHidden: isNew(column.column, in: column.table)))
      }
    }
    // Null is null in every type, so nulls are filled after the other values have been converted.
    return conversions() + tasks
  }

  private func conversions() -> [SQLEvolutionTask] {
    var tasks: [SQLEvolutionTask] = []
    for entity in change.entities {
      guard let mapped = destination.entity(entity.destination) else { continue }
      let place = place(of: mapped.table)
      for slot in entity.slots {
        guard case .converted(_, let conversion) = slot.origin,
          let column = mapped.column(slot.slot)
        else { continue }
        let entityName = entity.destination.name ?? ""
        var task = SQLEvolutionTask(
          "convert \(entityName).\(slot.name)", kind: .rewrite,
          isHidden: isNew(column, in: mapped.table))
        if conversion == .stringToURI {
          task.extent = .records(table: place.reference, codes: [entity.code])
          task.actions = [
            .convertToURIs(
              SQLEvolutionTask.TextColumn(
                table: place.reference, column: column.name, codes: [entity.code],
                entity: entityName, key: slot.name))
          ]
        } else if conversion == .uriToString {
          task = SQLEvolutionTask("convert \(entityName).\(slot.name)", kind: .catalogue)
        } else {
          // The new column has the values already.
          continue
        }
        tasks.append(task)
      }
    }
    return tasks
  }
}

extension EvolvedColumn {
  /// Returns the value that all records of the column's entities get; nil when they get none, or different ones.
  fileprivate func commonConstant() throws -> SQLValue? {
    var common: SQLValue?
    for member in members {
      guard case .constant(let value) = member.slot.origin, !value.isNull else { return nil }
      let bound = try SQLValue(value)
      guard common == nil || common == bound else { return nil }
      common = bound
    }
    return common
  }
}

extension EntityDescription {
  /// Returns whether a slot has positions, which have no name in the model.
  func isPosition(_ slot: RowSlot) -> Bool {
    if case .position = layout.contents[slot.index] { return true }
    return false
  }
}
