// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The indexes of words that a file has, beside those that the model wants.
struct WordTables {
  /// The table of all indexes of words, which exists from the first one on.
  static let registry = "_roost_words"

  private let catalog: SQLCatalog
  /// The columns that are to have an index.
  private let wanted: [SQLWordColumn]
  private let present: [WordTable]
  /// Whether the library has FTS5; without it nothing is created, used or removed.
  private let isSupported: Bool

  /// Reads the indexes, in a transaction. A file without any, of a model without searchable texts, costs no statement.
  ///
  /// - Throws: `corruptStore` when their table is damaged.
  init(_ connection: SQLiteConnection, _ mapping: SQLSchema, _ catalog: SQLCatalog) throws {
    self.catalog = catalog
    wanted = mapping.wordColumns
    present =
      catalog.otherTables.contains(Self.registry) ? try Self.all(connection) : []
    let hasNone = wanted.isEmpty && present.isEmpty && catalog.definitionsByTrigger.isEmpty
    isSupported = try !hasNone && Self.hasFullTextSearch(connection)
  }

  private static func hasFullTextSearch(_ connection: SQLiteConnection) throws -> Bool {
    try connection.number("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'") == 1
  }

  private static func all(_ connection: SQLiteConnection) throws -> [WordTable] {
    let query = "SELECT id, place, part, signature, position FROM \(registry) ORDER BY id"
    return try connection.withStatement(query) { statement in
      var found: [WordTable] = []
      while try statement.step() {
        guard let table = statement.string(1), let column = statement.string(2),
          SQLNames.isIdentifier(table), SQLNames.isIdentifier(column)
        else { throw PersistenceError(.corruptStore, "The store's table of words is damaged.") }
        found.append(
          WordTable(
            id: statement.integer(0), table: table, column: column,
            signature: statement.string(3) ?? "",
            position: statement.isNull(4) ? nil : statement.integer(4)))
      }
      return found
    }
  }

  // MARK: - Comparison

  /// The index of each wanted column that can be used as soon as it is built.
  private var intact: [SQLWordColumn: WordTable] {
    var found: [SQLWordColumn: WordTable] = [:]
    for table in present {
      guard
        let column = wanted.first(where: { $0.table == table.table && $0.column == table.column }),
        found[column] == nil, table.signature == SearchWords.signature, isIntact(table)
      else { continue }
      found[column] = table
    }
    return found
  }

  private func isIntact(_ table: WordTable) -> Bool {
    catalog.otherTables.isSuperset(of: [table.name, table.notes])
      && zip(table.triggers, table.triggerDefinitions).allSatisfy { name, definition in
        catalog.definitionsByTrigger[name] == definition
      }
  }

  /// The indexes that statements can use.
  var usable: [SQLWordColumn: WordTable] {
    isSupported ? intact.filter { $0.value.position == nil } : [:]
  }

  /// Returns whether nothing is to be created, built or removed.
  func isComplete(_ connection: SQLiteConnection) throws -> Bool {
    guard isSupported else { return true }
    let intact = intact
    guard wanted.allSatisfy({ intact[$0] != nil }), intact.count == present.count,
      catalog.definitionsByTrigger.count == intact.values.reduce(0, { $0 + $1.triggers.count })
    else { return false }
    return try intact.values.allSatisfy { table in
      try table.position == nil
        && connection.number("SELECT key FROM \(table.notes) LIMIT 1") == nil
    }
  }

  // MARK: - Changes

  /// Removes the indexes that the model does not want, or that cannot be used, and creates the missing ones, in the
  /// open transaction.
  func reconcile(_ connection: SQLiteConnection, log: (String) -> Void) throws {
    guard isSupported else { return }
    let intact = intact
    for table in present where !intact.values.contains(table) {
      try Self.drop(table, connection, log: log)
    }
    let known = Set(intact.values.flatMap(\.triggers))
    for trigger in catalog.definitionsByTrigger.keys.sorted() where !known.contains(trigger) {
      let text = "DROP TRIGGER IF EXISTS \(SQLDialect.sqlite.quoted(trigger))"
      log(text)
      try connection.execute(text)
    }
    for column in wanted where intact[column] == nil {
      try Self.create(column, connection, log: log)
    }
  }

