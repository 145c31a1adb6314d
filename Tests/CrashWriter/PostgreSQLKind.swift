// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import Roost
import RoostPostgreSQL

extension StoreKind {
  /// A schema of the database of `DATABASE_URL`, named after the URL of the store.
  static let postgreSQL = server("postgresql", "DATABASE_URL")

  /// The same, written as if each store had a server of its own.
  static let separatePostgreSQL = server(
    "postgresql-apart", "DATABASE_URL", sharesTransactions: false)

  /// The same on another server, that of `ROOST_SECOND_DATABASE_URL`.
  static let secondPostgreSQL = server("postgresql2", "ROOST_SECOND_DATABASE_URL")

  private static func server(
    _ kind: String, _ variable: String, sharesTransactions: Bool = true
  ) -> StoreKind {
    StoreKind(
      name: kind, sharesTransactions: sharesTransactions,
      describe: { url in
        try .postgresql(
          database(variable) + "application_name=" + name(url), schema: name(url))
      },
      waitUntilLeft: { url in
        try PostgreSQLSessions(database(variable)).waitUntilLeft(by: name(url))
      },
      findLeftovers: { url, identifier in
        try PostgreSQLSessions(database(variable)).findLeftovers(
          of: identifier, schema: name(url))
      },
      remove: { url in
        let description = try PersistentStoreDescription.postgresql(
          database(variable), schema: name(url))
        try PostgreSQLSessions(database(variable)).waitUntilLeft(by: name(url))
        try description.type.driver.destroy(description)
      })
  }

  /// Returns the last two components of a URL, which are unique to a test.
  private static func name(_ url: URL) -> String {
    url.pathComponents.suffix(2).joined(separator: "_")
  }

  /// The URI of the database, to which a parameter can be added.
  private static func database(_ variable: String) throws -> String {
    guard let uri = ProcessInfo.processInfo.environment[variable], !uri.isEmpty else {
      throw Inspection.Finding(description: "\(variable) is not set")
    }
    return uri + (uri.contains("?") ? "&" : "?")
  }
}

/// The sessions of a server.
private struct PostgreSQLSessions {
  private let uri: String

  init(_ uri: String) {
    self.uri = String(uri.dropLast())
  }

  /// Looks for prepared transactions of a store, also such that its tables do not name, and for rows that its tables
  /// have kept for longer than a program may take that prepares a transaction.
  func findLeftovers(of identifier: String, schema: String) throws -> String? {
    let questions = [
      (
        "prepared transactions",
        "SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'roost:\(identifier):%'"
      ),
      (
        "rows of parts",
        "SELECT count(*) FROM \"\(schema)\"._roost_prepared WHERE at < now() - interval '30 s'"
      ),
      ("decisions", "SELECT count(*) FROM \"\(schema)\"._roost_decisions"),
    ]
    for (what, question) in questions {
      // A store that took part in no save has no tables.
      guard let number = try count(question, unlessMissing: what != "prepared transactions")
      else { continue }
      guard number == "0" else { return "\(number) \(what)" }
    }
    return nil
  }

  /// Returns the number that a query counts; nil for a table that does not exist, if that is possible.
  private func count(_ question: String, unlessMissing: Bool) throws -> String? {
    let handle = PQconnectdb(uri)
    defer { PQfinish(handle) }
    let result = PQexec(handle, question)
    defer { PQclear(result) }
    if unlessMissing, let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))),
      String(cString: state) == "42P01"
    {
      return nil
    }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else {
      throw Inspection.Finding(description: String(cString: PQerrorMessage(handle)))
    }
    return String(cString: PQgetvalue(result, 0, 0))
  }

  /// Waits until no session has a name any more. A server notices that a client is gone when it next sends to it, and
  /// finishes the current statement first.
  func waitUntilLeft(by name: String) throws {
    let handle = PQconnectdb(uri)
    defer { PQfinish(handle) }
    for _ in 0..<6_000 {
      let result = PQexec(
        handle, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'")
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK else {
        throw Inspection.Finding(description: String(cString: PQerrorMessage(handle)))
      }
      if String(cString: PQgetvalue(result, 0, 0)) == "0" { return }
      usleep(10_000)
    }
    throw Inspection.Finding(description: "sessions of a killed process did not end")
  }
}
