// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Abandonment of the second version. The transaction that drops its tables and columns also clears the second
// version's number, so a program that still has that version open fails with its next save, or with a request for a
// dropped object. Programs of the old version notice nothing.
extension PostgreSQLStore {
  package func abandonmentSteps() throws -> [MigrationPlan.Step] {
    try translating {
      try withReading { connection in
        let reading = try StoreReading.beginSnapshot(connection)
        defer { try? connection.rollBack() }
        let namespace = connection.namespace
        // A second version that another expansion has made since is not abandoned either.
        guard let second = try namespace.secondVersion(connection, reading),
          second.number == self.second?.number
        else { return [] }
        let additions = SecondVersionAdditions(old: reading.names, new: second.names)
        var steps = [
          MigrationPlan.Step(
            "remove the triggers that keep the versions in step", kind: .catalogue)
        ]
        for values in try AbandonedValues.all(additions, reading, connection) {
          steps.append(
            MigrationPlan.Step(dropping: values.name, try values.count(connection)))
        }
        return steps
      }
    }
  }

  package func abandonExpansion(
    evenComplete: Bool, ignoringSessions: Bool, allowingLoss: Bool
  ) throws {
    try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      try withConnection { connection in
        do {
          if !ignoringSessions { try VersionSessions(store: self).waitForNew(connection) }
          try LockRetry(store: self).run(connection) {
            try abandon(
              evenComplete, ignoringSessions, allowingLoss, wait: $0, connection)
          }
        } catch {
          try? connection.rollBack()
          throw error
        }
      }
    }
  }

  private func abandon(
    _ evenComplete: Bool, _ ignoringSessions: Bool, _ allowingLoss: Bool, wait: Int,
    _ connection: PostgreSQLConnection
  ) throws {
    let namespace = connection.namespace
    try beginStep(wait, connection)
    let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
    guard let second = try namespace.secondVersion(connection, reading),
      !second.isComplete || evenComplete, second.number == self.second?.number
    else { return try connection.rollBack() }
    let additions = SecondVersionAdditions(old: reading.names, new: second.names)
    // In the order in which a save locks them: it reads the metadata last.
    let tables = additions.allTables.filter { reading.catalog.columnsByTable[$0] != nil }
    if !tables.isEmpty {
      let list = tables.map(namespace.table).joined(separator: ", ")
      try connection.run(.once("LOCK TABLE \(list) IN ACCESS EXCLUSIVE MODE"))
    }
    // No program can adopt the second version while this runs: a program that adopts it reads the number first. The
    // column stays: saves of programs that are open since an earlier expansion name it.
    _ = try connection.run([
      .once("LOCK TABLE \(namespace.metadataTable) IN ACCESS EXCLUSIVE MODE"),
      .once("UPDATE \(namespace.metadataTable) SET second = NULL"),
    ]).get()
    if !ignoringSessions { try VersionSessions(store: self).refuseNew(connection) }
    if !allowingLoss { try additions.refuseLoss(reading, connection) }
    var commands = try namespace.droppingFunctions(connection)
    commands += try additions.removal(reading, connection)
    commands += [
      .once("DROP TABLE \(namespace.versionsTable)"),
      .once("DROP TABLE IF EXISTS \(namespace.newSessionsTable)"),
    ]
    for command in commands { log(command.text) }
    let outcome = try connection.run(commands + [.commit]).get()
    guard outcome.last?.tag == "COMMIT" else {
      throw PersistenceError(.migration, "The server rolled the abandonment back.")
    }
  }
}

extension SecondVersionAdditions {
  /// Checks for values that would be lost, now that writers are locked out: there may be more than the plan has
  /// counted.
  fileprivate func refuseLoss(
    _ reading: StoreReading, _ connection: PostgreSQLConnection
  ) throws {
    let lost = try AbandonedValues.all(self, reading, connection).filter {
      try $0.exist(connection)
    }
    guard lost.isEmpty else {
      throw PersistenceError(
        .migration,
        "The migration would lose data, which the description's evolution policy forbids: "
          + "values of \(lost.map(\.name).joined(separator: ", ")).")
    }
  }

  /// Returns the statements that restore the tables of the old version: they drop everything that has a name in the
  /// new version only, and the defaults of columns, of which a store of one version has none.
  fileprivate func removal(
    _ reading: StoreReading, _ connection: PostgreSQLConnection
  ) throws -> [PostgreSQLCommand] {
    let namespace = connection.namespace
    let indexes = self.indexes.map { "DROP INDEX IF EXISTS \(namespace.table($0))" }
    let tables = self.tables.map { "DROP TABLE IF EXISTS \(namespace.table($0))" }
    let columns = self.columns.filter { reading.catalog.columnsByTable[$0.table] != nil }.map {
      "ALTER TABLE \(namespace.table($0.table)) DROP COLUMN IF EXISTS "
        + PostgreSQLNamespace.quoted($0.column)
    }
    let shared = sharedTables.filter { reading.catalog.columnsByTable[$0] != nil }
    let defaults = try connection.run(
      PostgreSQLCommand(
        """
        SELECT c.relname, a.attname FROM pg_catalog.pg_attribute a \
        JOIN pg_catalog.pg_class c ON c.oid = a.attrelid \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1 AND c.relname = ANY($2) AND a.atthasdef AND a.attgenerated = '' AND NOT a.attisdropped
        """,
        [.text(namespace.schema), .list(SQLList(shared.map(SQLValue.text)))], isKept: false))
    let added = Set(self.columns.map { $0.table + "." + $0.column })
    let forgotten = (0..<defaults.count).compactMap { row -> String? in
      guard let table = defaults.text(row, 0), let column = defaults.text(row, 1),
        !added.contains(table + "." + column), SQLNames.isIdentifier(column)
      else { return nil }
      return "ALTER TABLE \(namespace.table(table)) ALTER COLUMN "
        + "\(PostgreSQLNamespace.quoted(column)) DROP DEFAULT"
    }
    return (indexes + tables + columns + forgotten).map(PostgreSQLCommand.once)
  }
}

extension MigrationPlan.Step {
  /// A step that removes values or records.
  fileprivate init(dropping name: String, _ count: Int) {
    self.init("drop \(name)", kind: .drop, rows: count)
    lock = .readersAndWritersWait
  }
}
