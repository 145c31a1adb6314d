// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The indexes of words that a store has, beside those that the model wants.
struct WordTables {
  /// The columns that are to have an index.
  private let wanted: [SQLWordColumn]
  private let present: [Present]

  /// How long the triggers wait for the saves that are under way, in milliseconds.
  private static let longestWait = 2_000

  struct Present {
    let table: WordTable
    /// Whether its tables and triggers are all there.
    let isIntact: Bool
    /// Whether the user may read the words.
    let isReadable: Bool
    /// Whether a text is not indexed.
    let hasNotes: Bool
  }

  /// Reads the indexes.
  init(_ connection: PostgreSQLConnection, _ mapping: SQLSchema) throws {
    wanted = mapping.wordColumns
    let dialect = mapping.dialect
    let registry = dialect.qualified(WordTable.registry)
    let exists = try connection.run(
      .once(
        "SELECT pg_catalog.to_regclass(\(PostgreSQLNamespace.literal(registry))) IS NOT NULL"))
    guard exists.isTrue() else {
      present = []
      return
    }
    let result = try connection.run(
      .once(
        """
        SELECT id, place, part, signature, position FROM \(registry) ORDER BY id
        """))
    present = try (0..<result.count).map { row in
      guard let table = result.text(row, 1), let column = result.text(row, 2),
        SQLNames.isIdentifier(table), SQLNames.isIdentifier(column)
      else { throw PersistenceError(.corruptStore, "The store's table of words is damaged.") }
      let position = result.text(row, 4) == nil ? nil : result.integer(row, 4)
      return try Self.state(
        of: WordTable(
          id: result.integer(row, 0), table: table, column: column,
          signature: result.text(row, 3) ?? "", position: position), dialect, connection)
    }
  }

  private static func state(
    of table: WordTable, _ dialect: SQLDialect, _ connection: PostgreSQLConnection
  ) throws -> Present {
    func identity(_ name: String) -> String {
      "pg_catalog.to_regclass(\(PostgreSQLNamespace.literal(dialect.qualified(name))))"
    }
    let pattern = PostgreSQLNamespace.literal(
      table.name.replacing("_", with: "\\_") + "\\_%")
    let (words, notes) = (identity(table.name), identity(table.notes))
    // The functions of a schema that was renamed write into the former one.
    let place = PostgreSQLNamespace.literal(dialect.qualified(table.notes))
    let result = try connection.run(
      .once(
        """
        SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_trigger AS t \
        JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid \
        WHERE pg_catalog.strpos(p.prosrc, \(place)) > 0 \
        AND t.tgrelid = CAST(\(identity(table.table)) AS pg_catalog.oid) \
        AND t.tgname LIKE \(pattern) AND t.tgenabled IN ('O', 'A')) = \(WordTable.triggerCount) \
        AND \(words) IS NOT NULL AND \(notes) IS NOT NULL, \
        coalesce(pg_catalog.has_table_privilege(CAST(\(words) AS pg_catalog.oid), 'SELECT') \
        AND pg_catalog.has_table_privilege(CAST(\(notes) AS pg_catalog.oid), 'SELECT'), FALSE)
        """))
    let (isIntact, isReadable) = (result.isTrue(0, 0), result.isTrue(0, 1))
    let noted =
      isIntact && isReadable
      ? try connection.run(
        .once(
          "SELECT EXISTS (SELECT 1 FROM \(dialect.qualified(table.notes)) WHERE NOT is_large)"))
      : nil
    return Present(
      table: table, isIntact: isIntact, isReadable: isReadable, hasNotes: noted?.isTrue() == true)
  }

  // MARK: - Comparison

  /// The index of each wanted column that can be used as soon as it is built.
  var intact: [SQLWordColumn: Present] {
    var found: [SQLWordColumn: Present] = [:]
    for candidate in present {
      let table = candidate.table
      guard
        let column = wanted.first(where: { $0.table == table.table && $0.column == table.column }),
        found[column] == nil, table.signature == SearchWords.signature, candidate.isIntact
      else { continue }
      found[column] = candidate
    }
    return found
  }

  /// The indexes that statements can use.
  var usable: [SQLWordColumn: WordTable] {
    intact.filter { $0.value.table.position == nil && $0.value.isReadable }.mapValues(\.table)
  }

  /// Whether nothing is to be created or removed.
  var isReconciled: Bool {
    let intact = intact
    return intact.count == present.count && wanted.allSatisfy { intact[$0] != nil }
  }

  /// Whether nothing is to be created, built or removed.
  var isComplete: Bool {
    isReconciled && intact.values.allSatisfy { $0.table.position == nil && !$0.hasNotes }
  }

  // MARK: - Changes

  /// Removes the indexes that the model does not want, or that cannot be used, and creates the missing ones.
  static func reconcile(
    _ connection: PostgreSQLConnection, _ mapping: SQLSchema, log: (String) -> Void
  ) throws {
    let namespace = connection.namespace
    do {
      _ = try connection.run([
        .begin, try namespace.makingLock(),
        // Saves that come while this waits for those under way wait behind it.
        .once("SET LOCAL lock_timeout = \(longestWait)"),
      ]).get()
      let tables = try WordTables(connection, mapping)
      let intact = tables.intact
      for stray in tables.present where intact.values.allSatisfy({ $0.table != stray.table }) {
        try drop(stray.table, mapping.dialect, connection, log: log)
      }
      for column in tables.wanted where intact[column] == nil {
        try create(column, mapping.dialect, connection, log: log)
      }
      try connection.run(.commit)
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  private static func create(
    _ column: SQLWordColumn, _ dialect: SQLDialect, _ connection: PostgreSQLConnection,
    log: (String) -> Void
  ) throws {
    let registry = dialect.qualified(WordTable.registry)
    let results = try connection.run([
      .once(
        """
        CREATE TABLE IF NOT EXISTS \(registry) (\
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, place text COLLATE "C" NOT NULL, \
        part text COLLATE "C" NOT NULL, signature text COLLATE "C" NOT NULL, position bigint)
        """),
      try PostgreSQLCommand(
        "INSERT INTO \(registry) (place, part, signature, position) VALUES ($1, $2, $3, 0)"
          + " RETURNING id",
        [.text(column.table), .text(column.column), .text(SearchWords.signature)], isKept: false),
    ]).get()
    let table = WordTable(
      id: results[1].integer(), table: column.table, column: column.column,
      signature: SearchWords.signature, position: 0)
    for definition in table.definitions(dialect) {
      log(definition)
      try connection.run(.once(definition))
    }
  }

  private static func drop(
    _ table: WordTable, _ dialect: SQLDialect, _ connection: PostgreSQLConnection,
    log: (String) -> Void
  ) throws {
    for statement in table.removals(dialect) {
      log(statement)
      try connection.run(.once(statement))
    }
    try connection.run(
      .once("DELETE FROM \(dialect.qualified(WordTable.registry)) WHERE id = \(table.id)"))
  }

  /// Removes the indexes of the columns that an evolution does not keep in place, as part of its transaction: a column
  /// that a trigger names cannot be dropped.
  static func drop(
    before evolution: SQLEvolution, _ connection: PostgreSQLConnection, log: (String) -> Void
  ) throws {
    guard evolution.presentTables.contains(WordTable.registry) else { return }
    let kept = evolution.columnsInPlace
    for found in try WordTables(connection, evolution.source).present
    where kept[found.table.table]?.contains(found.table.column) != true {
      try drop(found.table, evolution.source.dialect, connection, log: log)
    }
  }
}
