// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// libpq called directly: binary results, prepared statements, COPY for what is inserted at once.
final class RawPostgreSQL: RawDatabase {
  private(set) var connection: OpaquePointer?
  /// The names of prepared statements by their texts: PostgreSQL cuts names at 63 bytes.
  private var prepared: [String: String] = [:]
  /// The namespace that holds all that this side makes.
  private let schema: String
  static let columns = "id, name, email, age, score, created, active, uuid, bio, department"

  /// - Parameters:
  ///   - address: A connection string or URL.
  ///   - schema: The namespace to work in. Databases that are open side by side and do not mean the same data have one
  ///     each.
  init(address: String, schema: String = "roost_bench_raw") throws {
    self.schema = schema
    connection = PQconnectdb(address)
    guard PQstatus(connection) == CONNECTION_OK else {
      let message = String(cString: PQerrorMessage(connection))
      close()
      throw BenchError("PostgreSQL: \(message)")
    }
    try run("SET client_min_messages = warning")
    try run("CREATE SCHEMA IF NOT EXISTS \(schema)")
    try run("SET search_path = \(schema)")
  }

  deinit {
    close()
  }

  func close() {
    if connection != nil { PQfinish(connection) }
    connection = nil
  }

  func clear() throws {
    try run("DROP TABLE IF EXISTS person, department")
    try run("CREATE TABLE department (id int8 PRIMARY KEY, name text COLLATE \"C\" NOT NULL)")
    try run(
      """
      CREATE TABLE person (id int8 PRIMARY KEY, name text COLLATE "C" NOT NULL,
      email text COLLATE "C" NOT NULL, age int4 NOT NULL, score float8 NOT NULL,
      created float8 NOT NULL, active bool NOT NULL, uuid uuid, bio text COLLATE "C" NOT NULL,
      department int8)
      """)
    try run("CREATE INDEX person_age ON person (age)")
    try run("CREATE INDEX person_department ON person (department)")
  }

  /// Removes all that this side has made.
  func removeAll() throws { try run("DROP SCHEMA IF EXISTS \(schema) CASCADE") }

  func run(_ sql: String) throws {
    _ = try RawResult(PQexec(connection, sql), connection)
  }

  /// Runs a prepared statement; it is prepared when it is first run.
  func execute(_ sql: String, _ parameters: RawParameters = RawParameters()) throws -> RawResult {
    let name: String
    if let known = prepared[sql] {
      name = known
    } else {
      name = "s\(prepared.count)"
      _ = try RawResult(PQprepare(connection, name, sql, 0, nil), connection)
      prepared[sql] = name
    }
    return try parameters.withPointers { values, lengths, formats, count in
      try RawResult(
        PQexecPrepared(connection, name, count, values, lengths, formats, 1), connection)
    }
  }
}
