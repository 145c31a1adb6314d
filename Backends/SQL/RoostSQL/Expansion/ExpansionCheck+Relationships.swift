// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension ExpansionCheck {
  func relationships() -> [Obstacle] {
    moves() + removedReferences() + destinations()
      + evolution.staleReferences().map { Obstacle(entity: nil, text: "it would \($0.title)") }
  }

  /// Pairs of records that move to another place, or become ordered.
  private func moves() -> [Obstacle] {
    let moved = change.moves.compactMap {
      move -> (relationship: RelationshipDescription, text: String)? in
      guard !isKept(move), let text = expansion.obstacle(to: move) else { return nil }
      return (move.to.relationship, text)
    }
    let links = change.keptLinkTables.filter {
      $0.source.sourceIsOrdered != $0.destination.sourceIsOrdered
        || $0.source.destinationIsOrdered != $0.destination.destinationIsOrdered
    }.map { ($0.destination.relationship, "is kept in another place or in another order") }
    return (moved + links).map { relationship, text in
      let entity = relationship.entity?.name ?? ""
      return Obstacle(
        entity: entity, key: relationship.name, text: "\(entity).\(relationship.name) \(text)")
    }
  }

  /// Returns whether the pairs stay in their table, in their present order.
  private func isKept(_ move: RelationMove) -> Bool {
    guard move.keepsTable, case .links(let old) = move.from, case .links(let new) = move.to
    else { return false }
    return old.sourceIsOrdered == new.sourceIsOrdered
      && old.destinationIsOrdered == new.destinationIsOrdered
  }

  /// To-one relationships that only the old version has and that it requires, and orders that only it has.
  private func removedReferences() -> [Obstacle] {
    var obstacles: [Obstacle] = []
    let synced = Set(
      change.moves.compactMap { move -> ObjectIdentifier? in
        guard case .slot(let old) = move.from, case .links = move.to else { return nil }
        return ObjectIdentifier(old)
      })
    for entity in change.entities {
      let used = Set(entity.slots.compactMap(\.origin.sourceSlot))
      let layout = entity.source.layout
      for slot in layout.storedSlots where !used.contains(slot) {
        let name = entity.source.name ?? ""
        switch layout.contents[slot.index] {
        case .attribute: continue
        case .reference(let relationship)
        where synced.contains(ObjectIdentifier(relationship)):
          continue
        case .reference(let relationship) where !relationship.isOptional:
          obstacles.append(
            Obstacle(
              entity: name, key: relationship.name,
              text: "\(name).\(relationship.name) is removed, and programs of the old version "
                + "demand it: make it optional first"))
        case .reference(let relationship):
          // The new version reads it at its inverse, and writes it only there.
          guard evolution.isContinued(relationship) else { continue }
          obstacles.append(
            Obstacle(
              entity: name, key: relationship.name,
              text: "\(name).\(relationship.name) is kept at its inverse only, and programs of the "
                + "old version look for it in both places"))
        case .position(let relationship):
          guard let inverse = relationship.maintainedInverse, let slot = inverse.slot,
            used.contains(slot)
          else { continue }
          let owner = relationship.entity?.name ?? ""
          obstacles.append(
            Obstacle(
              entity: owner, key: relationship.name,
              text: "\(owner).\(relationship.name) has an order in one version only"))
        }
      }
    }
    return obstacles
  }

  /// Relationships with destination entities that the old version does not expect there.
  private func destinations() -> [Obstacle] {
    var pairs: [(old: RelationshipDescription, new: RelationshipDescription)] = []
    for entity in change.entities {
      for slot in entity.slots {
        guard case .reference(let new) = entity.destination.layout.contents[slot.slot.index],
          case .kept(let from) = slot.origin,
          case .reference(let old) = entity.source.layout.contents[from.index]
        else { continue }
        pairs.append((old, new))
      }
    }
    for table in evolution.destination.linkTables {
      guard let before = evolution.kept.table(of: table.links) else { continue }
      pairs.append((before.links.relationship, table.links.relationship))
    }
    return pairs.compactMap { old, new in
      let known = evolution.sourceCodes(old.destinationEntity)
      guard !evolution.destinationCodes(new.destinationEntity).isSubset(of: known) else {
        return nil
      }
      let entity = new.entity?.name ?? ""
      return Obstacle(
        entity: entity, key: new.name,
        text: "\(entity).\(new.name) leads to entities that the old version does not know there")
    }
  }
}
