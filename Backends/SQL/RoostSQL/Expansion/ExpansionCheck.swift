// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Finds what keeps two versions from being served side by side. Everything is found before anything is written.
struct ExpansionCheck {
  private let expansion: SQLExpansion
  private var evolution: SQLEvolution { expansion.evolution }
  private var change: SchemaChange { evolution.change }

  init(_ expansion: SQLExpansion) {
    self.expansion = expansion
  }

  /// What stands in the way.
  private struct Obstacle: Hashable {
    let entity: String?
    var key: String?
    let text: String
  }

  /// Checks.
  ///
  /// - Throws: `migration`, which names all that stands in the way.
  func check() throws {
    var found = hierarchies() + (try slots()) + (try oldColumns()) + newColumns()
    found += constraints() + relationships()
    var seen: Set<Obstacle> = []
    let obstacles = found.filter { seen.insert($0).inserted }
    guard let first = obstacles.first else { return }
    throw PersistenceError(
      .migration,
      "The two versions cannot be served side by side: "
        + obstacles.map(\.text).joined(separator: "; ")
        + ". Migrate with .automatic while no program of the old version runs, or release the change "
        + "in another step.", entityName: first.entity, key: first.key)
  }

  // MARK: - Records

  /// Records that come to a table or leave it would be seen, or missed, by the other version.
  private func hierarchies() -> [Obstacle] {
    var obstacles: [Obstacle] = []
    for table in evolution.destination.tables {
      guard let before = evolution.kept.table(ofRoot: table.root) else { continue }
      let root = table.root.name ?? ""
      for code in Set(table.codes).subtracting(before.codes).sorted() {
        let name = name(of: code, change.destination)
        obstacles.append(
          Obstacle(
            entity: name,
            text: "records of \(name) would be seen by programs of the old version, which do not "
              + "know that entity in the hierarchy of \(root)"))
      }
      for code in Set(before.codes).subtracting(table.codes).sorted() {
        let name = name(of: code, change.source)
        obstacles.append(
          Obstacle(
            entity: name,
            text: "records of \(name) would be seen by programs of the new version, which do not "
              + "know that entity in the hierarchy of \(root)"))
      }
    }
    for entity in change.entities where !evolution.stays(entity) {
      let name = entity.destination.name ?? ""
      obstacles.append(
        Obstacle(entity: name, text: "records of \(name) move to the table of another hierarchy"))
    }
    return obstacles
  }

  private func name(of code: Int, _ schema: StoreSchema) -> String {
    schema.entity(ofKey: RecordKey.make(sequence: 1, entityCode: code))?.name ?? "an entity"
  }

  // MARK: - Values

  private func slots() throws -> [Obstacle] {
    try change.entities.flatMap { entity in
      try entity.slots.compactMap { try obstacle($0, entity) }
    }
  }

  private func obstacle(_ slot: SlotChange, _ entity: EntityChange) throws -> Obstacle? {
    let name = entity.destination.name ?? ""
    func refusal(_ text: String) -> Obstacle {
      Obstacle(entity: name, key: slot.name, text: "\(name).\(slot.name) \(text)")
    }
    let now = entity.destination.layout.contents[slot.slot.index]
    switch slot.origin {
    case .kept(let old):
      let before = entity.source.layout.contents[old.index]
      if case .attribute(let new, _) = now, case .attribute(let old, _) = before {
        if new.isOptional, !old.isOptional {
          return refusal(
            "becomes optional, and programs of the old version cannot read a record without it")
        }
        if new.type != old.type {
          return refusal("is of another type")
        }
      }
      if case .reference(let new) = now, case .reference(let old) = before,
        new.isOptional, !old.isOptional
      {
        return refusal(
          "becomes optional, and programs of the old version cannot read a record without it")
      }
      return nil
    case .defaulted(_, let value):
      return expansion.literal(try SQLValue(value)) == nil
        ? refusal("has a default that cannot stand in a definition") : nil
    case .converted: return refusal("is of another type")
    case .derived:
      return refusal("is derived, and programs of the old version do not compute it")
    case .constant(let value):
      guard !value.isNull else { return nil }
      return expansion.literal(try SQLValue(value)) == nil
        ? refusal("has a default that cannot stand in a definition: give it another one") : nil
    case .moved: return nil
    }
  }

