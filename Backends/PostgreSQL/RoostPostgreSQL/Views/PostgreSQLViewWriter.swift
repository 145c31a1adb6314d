// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// Changes the views of a store in the open transaction of a connection.
struct PostgreSQLViewWriter {
  /// Counts the statements, and passes them to the log's listener.
  let log: StoreLog?
  let connection: PostgreSQLConnection

  /// Makes views in a schema, which is made when it is missing, and removes the store's other views there.
  ///
  /// - Returns: The names of the views, as statements name them.
  func replace(_ views: [SQLView], in place: PostgreSQLViewPlace) throws -> [String] {
    try makeSchema(of: place)
    let existing = try ExistingViews(in: place.schema, connection)
    for view in views where existing.foreign.contains(view.name) {
      throw PersistenceError(
        .invalidRequest,
        "The schema \(place.schema) has a \(view.name) that is no view of this store: choose another "
          + "schema.")
    }
    let wanted = Set(views.map(\.name))
    for name in existing.own where !wanted.contains(name) {
      try drop(place.name(name), place)
    }
    for view in views { try replace(view, in: place, isThere: existing.own.contains(view.name)) }
    return views.map(place.name)
  }

  /// Removes the store's views from a schema.
  ///
  /// - Returns: Their names, as statements name them.
  func remove(from place: PostgreSQLViewPlace) throws -> [String] {
    let names = try ExistingViews(in: place.schema, connection).own.map(place.name)
    for name in names { try drop(name, place) }
    guard !names.isEmpty else { return [] }
    try removeSchema(of: place)
    return names
  }

  /// Removes a schema that was made for views, unless something else is in it.
  private func removeSchema(of place: PostgreSQLViewPlace) throws {
    let comment = try connection.run(
      PostgreSQLCommand(
        "SELECT pg_catalog.obj_description(oid, 'pg_namespace') FROM pg_catalog.pg_namespace"
          + " WHERE nspname = $1", [.text(place.schema)], isKept: false))
    guard comment.count == 1, comment.text() == place.comment else { return }
    do {
      try attempt("DROP SCHEMA \(SQLView.quoted(place.schema))")
    } catch let error as PostgreSQLError where error.keepsSchema {
      return
    }
  }

  private func makeSchema(of place: PostgreSQLViewPlace) throws {
    let namespace = PostgreSQLNamespace(schema: place.schema)
    switch try namespace.state(connection) {
    case .store:
      throw PersistenceError(
        .invalidRequest,
        "The schema \(place.schema) is a store of Roost: views have a schema of their own.")
    case .empty(exists: false):
      for definition in place.definitions { try run(definition) }
    case .empty, .foreign: break
    }
  }

  /// Makes a view. As far as its first columns are the same, other views can stay on it.
  private func replace(
    _ view: SQLView, in place: PostgreSQLViewPlace, isThere: Bool
  ) throws {
    guard isThere else {
      return try run(place.definition(view), place.marking(view))
    }
    do {
      try attempt(place.definition(view, replacing: true))
    } catch let error as PostgreSQLError where error.changesColumns {
      let grants = try ExistingViews.grants(on: view.name, in: place, connection)
      try drop(place.name(view), place)
      try run(place.definition(view), place.marking(view))
      for grant in grants {
        do {
          try attempt(grant)
        } catch let error as PostgreSQLError where error.missesColumn {
          // The column of the right is gone.
        }
      }
    }
  }

  private func drop(_ name: String, _ place: PostgreSQLViewPlace) throws {
    do {
      try run("DROP VIEW \(name)")
    } catch let error as PostgreSQLError where error.hasDependents {
      throw PersistenceError(
        .persistentStoreOperation,
        "The view \(name) has to change, and views of other programs depend on it: drop them, and make "
          + "them again afterwards.", underlying: error)
    }
  }

  func run(_ statements: String...) throws {
    for statement in statements { log?.statement(statement) }
    _ = try connection.run(statements.map(PostgreSQLCommand.once)).get()
  }

  /// Runs a statement that the transaction survives when it fails.
  func attempt(_ statements: String...) throws {
    for statement in statements { log?.statement(statement) }
    let outcome = try connection.run(
      [.once("SAVEPOINT roost_view")] + statements.map(PostgreSQLCommand.once)
        + [.once("RELEASE SAVEPOINT roost_view")])
    guard let failure = outcome.failure else { return }
    guard failure.error.kind == .refused else { throw failure.error }
    _ = try connection.run([
      .once("ROLLBACK TO SAVEPOINT roost_view"), .once("RELEASE SAVEPOINT roost_view"),
    ]).get()
    throw failure.error
  }
}

extension PostgreSQLError {
  /// Whether a view was not replaced because its columns are others.
  fileprivate var changesColumns: Bool { sqlState == "42P16" }
  /// Whether a column does not exist.
  fileprivate var missesColumn: Bool { sqlState == "42703" }
}
