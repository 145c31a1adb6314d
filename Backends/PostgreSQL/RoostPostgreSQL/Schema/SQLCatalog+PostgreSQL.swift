// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

extension SQLCatalog {
  /// Reads the catalogue of a store's schema.
  ///
  /// - Parameter types: Receives the type of each column, by table and column.
  init(_ connection: PostgreSQLConnection, types: inout [String: [String: String]]) throws {
    self.init(try connection.run(Self.reading).get(), types: &types)
  }

  /// Asks for the catalogue of a store's schema.
  static var reading: [PostgreSQLCommand] {
    [
      .once(
        """
        SELECT c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod) \
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_attribute a \
        ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
        WHERE c.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class \
        WHERE oid = '"_roost_metadata"'::regclass) AND c.relkind IN ('r', 'p')
        """),
      .once(
        """
        SELECT c.relname, i.definition FROM pg_catalog.pg_class c \
        JOIN "_roost_indexes" i ON i.name = c.relname \
        WHERE c.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class \
        WHERE oid = '"_roost_metadata"'::regclass) AND c.relkind IN ('i', 'I')
        """),
    ]
  }

  /// The catalogue of the answers to ``reading``.
  init(_ results: [PostgreSQLResult], types: inout [String: [String: String]]) {
    self.init()
    for row in 0..<results[0].count {
      guard let table = results[0].text(row, 0) else { continue }
      columnsByTable[table, default: []].formUnion(results[0].text(row, 1).map { [$0] } ?? [])
      guard let column = results[0].text(row, 1) else { continue }
      types[table, default: [:]][column] = results[0].text(row, 2)
    }
    for row in 0..<results[1].count {
      guard let name = results[1].text(row, 0) else { continue }
      definitionsByIndex[name] = results[1].text(row, 1)
    }
  }
}

extension SQLSchema {
  /// Refuses tables that somebody else has changed: a column that was made is missing, or has another type.
  ///
  /// - Parameters:
  ///   - types: The type of each column that is there, by table and column.
  ///   - known: The identifiers that were given before this model.
  /// - Throws: `corruptStore`.
  func checkColumns(_ types: [String: [String: String]], names: SQLNames) throws {
    let fresh = Set(names.added.compactMap { names.identifiers[$0] })
    for table in tables {
      guard let found = types[table.name] else { continue }
      for column in table.columns {
        let type = found[column.name]
        let isRight =
          type.map { $0 == PostgreSQLType(column.kind).name } ?? fresh.contains(column.name)
        guard isRight else {
          throw PersistenceError(
            .corruptStore, "The table of an entity is not as the store has made it.",
            entityName: table.root.name, key: column.name)
        }
      }
    }
  }
}