  /// Columns that only the new version has, or that are those of more entities now.
  private func newColumns() -> [Obstacle] {
    evolution.evolvedColumns().compactMap { column in
      let values = column.members.compactMap { member -> Value? in
        if case .constant(let value) = member.slot.origin { value } else { nil }
      }
      func refusal(_ text: String) -> Obstacle {
        Obstacle(
          entity: column.members.first?.entity.destination.name, text: "\(column.title) \(text)")
      }
      if expansion.isShared(column) {
        // Two versions that write one value in two places would not see what the other wrote.
        let isElsewhere = column.members.contains { member in
          member.slot.origin.keptSlot != nil && member.old?.name != column.column.name
        }
        if isElsewhere { return refusal("comes from several columns") }
        return values.allSatisfy(\.isNull)
          ? nil
          : refusal("moves to entities that did not have it, and needs a value in each record")
      }
      guard values.allSatisfy({ $0 == values.first }) else {
        return refusal("has different defaults in different entities")
      }
      let isNew = column.members.allSatisfy { member in
        switch member.slot.origin {
        case .constant, .moved, .derived, .converted: true
        case .kept, .defaulted: false
        }
      }
      return isNew ? nil : refusal("comes from several columns")
    }
  }

  /// Records that the old version inserts have the defaults of new attributes, all of them the same.
  private func constraints() -> [Obstacle] {
    change.entities.flatMap { entity -> [Obstacle] in
      guard let mapped = evolution.destination.entity(entity.destination) else { return [] }
      return mapped.constraints.compactMap { constraint in
        let isTaken = constraint.slots.allSatisfy { slot in
          guard let found = entity.slots.first(where: { $0.slot == slot }),
            case .constant(let value) = found.origin
          else { return false }
          return !value.isNull
        }
        guard isTaken else { return nil }
        let names = constraint.properties.joined(separator: ", ")
        return Obstacle(
          entity: constraint.entityName, key: constraint.properties.first,
          text:
            "\(constraint.entityName) is to be unique by \(names), which all records of the old "
            + "version would have the same: make it optional first, without a default")
      }
    }
  }

  private func oldColumns() throws -> [Obstacle] {
    try expansion.oldAttributes().compactMap { old in
      let name = old.entity.source.name
      func refusal(_ text: String) -> Obstacle {
        Obstacle(
          entity: name, key: old.entity.source.layout.names[old.slot.index],
          text: "\(old.title) is removed, and \(text)")
      }
      if old.attribute is DerivedAttributeDescription {
        return refusal("programs of the new version do not compute it for those of the old one")
      }
      let lacksLiteral = old.value.map { expansion.literal($0) == nil } ?? false
      guard !old.lacksValue, !lacksLiteral else {
        return refusal(
          "programs of the old version cannot read a record without it: make it optional first")
      }
      let isUnique = evolution.source.entity(old.entity.source)?.constraints.contains {
        $0.slots.contains(old.slot)
      }
      guard old.value == nil || isUnique != true else {
        return refusal(
          "all records of the new version would have the same value, which the old version wants "
            + "to be unique: make it optional first, without a default")
      }
      return nil
    }
  }

  // MARK: - Relationships

  private func relationships() -> [Obstacle] {
    moves() + removedReferences() + destinations()
      + evolution.staleReferences().map { Obstacle(entity: nil, text: "it would \($0.title)") }
  }

  /// Pairs of records that come to another place, or get an order.
  private func moves() -> [Obstacle] {
    let pairs = change.moves.filter { move in
      guard move.keepsTable, case .links(let old) = move.from, case .links(let new) = move.to
      else { return true }
      return old.sourceIsOrdered != new.sourceIsOrdered
        || old.destinationIsOrdered != new.destinationIsOrdered
    }.map(\.to.relationship)
    let links = change.keptLinkTables.filter {
      $0.source.sourceIsOrdered != $0.destination.sourceIsOrdered
        || $0.source.destinationIsOrdered != $0.destination.destinationIsOrdered
    }.map(\.destination.relationship)
    return (pairs + links).map { relationship in
      let entity = relationship.entity?.name ?? ""
      return Obstacle(
        entity: entity, key: relationship.name,
        text: "\(entity).\(relationship.name) is kept in another place or in another order")
    }
  }

  /// To-one relationships of the old version alone that it demands, and orders that only it has.
  private func removedReferences() -> [Obstacle] {
    var obstacles: [Obstacle] = []
    for entity in change.entities {
      let used = Set(entity.slots.compactMap(\.origin.sourceSlot))
      let layout = entity.source.layout
      for slot in layout.storedSlots where !used.contains(slot) {
        let name = entity.source.name ?? ""
        switch layout.contents[slot.index] {
        case .attribute: continue
        case .reference(let relationship) where !relationship.isOptional:
          obstacles.append(
            Obstacle(
              entity: name, key: relationship.name,
              text: "\(name).\(relationship.name) is removed, and programs of the old version "
                + "demand it: make it optional first"))
        case .reference: continue
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

  /// Relationships that lead to entities that the old version does not expect there.
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
