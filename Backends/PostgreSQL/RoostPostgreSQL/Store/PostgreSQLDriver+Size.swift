// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLDriver {
  /// Returns the size of a store on its server in bytes, with its indexes and the values that are stored apart.
  ///
  /// - Parameter description: The description of a PostgreSQL store.
  /// - Throws: `persistentStoreOpen` when the server cannot be reached, or the errors of a read.
  /// - Complexity: One connection and three queries.
  package static func size(of description: PersistentStoreDescription) throws -> Int {
    let driver = description.type.driver as? PostgreSQLDriver ?? PostgreSQLDriver()
    let settings = try driver.settings(description)
    return try driver.translating(description) {
      let connection = try connect(settings, description, isReadOnly: true)
      let schema = PostgreSQLNamespace.literal(
        PostgreSQLNamespace.quoted(connection.namespace.schema))
      let tables = try ownTables(connection).map { SQLValue.text($0) }
      let result = try connection.run(
        PostgreSQLCommand(
          """
          SELECT CAST(coalesce(pg_catalog.sum(\
          pg_catalog.pg_total_relation_size(CAST(oid AS pg_catalog.regclass))), 0) AS bigint) \
          FROM pg_catalog.pg_class \
          WHERE relnamespace = CAST(pg_catalog.to_regnamespace(\(schema)) AS pg_catalog.oid) \
          AND CAST(relname AS text) = ANY($1)
          """, [.list(SQLList(tables))], isKept: false))
      return Int(result.integer())
    }
  }
}
