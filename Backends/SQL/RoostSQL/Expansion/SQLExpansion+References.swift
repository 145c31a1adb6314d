// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// A program of one version deletes a record without regard to references that only the other version has. Triggers
// clear these, so that neither version finds a reference to a deleted record.
extension SQLExpansion {
  /// A column of references, and whether programs of a version clear it themselves when its destination is deleted.
  private struct Reference {
    let table: SQLTable
    let column: SQLColumn
    let destinations: [EntityDescription]
    let isMaintained: Bool
  }

  func deletions() -> [ExpansionStep] {
    var statements: [String: [String]] = [:]
    let old = references(evolution.source)
    let new = references(evolution.destination)
    for place in Set(old.keys).union(new.keys).sorted() {
      let found = [(evolution.source, old[place]), (evolution.destination, new[place])]
      let isAlike = old[place]?.isMaintained == new[place]?.isMaintained
      guard !isAlike, let any = old[place] ?? new[place] else { continue }
      let name = dialect.quoted(any.column.name)
      let text =
        "UPDATE \(any.table.reference) SET \(name) = NULL WHERE \(name) IN (SELECT \(key) FROM gone);"
      for (mapping, reference) in found {
        for table in tables(of: reference?.destinations ?? [], mapping) {
          statements[table, default: []].append(text)
        }
      }
    }
    for (mapping, table) in loneLinkTables() {
      let ends = [
        (SQLLinkTable.source, table.links.relationship.entity),
        (SQLLinkTable.destination, table.links.relationship.destinationEntity),
      ]
      for (column, entity) in ends {
        let name = dialect.quoted(column)
        for target in tables(of: [entity].compactMap { $0 }, mapping) {
          statements[target, default: []].append(
            "DELETE FROM \(table.reference) WHERE \(name) IN (SELECT \(key) FROM gone);")
        }
      }
    }
    return statements.sorted { $0.key < $1.key }.enumerated().map { number, entry in
      var seen: Set<String> = []
      let lines = entry.value.filter { seen.insert($0).inserted }
      return ExpansionStep(
        "clear references of the other version to what is deleted from \(entry.key)", .catalogue,
        .writersWait,
        .define(
          trigger(
            "\(Self.functionPrefix)gone_\(number)", lines + ["RETURN NULL;"], on: entry.key,
            when: "AFTER DELETE ON \(entry.key) REFERENCING OLD TABLE AS gone FOR EACH STATEMENT")))
    }
  }

  /// Returns the columns of to-one relationships of a version, by table and column.
  private func references(_ mapping: SQLSchema) -> [String: Reference] {
    var result: [String: Reference] = [:]
    for entity in mapping.store.entities {
      guard let mapped = mapping.entity(entity) else { continue }
      for slot in mapped.storedSlots {
        guard case .reference(let relationship) = entity.layout.contents[slot.index],
          let column = mapped.column(slot)
        else { continue }
        let place = mapped.table.name + "." + column.name
        guard result[place] == nil else { continue }
        result[place] = Reference(
          table: mapped.table, column: column,
          destinations: relationship.destinationEntity.map { [$0] } ?? [],
          isMaintained: relationship.maintainedInverse != nil)
      }
    }
    return result
  }

  /// Returns the link tables that only one version has.
  private func loneLinkTables() -> [(SQLSchema, SQLLinkTable)] {
    evolution.source.linkTables.filter { !evolution.kept.keeps($0.name) }
      .map { (evolution.source, $0) }
      + evolution.destination.linkTables.filter { evolution.kept.table(of: $0.links) == nil }
      .map { (evolution.destination, $0) }
  }

  /// Returns the tables that have the records of entities.
  private func tables(of entities: [EntityDescription], _ mapping: SQLSchema) -> [String] {
    entities.compactMap { mapping.entity($0)?.table.reference }
  }
}
