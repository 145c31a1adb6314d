// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// Where the entities and links of a store are: which tables, which columns, under which generated identifiers.
package final class SQLSchema: Sendable {
  /// What the store holds.
  package let store: StoreSchema
  /// How the database writes SQL.
  package let dialect: SQLDialect
  /// The tables of records, by the order of their root entities.
  package let tables: [SQLTable]
  /// The tables of links.
  package let linkTables: [SQLLinkTable]
  private let entities: [ObjectIdentifier: SQLEntity]
  private let entitiesByCode: [SQLEntity?]
  private let linkTablesByLinks: [ObjectIdentifier: SQLLinkTable]

  /// Maps a store's schema.
  ///
  /// - Parameter names: The identifiers that the store's tables have; new ones are added.
  package init(_ store: StoreSchema, dialect: SQLDialect, names: inout SQLNames) {
    self.store = store
    self.dialect = dialect
    var planner = SQLSchemaPlanner(store, dialect: dialect, names: names)
    planner.planTables()
    planner.planLinkTables()
    names = planner.names
    tables = planner.tables
    linkTables = planner.linkTables
    var entities: [ObjectIdentifier: SQLEntity] = [:]
    let largestCode = planner.entities.map(\.code).max() ?? 0
    var byCode = [SQLEntity?](repeating: nil, count: largestCode + 1)
    for entity in planner.entities {
      entities[ObjectIdentifier(entity.entity)] = entity
      byCode[entity.code] = entity
    }
    self.entities = entities
    entitiesByCode = byCode
    linkTablesByLinks = Dictionary(
      uniqueKeysWithValues: planner.linkTables.map { (ObjectIdentifier($0.links), $0) })
  }

  /// Where an entity's records are; nil when the store does not hold it.
  package func entity(_ entity: EntityDescription) -> SQLEntity? {
    entities[ObjectIdentifier(entity)]
  }

  /// Where links are; nil when the store does not hold them.
  package func linkTable(_ links: LinkTable) -> SQLLinkTable? {
    linkTablesByLinks[ObjectIdentifier(links)]
  }
}
