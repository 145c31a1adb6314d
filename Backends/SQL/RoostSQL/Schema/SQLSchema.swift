// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The mapping of a store's entities and links to tables and columns, under their generated identifiers.
package final class SQLSchema: Sendable {
  /// The store's schema.
  package let store: StoreSchema
  /// The database's SQL dialect.
  package let dialect: SQLDialect
  /// The tables of records, by the order of their root entities.
  package let tables: [SQLTable]
  /// The tables of links.
  package let linkTables: [SQLLinkTable]
  /// The indexes of words that statements may use.
  package let wordIndexes: [SQLWordColumn: SQLWordIndex]
  private let entities: [ObjectIdentifier: SQLEntity]
  private let entitiesByCode: [SQLEntity?]
  private let linkTablesByLinks: [ObjectIdentifier: SQLLinkTable]

  /// Maps a store's schema.
  ///
  /// - Parameter names: The identifiers of the store's tables; new ones are added.
  package init(_ store: StoreSchema, dialect: SQLDialect, names: inout SQLNames) {
    self.store = store
    self.dialect = dialect
    wordIndexes = [:]
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

  private init(_ schema: SQLSchema, wordIndexes: [SQLWordColumn: SQLWordIndex]) {
    store = schema.store
    dialect = schema.dialect
    tables = schema.tables
    linkTables = schema.linkTables
    entities = schema.entities
    entitiesByCode = schema.entitiesByCode
    linkTablesByLinks = schema.linkTablesByLinks
    self.wordIndexes = wordIndexes
  }

  /// Returns the same mapping for statements that use some indexes of words.
  package func using(_ wordIndexes: [SQLWordColumn: SQLWordIndex]) -> SQLSchema {
    SQLSchema(self, wordIndexes: wordIndexes)
  }

  /// The columns with searchable texts.
  package var wordColumns: [SQLWordColumn] { tables.flatMap(\.wordColumns) }

  /// Returns the mapping of an entity; nil when the store does not hold it.
  package func entity(_ entity: EntityDescription) -> SQLEntity? {
    entities[ObjectIdentifier(entity)]
  }

  /// Returns the table of links; nil when the store does not hold them.
  package func linkTable(_ links: LinkTable) -> SQLLinkTable? {
    linkTablesByLinks[ObjectIdentifier(links)]
  }
}
