// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// Creates, checks and locks the tables of the schema that do not depend on a model.
extension PostgreSQLNamespace {
  /// Keys have 51 bits for the number.
  private static let largestSequence: Int64 = 1 << 50

  /// The contents of a schema.
  enum State {
    /// The schema does not exist, or is empty.
    case empty(exists: Bool)
    /// The schema holds a store.
    case store
    /// The schema belongs to another program.
    case foreign
  }

  /// Returns the state of a schema. Needs no USAGE privilege.
  func state(_ connection: PostgreSQLConnection) throws -> State {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT n.oid IS NOT NULL, \
        (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid), \
        (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid \
        AND c.relname = '_roost_metadata') \
        FROM (SELECT 1) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
        """, [.text(schema)], isKept: false))
    if result.integer(0, 2) > 0 { return .store }
    if result.integer(0, 1) > 0 { return .foreign }
    return .empty(exists: result.isTrue())
  }

  /// Checks that a schema is Roost's, and fills an empty one.
  func makeOrRequire(_ connection: PostgreSQLConnection) throws {
    switch try state(connection) {
    case .store: return
    case .empty: try make(connection)
    case .foreign: break
    }
    try requireStore(connection)
  }

  /// Checks that a schema is a store in a format that this code supports. Writes nothing.
  func check(_ connection: PostgreSQLConnection) throws {
    try requireStore(connection)
    try Self.checkFormat(connection.run(readingFormat))
  }

  /// Checks that a schema is a store.
  func requireStore(_ connection: PostgreSQLConnection) throws {
    switch try state(connection) {
    case .store: break
    case .empty: throw PersistenceError(.persistentStoreOpen, "There is no store in the schema.")
    case .foreign:
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The schema holds the tables of another program.")
    }
  }

  /// Reads the format of a store's own tables.
  var readingFormat: PostgreSQLCommand {
    PostgreSQLCommand("SELECT format FROM \(metadataTable)")
  }

  /// Reads the store's format number, and the value that identifies its second version; null where it has none.
  var readingVersions: PostgreSQLCommand {
    .once("SELECT \(Self.format), pg_catalog.to_jsonb(m) ->> 'second' FROM \(metadataTable) AS m")
  }

  /// Refuses a format that this code does not support.
  static func checkFormat(_ format: PostgreSQLResult, column: Int32 = 0) throws {
    guard format.count == 1,
      StoreFormat(format.integer(0, column)).version <= acrossStoresVersion
    else {
      throw PersistenceError(.persistentStoreOpen, "The schema was written by a newer Roost.")
    }
  }

  /// Sets the store's format number, in the open transaction.
  func writing(_ format: StoreFormat) -> PostgreSQLCommand {
    .once(
      "UPDATE \(metadataTable) SET format = \(format.number - Self.formatVersion) + (format & 255)")
  }

  /// Raises the format, so that programs without support for saves and relationships across stores refuse the store.
  var raisingFormat: PostgreSQLCommand {
    let version = Self.acrossStoresVersion
    return .once(
      "UPDATE \(metadataTable) SET format = \(Self.format) + \(version - Self.formatVersion) "
        + "WHERE format & 255 < \(version)")
  }

  private func make(_ connection: PostgreSQLConnection) throws {
    // A connection that creates the same schema waits here.
    do {
      _ = try connection.run([.begin, try makingLock()]).get()
      try fill(connection)
      try connection.run(.commit)
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// Fills an empty schema, in the open transaction. Does nothing when another process was faster.
  func fill(_ connection: PostgreSQLConnection) throws {
    guard case .empty(let exists) = try state(connection) else { return }
    // With an existing schema, the privilege to create one is not needed.
    var commands =
      exists ? [] : [PostgreSQLCommand.once("CREATE SCHEMA \(Self.quoted(schema))")]
    commands += definitions.map(PostgreSQLCommand.once)
    commands.append(try writingMetadata(StoreMetadata(storeType: Self.storeType)))
    _ = try connection.run(commands).get()
  }

  /// The advisory lock for making or changing the tables of a store.
  func makingLock() throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      "SELECT pg_catalog.pg_advisory_xact_lock(\(Self.lockSpace), pg_catalog.hashtext($1))",
      [.text(schema)], isKept: false)
  }

  /// Tries to take the lock, and returns whether it was free.
  func tryingMakingLock() throws -> PostgreSQLCommand {
    try PostgreSQLCommand(
      "SELECT pg_catalog.pg_try_advisory_xact_lock(\(Self.lockSpace), pg_catalog.hashtext($1))",
      [.text(schema)], isKept: false)
  }

  /// Reads a value that changes with each save.
  var readingChangeMark: PostgreSQLCommand {
    PostgreSQLCommand(
      """
      SELECT coalesce(pg_catalog.md5(pg_catalog.string_agg(\
      token || ' ' || transaction, ',' ORDER BY token)), '') FROM \(commitsTable)
      """)
  }

  /// Tries to take the lock of a program that makes a new version of a store beside it, or migrates it in stages, and
  /// returns whether it was free.
  func tryingMigratingLock(for use: StoreMigrationUse) throws -> PostgreSQLCommand {
    // Two names with the same hash only wait for each other.
    let name = use == .secondPlace ? schema : "\(schema) \(use.rawValue)"
    return try PostgreSQLCommand(
      "SELECT pg_catalog.pg_try_advisory_xact_lock(\(Self.migratingLockSpace), pg_catalog.hashtext($1))",
      [.text(name)], isKept: false)
  }

  /// The lock that every open connection holds shared, and that destroying the store takes exclusively.
  var usingLock: String { "\(Self.lockSpace), CAST(\(identity(of: metadataTable)) AS integer)" }

  private var definitions: [String] {
    [
      """
      CREATE TABLE \(metadataTable) (id smallint PRIMARY KEY CHECK (id = 1), \
      format bigint NOT NULL, json text COLLATE "C" NOT NULL)
      """,
      """
      CREATE TABLE \(namesTable) (path text COLLATE "C" PRIMARY KEY, \
      identifier text COLLATE "C" NOT NULL)
      """,
      """
      CREATE TABLE \(indexesTable) (name text COLLATE "C" PRIMARY KEY, \
      definition text COLLATE "C" NOT NULL)
      """,
      """
      CREATE TABLE \(commitsTable) (token uuid PRIMARY KEY, transaction bigint NOT NULL \
      DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS bigint)) WITH (fillfactor = 50)
      """,
      sessionsDefinition,
      modelsDefinition,
      """
      CREATE SEQUENCE \(sequence) AS bigint MINVALUE 1 MAXVALUE \(Self.largestSequence) NO CYCLE
      """,
    ]
  }

  var modelsDefinition: String {
    """
    CREATE TABLE IF NOT EXISTS \(modelsTable) (checksum text COLLATE "C" PRIMARY KEY, \
    text text COLLATE "C" NOT NULL)
    """
  }

  var sessionsDefinition: String {
    """
    CREATE TABLE IF NOT EXISTS \(sessionsTable) (token uuid PRIMARY KEY, \
    renewed timestamp with time zone NOT NULL)
    """
  }
}

// MARK: - Metadata

extension PostgreSQLNamespace {
  /// Reads the metadata.
  func metadata(_ connection: PostgreSQLConnection) throws -> StoreMetadata {
    try Self.metadata(in: Self.metadataText(connection.run(readingMetadata)))
  }

  /// Reads the metadata.
  var readingMetadata: PostgreSQLCommand {
    PostgreSQLCommand("SELECT json FROM \(metadataTable)")
  }

  /// Reads the metadata, and locks their row until the transaction ends.
  func lockedMetadata(_ connection: PostgreSQLConnection) throws -> StoreMetadata {
    try Self.metadata(
      in: Self.metadataText(
        connection.run(.once("SELECT json FROM \(metadataTable) FOR UPDATE"))))
  }

  /// The text of the metadata in the result of ``readingMetadata``.
  static func metadataText(_ result: PostgreSQLResult) throws -> String {
    guard result.count == 1, let json = result.text() else {
      throw PersistenceError(.corruptStore, "The store's metadata is missing.")
    }
    return json
  }

  /// Decodes the metadata from their text.
  static func metadata(in json: String) throws -> StoreMetadata {
    let metadata = try StoreMetadata(json: Data(json.utf8))
    guard metadata.storeType == storeType else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The schema holds another type of store.")
    }
    return metadata
  }

  /// Writes the metadata, in the open transaction.
  func writingMetadata(_ metadata: StoreMetadata) throws -> PostgreSQLCommand {
    let json = String(decoding: try metadata.json(), as: UTF8.self)
    return try PostgreSQLCommand(
      """
      INSERT INTO \(metadataTable) (id, format, json) VALUES (1, \(Self.formatVersion), $1) \
      ON CONFLICT (id) DO UPDATE SET json = excluded.json
      """, [.text(json)])
  }
}

// MARK: - Metadata of a second version

extension PostgreSQLNamespace {
  /// Writes the metadata of a store's second version, in the open transaction. While the store serves both versions,
  /// its metadata are those of the old one, and the user values are common to both.
  ///
  /// - Parameters:
  ///   - old: The metadata of the old version.
  ///   - format: The format number of the store until it is contracted.
  func writingMetadata(
    _ metadata: StoreMetadata, beside old: StoreMetadata, until format: StoreFormat
  ) throws -> PostgreSQLCommand {
    var common = old
    common.userValues = metadata.userValues
    func text(_ metadata: StoreMetadata) throws -> SQLValue {
      .text(String(decoding: try metadata.json(), as: UTF8.self))
    }
    return try PostgreSQLCommand(
      "UPDATE \(metadataTable) SET json = CASE WHEN \(Self.format) = $1 THEN $2 ELSE $3 END",
      [.integer(format.number), try text(common), try text(metadata)], isKept: false)
  }
}

// MARK: - Names

extension PostgreSQLNamespace {
  /// Reads the identifiers of the store's tables and columns.
  func names(_ connection: PostgreSQLConnection) throws -> [String: String] {
    try Self.names(in: connection.run(readingNames))
  }

  /// Reads the identifiers.
  var readingNames: PostgreSQLCommand {
    PostgreSQLCommand("SELECT path, identifier FROM \(namesTable)")
  }

  /// The identifiers in the result of ``readingNames``.
  static func names(in result: PostgreSQLResult) throws -> [String: String] {
    var names: [String: String] = [:]
    for row in 0..<result.count {
      guard let path = result.text(row, 0), let identifier = result.text(row, 1),
        SQLNames.isIdentifier(identifier)
      else { throw PersistenceError(.corruptStore, "The store's table of names is damaged.") }
      names[path] = identifier
    }
    return names
  }

  /// Inserts new identifiers, in the open transaction.
  func addingNames(_ names: SQLNames) throws -> [PostgreSQLCommand] {
    let paths = names.added.filter { names.identifiers[$0] != nil }
    guard !paths.isEmpty else { return [] }
    return [
      try PostgreSQLCommand(
        "INSERT INTO \(namesTable) (path, identifier) SELECT * FROM unnest($1, $2)",
        [
          .list(SQLList(paths.map(SQLValue.text))),
          .list(SQLList(paths.compactMap { names.identifiers[$0] }.map(SQLValue.text))),
        ])
    ]
  }
}
