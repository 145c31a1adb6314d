// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The indexes that an evolution drops and creates.
///
/// They are dropped before columns are, as SQLite demands, and created when the records are final; unique ones last,
/// after a search for records with the same values.
struct IndexChanges {
  private(set) var drops: SQLEvolutionTask?
  private(set) var creations: [SQLEvolutionTask] = []
  private(set) var uniqueness: [SQLEvolutionTask] = []

  init(_ evolution: SQLEvolution, _ catalog: SQLCatalog) {
    var lasting: Set<String> = []
    let mapping = evolution.destination
    for table in mapping.tables {
      let before = evolution.kept.table(ofRoot: table.root)
      let changed = evolution.changedColumns(of: table)
      for index in table.indexes {
        let old = before?.indexes.first { $0.name == index.name && index.isLike($0) }
        if let old, let before,
          catalog.definitionsByIndex[index.name]
            == evolution.source.definition(old, on: before, isQualified: false),
          !index.isUnique || changed.isDisjoint(with: index.columns)
        {
          lasting.insert(index.name)
        } else {
          add(index, table, evolution)
        }
      }
    }
    for table in mapping.linkTables {
      if let before = evolution.kept.table(of: table.links),
        catalog.definitionsByIndex[table.reverseIndex]
          == evolution.source.reverseDefinition(before, isQualified: false)
      {
        lasting.insert(table.reverseIndex)
      } else {
        creations.append(
          SQLEvolutionTask(
            "index \(table.links.name)", kind: .index,
            extent: .links(table: evolution.place(of: table).reference),
            actions: [.define(mapping.reverseDefinition(table, isQualified: true))],
            index: table.reverseIndex))
      }
    }
    let gone = catalog.definitionsByIndex.keys
      .filter { SQLNames.isIdentifier($0) && !lasting.contains($0) }.sorted()
    guard !gone.isEmpty else { return }
    drops = SQLEvolutionTask(
      "drop indexes", kind: .catalogue,
      actions: gone.map { .define("DROP INDEX \(mapping.dialect.qualified($0))") })
  }

  private mutating func add(_ index: SQLIndex, _ table: SQLTable, _ evolution: SQLEvolution) {
    let mapping = evolution.destination
    let place = evolution.place(of: table)
    let extent = SQLEvolutionTask.Extent.records(
      table: place.reference, codes: place.codes.sorted())
    let definition = SQLEvolutionTask.Action.define(mapping.definition(index, on: table))
    guard index.isUnique else {
      creations.append(
        SQLEvolutionTask(
          "index \(index.name)", kind: .index, extent: extent, actions: [definition],
          later: [DeferredStep(.index, index.name)], index: index.name))
      return
    }
    let constraint = mapping.store.entities.lazy.compactMap { mapping.entity($0) }
      .flatMap(\.constraints).first { $0.index.name == index.name }
    let title = constraint.map {
      "unique \($0.entityName).\($0.properties.joined(separator: ","))"
    }
    uniqueness.append(
      SQLEvolutionTask(
        title ?? "index \(index.name)", kind: .index, extent: extent,
        actions: (constraint.map { [.refuseDuplicates($0, table: table)] } ?? []) + [definition]))
  }
}

extension SQLEvolution {
  /// Returns the columns of a kept table in which values change, so that records could come to share them.
  func changedColumns(of table: SQLTable) -> Set<String> {
    guard kept.table(ofRoot: table.root) != nil else { return [] }
    let receives = change.entities.contains { entity in
      destination.entity(entity.destination)?.table === table && !stays(entity)
    }
    if receives { return Set(table.columns.map(\.name)) }
    var changed: Set<String> = []
    for column in evolvedColumns() where column.table === table {
      let isKept = column.members.allSatisfy { member in
        if case .kept = member.slot.origin { member.old?.name == column.column.name } else { false }
      }
      if !isKept { changed.insert(column.column.name) }
    }
    // Relationships move as well.
    for move in change.moves {
      guard case .slot(let relationship) = move.to,
        let entity = relationship.entity.flatMap(destination.entity), entity.table === table,
        let column = relationship.slot.flatMap(entity.column)
      else { continue }
      changed.insert(column.name)
    }
    return changed
  }

  func derivations() -> [SQLEvolutionTask] {
    change.entities.compactMap { entity in
      let slots = entity.slots.filter {
        if case .derived = $0.origin { true } else { false }
      }
      guard !slots.isEmpty, let mapped = destination.entity(entity.destination) else { return nil }
      let name = entity.destination.name ?? ""
      let place = place(ofSource: source.entity(entity.source)?.table ?? mapped.table)
      return SQLEvolutionTask(
        "compute " + slots.map { "\(name).\($0.name)" }.joined(separator: ", "), kind: .fill,
        extent: .records(table: place.reference, codes: [entity.code]),
        actions: [.derive(mapped, slots.map(\.slot))],
        isHidden: slots.allSatisfy { slot in
          mapped.column(slot.slot).map { isNew($0, in: mapped.table) } ?? true
        })
    }
  }
}
