// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finds the obstacles to serving two versions side by side, before anything is written.
struct ExpansionCheck {
  let expansion: SQLExpansion
  var evolution: SQLEvolution { expansion.evolution }
  var change: SchemaChange { evolution.change }

  init(_ expansion: SQLExpansion) {
    self.expansion = expansion
  }

  /// A change that keeps the two versions from being served side by side.
  struct Obstacle: Hashable {
    let entity: String?
    var key: String?
    let text: String
  }

  /// Checks the expansion.
  ///
  /// - Throws: `migration`, which names all obstacles.
  func check() throws {
    var found = hierarchies() + (try slots()) + (try oldColumns()) + newColumns()
    found += constraints() + pairedConstraints() + relationships()
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

  /// The other version would see records that enter a table, and miss records that leave it.
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
    switch slot.origin {
    case .kept(let old), .converted(let old, _):
      let now = entity.destination.layout.contents[slot.slot.index]
      guard !now.isOptional || entity.source.layout.contents[old.index].isOptional else {
        return refusal(
          "becomes optional, and programs of the old version cannot read a record without it")
      }
      return try refusedType(slot, entity).map(refusal)
    case .defaulted(_, let value):
      return expansion.literal(try SQLValue(value)) == nil
        ? refusal("has a default that cannot stand in a definition") : nil
    case .derived:
      return refusal("is derived, and programs of the old version do not compute it")
    case .constant(let value):
      guard !value.isNull else { return nil }
      return expansion.literal(try SQLValue(value)) == nil
        ? refusal("has a default that cannot stand in a definition: give it another one") : nil
    case .moved: return nil
    }
  }

  /// Returns why two types cannot be served side by side.
  private func refusedType(_ slot: SlotChange, _ entity: EntityChange) throws -> String? {
    guard let (old, new) = entity.types(of: slot) else { return nil }
    var isKnown = true
    let rule = ColumnPair.Rule(old, new, isKnown: &isKnown)
    guard isKnown else { return "is of another type" }
    if let value = entity.demandedValue(slot), expansion.literal(try SQLValue(value)) == nil {
      return "has a default that cannot stand in a definition"
    }
    guard let rule, let defaults = entity.defaults(of: slot) else { return nil }
    return defaults.allSatisfy(rule.holds)
      ? nil
      : "has a default that programs of the other version cannot hold: it is to be \(rule.text)"
  }

  /// Columns that only the new version has, or that belong to more entities now.
  private func newColumns() -> [Obstacle] {
    evolution.evolvedColumns().compactMap { column in
      let values = column.members.compactMap { member -> Value? in
        if case .constant(let value) = member.slot.origin { value } else { nil }
      }
      func refusal(_ text: String) -> Obstacle {
        Obstacle(
          entity: column.members.first?.entity.destination.name, text: "\(column.title) \(text)")
      }
      guard values.allSatisfy({ $0 == values.first }) else {
        return refusal("has different defaults in different entities")
      }
      guard !values.allSatisfy(\.isNull) else { return nil }
      // A default that a record gets from the column could not be told from a value that the new version has written.
      guard !expansion.isPaired(column.column, of: column.table.reference) else {
        return refusal(
          "comes from several columns, and also to entities that did not have it and get a default: "
            + "make it optional first, without a default")
      }
      guard let value = values.first, let bound = try? SQLValue(value),
        expansion.literal(bound) != nil
      else { return refusal("has a default that cannot stand in a definition") }
      return nil
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

  /// Constraints over values that are copied to a second column: they would be violated while it is filled, by records
  /// that no check has looked for. Values that are unique in the old column are unique in the new one.
  private func pairedConstraints() -> [Obstacle] {
    let pairs = expansion.columnPairs().map(\.pair).filter(\.hasTwoHomes)
    return change.entities.flatMap { entity -> [Obstacle] in
      guard let mapped = evolution.destination.entity(entity.destination),
        let before = evolution.kept.table(ofRoot: mapped.table.root)
      else { return [] }
      return mapped.constraints.compactMap { constraint in
        let moved = pairs.filter {
          $0.table == mapped.table.reference
            && constraint.index.columns.contains($0.new.name)
        }
        guard !moved.isEmpty else { return nil }
        let columns = constraint.index.columns.map { name in
          moved.first { $0.new.name == name }?.old.name ?? name
        }
        let isOld = before.indexes.contains { $0.isUnique && $0.columns == columns }
        guard !isOld || moved.contains(where: { $0.demanded != nil }) else { return nil }
        return Obstacle(
          entity: constraint.entityName, key: constraint.properties.first,
          text: "\(constraint.entityName) is to be unique by "
            + constraint.properties.joined(separator: ", ")
            + ", whose values are kept in two places as long as both versions are served")
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
      guard
        old.value == nil || !old.isUsed
          || !expansion.isPaired(old.column, of: old.table.reference)
      else {
        return refusal(
          "has a default, and its column is still that of other entities, whose values move: remove "
            + "it in another step")
      }
      guard old.value == nil || isUnique != true else {
        return refusal(
          "all records of the new version would have the same value, which the old version wants "
            + "to be unique: make it optional first, without a default")
      }
      return nil
    }
  }
}

extension ColumnPair.Rule {
  /// Returns whether a default satisfies the rule.
  fileprivate func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.integer(let bits), .integer(let number)):
      return number >= -(1 << (bits - 1)) && number < 1 << (bits - 1)
    case (.whole(let bits), .double(let number)):
      let limit = Double(1 << (bits - 1))
      return number == number.rounded() && number >= -limit && number < limit
    case (.float, .double(let number)): return Float(number).isFinite || !number.isFinite
    case (.uri, .string(let text)): return Self.isPlainURI(text)
    case (.uri, .uri(let url)): return Self.isPlainURI(url.absoluteString)
    default: return true
    }
  }
}
