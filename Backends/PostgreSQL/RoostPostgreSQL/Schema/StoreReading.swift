// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// What is to be known of a store before it can be used: all of it is read in one round trip.
struct StoreReading {
  /// The metadata as they are written.
  let metadata: String
  /// The identifiers of tables and columns.
  let names: [String: String]
  /// The tables and indexes.
  let catalog: SQLCatalog
  /// The type of each column, by table and column.
  let types: [String: [String: String]]

  /// The lock that says that somebody uses the store: as long as a connection has it, nobody destroys the store.
  static var lock: PostgreSQLCommand {
    .once("SELECT pg_advisory_lock_shared(\(PostgreSQLNamespace.usingLock))")
  }

  /// Asks for everything, and takes the lock. The version comes first, with the metadata: of a schema that is no store,
  /// or of a newer one, the other statements may make no sense. To a server that has just begun to serve this
  /// connection, each statement is more work than what it reads.
  static var commands: [PostgreSQLCommand] {
    let opening = """
      SELECT json, format, pg_advisory_lock_shared(\(PostgreSQLNamespace.usingLock)) \
      FROM "_roost_metadata"
      """
    return [.once(opening), PostgreSQLNamespace.readingNames] + SQLCatalog.reading
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
    metadata = try PostgreSQLNamespace.metadataText(results[0])
    names = try PostgreSQLNamespace.names(in: results[1])
    var types: [String: [String: String]] = [:]
    catalog = SQLCatalog(Array(results[2...]), types: &types)
    self.types = types
  }
}
