// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Plans the indexes of one table: those that the model declares, and those that relationships need.
struct SQLIndexPlanner {
  let tableName: String
  let codes: [Int]
  let columns: [SQLColumn]
  let store: StoreSchema
  let dialect: SQLDialect
  private(set) var indexes: [SQLIndex] = []
  private(set) var constraints: [SQLConstraint] = []

  init(
    tableName: String, codes: [Int], columns: [SQLColumn], store: StoreSchema,
    dialect: SQLDialect
  ) {
    self.tableName = tableName
    self.codes = codes
    self.columns = columns
    self.store = store
    self.dialect = dialect
  }

  /// Plans the indexes of one entity.
  mutating func plan(
    _ entity: EntityDescription, columnBySlot: [Int], names: inout SQLNames
  ) {
    planConstraints(entity, columnBySlot: columnBySlot, names: &names)
    planFetchIndexes(entity, columnBySlot: columnBySlot, names: &names)
    planRelationships(entity, columnBySlot: columnBySlot, names: &names)
  }

  /// Plans the index that finds the records of one entity of a hierarchy among the others.
  mutating func planHierarchy(_ root: EntityDescription, names: inout SQLNames) {
    guard codes.count > 1 else { return }
    let identifier = names.identifier(
      for: .index("hierarchy", entity: root.name ?? "", name: ""),
      suggestion: tableName + "_by_entity")
    add(identifier, [SQLEntityFilter.expression(dialect)], columns: [], isUnique: false)
  }

  // MARK: - Declared by the model

  private mutating func planConstraints(
    _ entity: EntityDescription, columnBySlot: [Int], names: inout SQLNames
  ) {
    for properties in entity.uniquenessConstraints {
      let slots = properties.compactMap { entity.layout.slot(named: $0) }
      guard slots.count == properties.count, !slots.isEmpty,
        slots.allSatisfy({ columnBySlot[$0.index] >= 0 })
      else { continue }
      let columns = slots.map { self.columns[columnBySlot[$0.index]].name }
      let identifier = names.identifier(
        for: .index(
          "unique", entity: entity.name ?? "", name: properties.joined(separator: ",")),
        suggestion: tableName + "_unique_" + columns.joined(separator: "_"))
      let index = add(
        identifier, columns.map(dialect.quoted), columns: columns, isUnique: true,
        condition: hierarchyCondition(entity))
      constraints.append(
        SQLConstraint(
          entityName: entity.name ?? "", properties: properties, slots: slots, index: index))
    }
  }

  /// Returns the condition of a constraint's index; nil when it includes all records of the table.
  private func hierarchyCondition(_ entity: EntityDescription) -> String? {
    let own = entity.concreteEntities.compactMap(store.code(of:)).sorted()
    return own == codes ? nil : SQLEntityFilter.condition(own, alias: nil, dialect: dialect)
  }

  private mutating func planFetchIndexes(
    _ entity: EntityDescription, columnBySlot: [Int], names: inout SQLNames
  ) {
    for index in entity.indexes {
      var terms: [String] = []
      var columns: [String] = []
      for element in index.elements {
        guard let property = element.propertyName,
          let slot = entity.layout.slot(named: property),
          columnBySlot[slot.index] >= 0
        else { break }
        let column = self.columns[columnBySlot[slot.index]].name
        columns.append(column)
        // An index serves an order only when it sorts nulls at the same end.
        let order = element.isAscending ? dialect.nullsFirst : " DESC" + dialect.nullsLast
        terms.append(dialect.quoted(column) + order)
      }
      guard !terms.isEmpty else { continue }
      let identifier = names.identifier(
        for: .index("fetch", entity: entity.name ?? "", name: index.name),
        suggestion: tableName + "_by_" + columns.joined(separator: "_"))
      add(
        identifier, terms, columns: columns, isUnique: false,
        condition: partialCondition(index, entity, columnBySlot: columnBySlot))
    }
  }

  private func partialCondition(
    _ index: FetchIndexDescription, _ entity: EntityDescription, columnBySlot: [Int]
  ) -> String? {
    guard let predicate = index.partialIndexPredicate else { return nil }
    let condition = SQLPartialCondition(entity: entity, model: store.model, dialect: dialect) {
      slot in
      columnBySlot.indices.contains(slot.index) && columnBySlot[slot.index] >= 0
        ? columns[columnBySlot[slot.index]] : nil
    }
    return condition.text(predicate)
  }

  // MARK: - Needed by relationships

  /// Plans an index for each to-one relationship whose inverse is to-many.
  private mutating func planRelationships(
    _ entity: EntityDescription, columnBySlot: [Int], names: inout SQLNames
  ) {
    for relationship in entity.relationshipsInOrder {
      guard case .toOne(let slot) = relationship.storage, columnBySlot[slot.index] >= 0,
        let inverse = relationship.maintainedInverse,
        case .inverseOfToOne(_, let position) = inverse.storage
      else { continue }
      let slots = [slot] + (position.map { [$0] } ?? [])
      let columns = slots.map { self.columns[columnBySlot[$0.index]].name }
      guard !indexes.contains(where: { $0.isFull && $0.columns.starts(with: columns) }) else {
        continue
      }
      let identifier = names.identifier(
        for: .index("relationship", entity: entity.name ?? "", name: relationship.name),
        suggestion: tableName + "_by_" + columns[0])
      let terms = columns.enumerated().map { index, column in
        dialect.quoted(column) + (index == 0 ? "" : dialect.nullsFirst)
      }
      add(identifier, terms, columns: columns, isUnique: false)
    }
  }

  @discardableResult
  private mutating func add(
    _ name: String, _ terms: [String], columns: [String], isUnique: Bool,
    condition: String? = nil
  ) -> SQLIndex {
    let index = SQLIndex(
      name: name, terms: terms, columns: columns, isUnique: isUnique, condition: condition)
    if !indexes.contains(where: { $0.name == name }) { indexes.append(index) }
    return index
  }
}

extension SQLIndex {
  /// Whether the index includes every record of the table.
  var isFull: Bool { condition == nil }
}

/// The condition that a record is of certain entities, by the low bits of its key.
enum SQLEntityFilter {
  /// Returns the expression of a record's entity code.
  static func expression(_ dialect: SQLDialect, alias: String? = nil) -> String {
    let key = dialect.quoted(SQLTable.key)
    return "(" + (alias.map { $0 + "." } ?? "") + key + " & 4095)"
  }

  /// Returns a condition of this kind that no index serves.
  static func withoutIndex(_ condition: String) -> String {
    "+" + condition
  }

  /// Returns the condition that is true for the records of entities with certain codes.
  static func condition(_ codes: [Int], alias: String?, dialect: SQLDialect) -> String {
    let code = expression(dialect, alias: alias)
    switch codes.count {
    case 0: return "1 = 0"
    case 1: return code + " = \(codes[0])"
    default: return code + " IN (" + codes.map(String.init).joined(separator: ", ") + ")"
    }
  }
}
