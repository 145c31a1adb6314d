// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Plans the tables, columns and indexes of a store's entities.
struct SQLSchemaPlanner {
  let store: StoreSchema
  let dialect: SQLDialect
  var names: SQLNames
  private(set) var tables: [SQLTable] = []
  private(set) var entities: [SQLEntity] = []
  private(set) var linkTables: [SQLLinkTable] = []

  init(_ store: StoreSchema, dialect: SQLDialect, names: SQLNames) {
    self.store = store
    self.dialect = dialect
    self.names = names
  }

  /// Plans a table for each hierarchy of which the store holds an entity.
  mutating func planTables() {
    var roots: [EntityDescription] = []
    var members: [ObjectIdentifier: [EntityDescription]] = [:]
    for entity in store.entities where store.code(of: entity) != nil {
      let root = entity.rootEntity
      if members[ObjectIdentifier(root)] == nil { roots.append(root) }
      members[ObjectIdentifier(root), default: []].append(entity)
    }
    for root in roots {
      planTable(root, members: members[ObjectIdentifier(root)] ?? [])
    }
  }

  /// Plans a table for each set of links that the store holds.
  mutating func planLinkTables() {
    for links in store.linkTables {
      let name = names.identifier(for: .links(links.name), suggestion: links.name)
      let reverse = names.identifier(
        for: .index("reverse", entity: links.name, name: ""), suggestion: name + "_reverse")
      linkTables.append(
        SQLLinkTable(
          name: name, reference: dialect.qualified(name), reverseIndex: reverse, links: links))
    }
  }

  private mutating func planTable(_ root: EntityDescription, members: [EntityDescription]) {
    let rootName = root.name ?? ""
    let name = names.identifier(for: .table(root: rootName), suggestion: rootName)
    var columns: [SQLColumn] = []
    var indexByIdentifier: [String: Int] = [:]
    var columnsBySlot: [[Int]] = []
    let space = SQLNames.Path.columnSpace(table: rootName)
    for entity in members {
      let stored = Set(entity.layout.storedSlots)
      let owners = SlotOwners(entity)
      columnsBySlot.append(
        zip(entity.layout.slots, entity.layout.names).map { slot, property in
          guard stored.contains(slot) else { return -1 }
          let path = SQLNames.Path.column(
            space, entity: owners.owner(of: slot), property: property)
          let identifier = names.identifier(for: path, suggestion: property)
          if let known = indexByIdentifier[identifier] { return known }
          indexByIdentifier[identifier] = columns.count
          columns.append(SQLColumn(name: identifier, kind: slot.kind))
          return columns.count - 1
        })
    }
    let codes = concreteCodes(members)
    var indexes = SQLIndexPlanner(
      tableName: name, codes: codes, columns: columns, store: store, dialect: dialect)
    for (entity, columnBySlot) in zip(members, columnsBySlot) {
      indexes.plan(entity, columnBySlot: columnBySlot, names: &names)
    }
    indexes.planHierarchy(root, names: &names)
    let table = SQLTable(
      name: name, reference: dialect.qualified(name), root: root, columns: columns, codes: codes,
      indexes: indexes.indexes,
      wordColumns: SQLWordColumn.all(of: members, table: name) { position, slot in
        let index = columnsBySlot[position][slot.index]
        return index < 0 ? nil : columns[index]
      })
    tables.append(table)
    for (entity, columnBySlot) in zip(members, columnsBySlot) {
      guard let code = store.code(of: entity) else { continue }
      entities.append(
        SQLEntity(
          entity: entity, code: code, table: table, columnBySlot: columnBySlot,
          concreteCodes: concreteCodes(entity.concreteEntities),
          constraints: indexes.constraints.filter { constraint in
            entity.superentityChain.contains { $0.name == constraint.entityName }
          }))
    }
  }

  private func concreteCodes(_ entities: [EntityDescription]) -> [Int] {
    entities.filter { !$0.isAbstract }.compactMap(store.code(of:)).sorted()
  }
}

extension EntityDescription {
  /// The entity, its superentity, and so on to the root.
  var superentityChain: [EntityDescription] {
    var chain = [self]
    while let next = chain[chain.count - 1].superentity { chain.append(next) }
    return chain
  }
}
