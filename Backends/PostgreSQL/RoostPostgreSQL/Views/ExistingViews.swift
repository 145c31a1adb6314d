// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The objects of a schema of views.
struct ExistingViews {
  /// The names of the store's views, sorted.
  let own: [String]
  /// The names of everything else.
  let foreign: Set<String>

  /// Reads the catalog of the server, of which the store's schema is the connection's.
  init(in schema: String, _ connection: PostgreSQLConnection) throws {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT c.relname, coalesce(d.description = $2 AND c.relkind = 'v', FALSE) \
        FROM pg_catalog.pg_class AS c \
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
        LEFT JOIN pg_catalog.pg_description AS d ON d.objoid = c.oid AND d.objsubid = 0 \
        AND d.classoid = CAST('pg_catalog.pg_class' AS pg_catalog.regclass) \
        WHERE n.nspname = $1 ORDER BY 1
        """,
        [.text(schema), .text(PostgreSQLViewPlace.comment(connection.namespace))], isKept: false))
    var own: [String] = []
    var foreign: Set<String> = []
    for row in 0..<result.count {
      guard let name = result.text(row) else { continue }
      if result.isTrue(row, 1) { own.append(name) } else { foreign.insert(name) }
    }
    self.own = own
    self.foreign = foreign
  }

  /// Returns the names of the schemas that have views of the store.
  static func schemas(_ connection: PostgreSQLConnection) throws -> [String] {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT DISTINCT n.nspname FROM pg_catalog.pg_description AS d \
        JOIN pg_catalog.pg_class AS c ON c.oid = d.objoid AND c.relkind = 'v' \
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
        WHERE d.classoid = CAST('pg_catalog.pg_class' AS pg_catalog.regclass) \
        AND d.objsubid = 0 AND d.description = $1 ORDER BY 1
        """,
        [.text(PostgreSQLViewPlace.comment(connection.namespace))], isKept: false))
    return (0..<result.count).compactMap { result.text($0) }
  }

  /// Returns the statements that give other users their rights to a view, and to single columns of it, again.
  static func grants(
    on view: String, in place: PostgreSQLViewPlace, _ connection: PostgreSQLConnection
  ) throws -> [String] {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' \
        ELSE pg_catalog.quote_ident(CAST(pg_catalog.pg_get_userbyid(a.grantee) AS text)) END, \
        a.is_grantable, r.part FROM pg_catalog.pg_class AS c \
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace, \
        LATERAL (SELECT c.relacl AS acl, CAST('' AS text) AS part UNION ALL \
        SELECT t.attacl, ' (' || pg_catalog.quote_ident(CAST(t.attname AS text)) || ')' \
        FROM pg_catalog.pg_attribute AS t \
        WHERE t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped) AS r, \
        LATERAL pg_catalog.aclexplode(r.acl) AS a \
        WHERE n.nspname = $1 AND c.relname = $2 AND a.privilege_type = 'SELECT' \
        AND a.grantee <> c.relowner
        """, [.text(place.schema), .text(view)], isKept: false))
    return (0..<result.count).compactMap { row in
      guard let user = result.text(row), let part = result.text(row, 2) else { return nil }
      return "GRANT SELECT\(part) ON \(place.name(view)) TO \(user)"
        + (result.isTrue(row, 1) ? " WITH GRANT OPTION" : "")
    }
  }
}