  private static func create(
    _ column: SQLWordColumn, _ connection: SQLiteConnection, log: (String) -> Void
  ) throws {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(registry) (id INTEGER PRIMARY KEY AUTOINCREMENT, "
        + "place TEXT NOT NULL, part TEXT NOT NULL, signature TEXT NOT NULL, position INTEGER) "
        + "STRICT")
    try connection.run(
      "INSERT INTO \(registry) (place, part, signature, position) VALUES (?1, ?2, ?3, 0)",
      [.text(column.table), .text(column.column), .text(SearchWords.signature)])
    let id = try connection.number("SELECT max(id) FROM \(registry)") ?? 0
    let table = WordTable(
      id: id, table: column.table, column: column.column, signature: SearchWords.signature,
      position: 0)
    for definition in table.tableDefinitions + table.triggerDefinitions {
      log(definition)
      try connection.execute(definition)
    }
  }

  private static func drop(
    _ table: WordTable, _ connection: SQLiteConnection, log: (String) -> Void
  ) throws {
    try dropTriggers(of: table, connection, log: log)
    for name in [table.name, table.notes] {
      let statement = "DROP TABLE IF EXISTS \(name)"
      log(statement)
      try connection.execute(statement)
    }
    try connection.run("DELETE FROM \(registry) WHERE id = ?1", [.integer(table.id)])
  }

  private static func dropTriggers(
    of table: WordTable, _ connection: SQLiteConnection, log: (String) -> Void
  ) throws {
    for trigger in table.triggers {
      let statement = "DROP TRIGGER IF EXISTS \(trigger)"
      log(statement)
      try connection.execute(statement)
    }
  }

  /// Removes the indexes of some columns, in the open transaction: a column that a trigger names cannot be dropped.
  /// Without FTS5 only the triggers are removed; where there is FTS5, the index is not intact then.
  ///
  /// - Parameter isGone: Returns whether the column of an index will be removed, or be in another table.
  static func drop(
    _ connection: SQLiteConnection, log: (String) -> Void, where isGone: (WordTable) -> Bool
  ) throws {
    guard
      try connection.number(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(registry)'") == 1
    else { return }
    let isSupported = try hasFullTextSearch(connection)
    for table in try all(connection) where isGone(table) {
      if isSupported {
        try drop(table, connection, log: log)
      } else {
        try dropTriggers(of: table, connection, log: log)
      }
    }
  }
}

// MARK: - Building

extension WordTables {
  /// Builds the indexes that are not yet built, and indexes what other programs have written, each portion in a
  /// transaction of its own. Killed anywhere, the next one to open the store goes on from there; several processes
  /// take turns.
  ///
  /// No transaction is open.
  ///
  /// - Parameter check: Called in each transaction, before it writes: the store may have been migrated elsewhere.
  /// - Returns: The indexes that statements can use.
  static func complete(
    _ connection: SQLiteConnection, _ mapping: SQLSchema, check: () throws -> Void
  ) throws -> [SQLWordColumn: WordTable] {
    func read() throws -> WordTables {
      try connection.reading {
        try WordTables(connection, mapping, SQLCatalog(connection, mapping))
      }
    }
    let tables = try read()
    guard tables.isSupported else { return [:] }
    for table in tables.intact.values.sorted(by: { $0.id < $1.id }) {
      let writer = WordWriter(table, connection)
      var isLeft = true
      while isLeft {
        isLeft = try connection.writing {
          try check()
          return try writer.writePortion()
        }
      }
    }
    return try read().usable
  }
}
