// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// What is known of a store since it was opened, as it was written then.
struct OpenedState: Equatable {
  /// The metadata.
  var text: String
  /// The version of the store's own tables, and how often it was brought to another version of its model.
  var format: StoreFormat
  /// The number that the store has once it is contracted, for who uses its second version; nil for everybody else.
  var later: StoreFormat?
  /// The number by which the store knows its second version, for who uses that.
  var second: Int64?

  /// Whether a store is the one that was opened, in the version in which it was opened.
  ///
  /// - Parameters:
  ///   - number: The number that the store has.
  ///   - mark: The number by which it knows its second version, as a text; nil for none.
  func accepts(_ number: Int64, second mark: String?) -> Bool {
    guard let second, number == format.number else { return accepts(number) }
    return mark == String(second)
  }

  /// Whether a store of a number is the one that was opened, in the version in which it was opened.
  func accepts(_ number: Int64) -> Bool {
    number == format.number || number == later?.number
  }
}

/// What is to be known of a store before it can be used: all of it is read in one round trip.
struct StoreReading {
  /// The metadata as they are written, and the version of the store's own tables.
  let opened: OpenedState
  /// The identifiers of tables and columns.
  var names: [String: String]
  /// The tables with their columns, and the indexes.
  let catalog: SQLCatalog

  /// Whether the store serves a second version, or is being made to.
  var hasSecondVersion: Bool { catalog.columnsByTable[PostgreSQLNamespace.versions] != nil }

  /// Whether the tables of a history are there.
  var hasHistory: Bool { catalog.columnsByTable[PostgreSQLNamespace.historyState] != nil }

  /// The lock that says that the store is in use: as long as a connection has it, the store is not destroyed.
  /// Only in the session that the connection knows: one that is shared would hold the lock for others.
  static func lock(_ connection: PostgreSQLConnection) -> [PostgreSQLCommand] {
    guard connection.pooler == .none else { return [] }
    return [.once("SELECT \(taking(connection))")]
  }

  private static func taking(_ connection: PostgreSQLConnection) -> String {
    """
    CASE WHEN pg_catalog.pg_backend_pid() = \(connection.backend) \
    THEN pg_catalog.pg_advisory_lock_shared(\(connection.namespace.usingLock)) END
    """
  }

  /// Asks for everything, and takes the lock. The version comes first, with the metadata: of a schema that is no store,
  /// or of a newer one, the other statements may make no sense. To a server that has just begun to serve this
  /// connection, each statement is more work than what it reads.
  static func commands(_ connection: PostgreSQLConnection) -> [PostgreSQLCommand] {
    let namespace = connection.namespace
    let lock = connection.pooler == .none ? ", " + taking(connection) : ""
    return [
      .once("SELECT json, format\(lock) FROM \(namespace.metadataTable)"), namespace.readingNames,
    ] + SQLCatalog.reading(namespace)
  }

  /// Begins a transaction that only reads, and asks for everything in it.
  static func beginSnapshot(_ connection: PostgreSQLConnection) throws -> StoreReading {
    _ = try connection.run([.beginReading]).get()
    do {
      return try StoreReading(connection.run(commands(connection)))
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// Takes the answers.
  ///
  /// - Throws: `persistentStoreOpen` for a version that this code does not know, `corruptStore`, or what the server
  ///   refuses.
  init(_ outcome: PipelineOutcome) throws {
    if outcome.failure?.index != 0, let format = outcome.results[0] {
      try PostgreSQLNamespace.checkFormat(format, column: 1)
    }
    let results = try outcome.get()
    opened = OpenedState(
      text: try PostgreSQLNamespace.metadataText(results[0]),
      format: StoreFormat(results[0].integer(0, 1)).with(
        version: PostgreSQLNamespace.formatVersion))
    names = try PostgreSQLNamespace.names(in: results[1])
    catalog = SQLCatalog(Array(results[2...]))
  }
}
