// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

extension SQLCatalog {
  /// Reads the catalog of a store's schema.
  init(_ connection: PostgreSQLConnection) throws {
    self.init(try connection.run(Self.reading(connection.namespace)).get())
  }

  /// Returns the queries of the catalog of a store's schema. They read table by table, because a new server process
  /// needs longer to plan a join than to run it. For the same reason conditions without an index are wrapped in CASE:
  /// the planner does not load the statistics of their columns then.
  static func reading(_ namespace: PostgreSQLNamespace) -> [PostgreSQLCommand] {
    let name = PostgreSQLNamespace.literal(PostgreSQLNamespace.quoted(namespace.schema))
    let schema = "(SELECT CAST(pg_catalog.to_regnamespace(\(name)) AS pg_catalog.oid))"
    return [
      .once(
        """
        SELECT CAST(oid AS bigint), relname, relkind FROM pg_catalog.pg_class \
        WHERE CASE WHEN relnamespace = \(schema) THEN TRUE END
        """),
      .once(
        """
        SELECT CAST(attrelid AS bigint), attname, CAST(atttypid AS bigint), \
        CAST(atttypmod AS bigint) FROM pg_catalog.pg_attribute WHERE attrelid = ANY(ARRAY(\
        SELECT oid FROM pg_catalog.pg_class WHERE CASE WHEN relnamespace = \(schema) \
        AND relkind IN ('r', 'p') THEN TRUE END)) \
        AND CASE WHEN attnum > 0 AND NOT attisdropped THEN TRUE END
        """),
      .once("SELECT name, definition FROM \(namespace.indexesTable)"),
    ]
  }

  /// Reads the catalog from the results of ``reading``.
  init(_ results: [PostgreSQLResult]) {
    self.init()
    var tables: [Int64: String] = [:]
    var indexes: Set<String> = []
    for row in 0..<results[0].count {
      guard let name = results[0].text(row, 1) else { continue }
      switch results[0].text(row, 2) {
      case "r", "p":
        tables[results[0].integer(row, 0)] = name
        columnsByTable[name] = [:]
      case "i", "I": indexes.insert(name)
      default: break
      }
    }
    for row in 0..<results[1].count {
      guard let table = tables[results[1].integer(row, 0)], let column = results[1].text(row, 1)
      else { continue }
      columnsByTable[table, default: [:]][column] = PostgreSQLType.name(
        ofNumber: results[1].integer(row, 2), modifier: results[1].integer(row, 3))
    }
    for row in 0..<results[2].count {
      guard let name = results[2].text(row, 0), indexes.contains(name) else { continue }
      definitionsByIndex[name] = results[2].text(row, 1)
    }
  }
}
