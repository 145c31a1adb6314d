// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// References and links to records that go, or that are of another kind than a relationship leads to now.
extension SQLEvolution {
  func staleReferences() -> [SQLEvolutionTask] {
    slotReferences() + linkReferences()
  }

  private func slotReferences() -> [SQLEvolutionTask] {
    var tasks: [SQLEvolutionTask] = []
    var seen: Set<String> = []
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
        let gone = sourceCodes(old.destinationEntity)
          .subtracting(destinationCodes(new.destinationEntity))
        guard !gone.isEmpty, seen.insert(place.reference + column.name).inserted else { continue }
        let name = dialect.quoted(column.name)
        var assignments = ["\(name) = NULL"]
        if case .inverseOfToOne(_, let position?)? = new.maintainedInverse?.storage,
          let column = mapped.column(position)
        {
          assignments.append("\(dialect.quoted(column.name)) = NULL")
        }
        let text =
          "UPDATE \(place.reference) SET \(assignments.joined(separator: ", "))"
          + " WHERE \(condition(name, names: gone)) AND \(inRange(key))"
        tasks.append(
          SQLEvolutionTask(
            "clear \(new.entity?.name ?? "").\(new.name) where it leads to what goes", kind: .fill,
            actions: [ranged(text, over: place)]))
      }
    }
    return tasks
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
      if !firsts.isEmpty { conditions.append(condition(source, names: firsts)) }
      if !seconds.isEmpty {
        conditions.append(
          condition(dialect.quoted(SQLLinkTable.destination), names: seconds))
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
