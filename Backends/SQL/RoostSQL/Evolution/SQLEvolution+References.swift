// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// References and links to removed records, or to records of an entity that is no longer the relationship's
// destination.
extension SQLEvolution {
  func staleReferences() -> [SQLEvolutionTask] {
    slotReferences() + linkReferences()
  }

  /// Columns that are cleared together, and the codes of the references.
  private struct Clearing: Hashable {
    let table: String
    let columns: [String]
    /// The codes of the records that the references lead to.
    let gone: Set<Int>
  }

  private func slotReferences() -> [SQLEvolutionTask] {
    var order: [(clearing: Clearing, title: String, place: Place, isHidden: Bool)] = []
    // Entities that share a column can refer to records of different entities.
    var codes: [Clearing: [Int]] = [:]
    for entity in change.entities {
      guard let mapped = destination.entity(entity.destination) else { continue }
      let place = place(of: mapped.table)
      let layout = entity.destination.layout
      for slot in entity.slots {
        guard case .reference(let new) = layout.contents[slot.slot.index],
          case .kept(let from) = slot.origin,
          case .reference(let old) = entity.source.layout.contents[from.index],
          let column = mapped.column(slot.slot)
        else { continue }
        let gone = change.codesLeft(by: old, for: new)
        guard !gone.isEmpty else { continue }
        var columns = [column.name]
        var isHidden = isNew(column, in: mapped.table)
        if case .inverseOfToOne(_, let position?)? = new.maintainedInverse?.storage,
          let column = mapped.column(position)
        {
          columns.append(column.name)
          isHidden = isHidden && isNew(column, in: mapped.table)
        }
        let clearing = Clearing(table: place.reference, columns: columns, gone: gone)
        if codes[clearing] == nil {
          order.append((clearing, "\(new.entity?.name ?? "").\(new.name)", place, isHidden))
        }
        codes[clearing, default: []].append(entity.code)
      }
    }
    return order.map { clearing, title, place, isHidden in
      let columns = clearing.columns.map(dialect.quoted)
      let conditions = [
        condition(columns[0], names: clearing.gone, others: false), inRange(key),
        condition(codes[clearing] ?? [], in: place),
      ]
      let text =
        "UPDATE \(place.reference) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", "))"
        + " WHERE \(conditions.compactMap { $0 }.joined(separator: " AND "))"
      return SQLEvolutionTask(
        "clear \(title) where it leads to what goes", kind: .fill,
        actions: [ranged(text, over: place)], isHidden: isHidden)
    }
  }

  private func linkReferences() -> [SQLEvolutionTask] {
    destination.linkTables.compactMap { table in
      guard let before = kept.table(of: table.links) else { return nil }
      let (old, new) = (before.links.relationship, table.links.relationship)
      let firsts = sourceCodes(old.entity).subtracting(destinationCodes(new.entity))
      let seconds = sourceCodes(old.destinationEntity)
        .subtracting(destinationCodes(new.destinationEntity))
      let source = dialect.quoted(SQLLinkTable.source)
      var conditions: [String] = []
      if !firsts.isEmpty { conditions.append(condition(source, names: firsts, others: false)) }
      if !seconds.isEmpty {
        conditions.append(
          condition(dialect.quoted(SQLLinkTable.destination), names: seconds, others: false))
      }
      guard !conditions.isEmpty else { return nil }
      let place = place(of: table)
      let text =
        "DELETE FROM \(place.reference) WHERE (\(conditions.joined(separator: " OR ")))"
        + " AND \(inRange(source))"
      return SQLEvolutionTask(
        "remove links of \(table.links.name) with what goes", kind: .fill,
        actions: [ranged(text, over: place, by: source)])
    }
  }
}
