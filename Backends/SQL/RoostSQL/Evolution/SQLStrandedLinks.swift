// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The links of the old version into other stores that the new version would have to keep on their other side.
struct SQLStrandedLinks {
  let evolution: SQLEvolution

  /// Returns tasks that refuse the change if there are such links.
  func refusals() -> [SQLEvolutionTask] {
    evolution.change.strandedPlaces.compactMap { place in
      guard let query = query(for: place) else { return nil }
      let relationship = place.relationship
      return SQLEvolutionTask(
        "check \(relationship.entity?.name ?? "").\(relationship.name)", kind: .catalogue,
        actions: [.refuseLinks(query: query, place: place)])
    }
  }

  /// Returns a query for the keys of the records in a place of the source that have links into other stores.
  private func query(for place: RelationMove.Place) -> String? {
    let dialect = evolution.dialect
    switch place {
    case .slot(let relationship):
      guard let entity = relationship.entity.flatMap(evolution.source.entity),
        let slot = relationship.slot, let column = entity.column(slot)
      else { return nil }
      let table = evolution.place(ofSource: entity.table)
      let codes = evolution.sourceCodes(relationship.entity).sorted()
      let conditions =
        ["\(dialect.quoted(column.name)) < 0"]
        + [evolution.condition(codes, in: table)].compactMap { $0 }
      return "SELECT \(evolution.key) FROM \(table.reference)"
        + " WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(evolution.key)"
    case .links(let links):
      guard let table = evolution.source.linkTable(links) else { return nil }
      let first = dialect.quoted(SQLLinkTable.source)
      return "SELECT \(first) FROM \(table.reference)"
        + " WHERE \(dialect.quoted(SQLLinkTable.destination)) < 0 ORDER BY \(first)"
    }
  }
}
