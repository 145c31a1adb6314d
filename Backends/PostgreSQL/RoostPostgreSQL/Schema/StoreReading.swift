// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The state of a store as it was read when the store was opened.
struct OpenedState: Equatable {
  /// The metadata.
  var text: String
  /// The version of the store's own tables, and the number of migrations of the store.
  var format: StoreFormat
  /// The format number that the store will have after the contraction, for a session of its second version; nil for
  /// other sessions.
  var later: StoreFormat?
  /// The number of the store's second version, for a session of that version.
  var second: Int64?

  /// Returns whether a store is still in the version in which it was opened.
  ///
  /// - Parameters:
  ///   - number: The format number that the store has.
  ///   - mark: The number of its second version as text; nil for none.
  func accepts(_ number: Int64, second mark: String?) -> Bool {
    guard let second, number == format.number else { return accepts(number) }
    return mark == String(second)
  }

  /// Returns whether a store with a format number is still in the version in which it was opened.
  func accepts(_ number: Int64) -> Bool {
    number == format.number || number == later?.number
  }
}

/// The information that is read before a store can be used, all of it in one round trip.
struct StoreReading {
  /// The metadata as text, and the version of the store's own tables.
  let opened: OpenedState
  /// The identifiers of tables and columns.
  var names: [String: String]
  /// The tables with their columns, and the indexes.
  let catalog: SQLCatalog

  /// Whether the store serves a second version, or is being expanded.
  var hasSecondVersion: Bool { catalog.columnsByTable[PostgreSQLNamespace.versions] != nil }

  /// Whether the history tables exist.
  var hasHistory: Bool { catalog.columnsByTable[PostgreSQLNamespace.historyState] != nil }

  /// Returns the command that takes the lock of a store in use: while a connection holds it, the store is not
  /// destroyed. Only in the connection's own session: a shared session would hold the lock for other clients.
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

  /// Returns the queries that read everything; the first one also takes the lock. The version comes first, with the
  /// metadata: in a schema that is not a store, or in a newer store, the other statements may fail. For a new server
  /// process, each statement costs more than the data that it reads.
  static func commands(_ connection: PostgreSQLConnection) -> [PostgreSQLCommand] {
    let namespace = connection.namespace
    let lock = connection.pooler == .none ? ", " + taking(connection) : ""
    return [
      .once("SELECT json, format\(lock) FROM \(namespace.metadataTable)"), namespace.readingNames,
    ] + SQLCatalog.reading(namespace)
  }

  /// Begins a read-only transaction, and reads everything in it.
  static func beginSnapshot(_ connection: PostgreSQLConnection) throws -> StoreReading {
    _ = try connection.run([.beginReading]).get()
    do {
      return try StoreReading(connection.run(commands(connection)))
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// Decodes the results.
  ///
  /// - Throws: `persistentStoreOpen` for a version that this code does not know, `corruptStore`, or the server's
  ///   error.
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
