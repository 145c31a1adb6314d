// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLDriver {
  /// Removes the store's tables, and the schema if nothing else is in it (B239).
  package func destroy(_ description: PersistentStoreDescription) throws {
    let settings = try settings(description)
    try translating(description) {
      let connection = try Self.connect(settings, description)
      let namespace = connection.namespace
      if case .empty = try namespace.state(connection) { return }
      try namespace.check(connection)
      do {
        _ = try connection.run([.begin, try namespace.makingLock()]).get()
        try Self.remove(description, connection)
        try connection.run(.commit)
      } catch {
        try? connection.rollBack()
        throw error
      }
    }
  }

  /// Removes a store and its views, as part of the open transaction.
  static func remove(
    _ description: PersistentStoreDescription, _ connection: PostgreSQLConnection
  ) throws {
    let namespace = connection.namespace
    let names = try ownTables(connection)
    try takeAlone(
      description, hasSessions: names.contains(PostgreSQLNamespace.sessions), connection)
    let views = PostgreSQLViewWriter(log: description.log, connection: connection)
    for schema in try ExistingViews.schemas(connection) {
      _ = try views.remove(from: PostgreSQLViewPlace(existing: schema, of: namespace))
    }
    let schema = PostgreSQLNamespace.quoted(namespace.schema)
    let tables = names.map(namespace.table)
    _ = try connection.run(
      [
        .once("DROP TABLE \(tables.joined(separator: ", "))")
      ] + namespace.droppingFunctions(connection)
        + namespace.droppingFunctions(connection, prefix: WordTable.prefix) + [
          .once("DROP SEQUENCE IF EXISTS \(namespace.sequence)"),
          .once("SAVEPOINT roost_schema"),
        ]
    ).get()
    guard let failure = try connection.run([.once("DROP SCHEMA \(schema)")]).failure else { return }
    // The schema stays when it contains objects of other programs, or belongs to another owner.
    guard failure.error.keepsSchema else { throw failure.error }
    try connection.run(.once("ROLLBACK TO SAVEPOINT roost_schema"))
  }

  /// Makes sure that no other program has the store open. The server may need a short time for connections that were
  /// just closed.
  private static func takeAlone(
    _ description: PersistentStoreDescription, hasSessions: Bool,
    _ connection: PostgreSQLConnection
  ) throws {
    guard try !description.isOn(StoreOption.forceDestroy) else { return }
    let deadline = Deadline(after: min(description.timeout, 1))
    let attempt = PostgreSQLCommand(
      "SELECT pg_catalog.pg_try_advisory_xact_lock(\(connection.namespace.usingLock))")
    func isTrue(_ command: PostgreSQLCommand) throws -> Bool {
      try connection.run(command).isTrue()
    }
    let search = StoreLease.search(connection.namespace)
    while true {
      if try isTrue(attempt), try !hasSessions || !isTrue(search) { return }
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.")
      }
      Thread.sleep(forTimeInterval: 0.002)
    }
  }

  /// Returns the tables of the schema that the store has created.
  static func ownTables(_ connection: PostgreSQLConnection) throws -> [String] {
    let known = Set(try connection.namespace.names(connection).values)
      .union(PostgreSQLNamespace.tables)
    return try SQLCatalog(connection).columnsByTable.keys
      .filter { known.contains($0) || WordTable.isOwn($0) }.sorted()
  }
}
