// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// libpq called directly: binary results, prepared statements, COPY for bulk insertions.
final class RawPostgreSQL: RawDatabase {
  private(set) var connection: OpaquePointer?
  /// Whether this connection has prepared each statement.
  private var isPrepared = [Bool](repeating: false, count: RawQuery.allCases.count)
  private let session: RawSession
  static let columns = "id, name, email, age, score, created, active, uuid, bio, department"

  /// - Parameters:
  ///   - address: A connection string or URL.
  ///   - session: The session's schema and `synchronous_commit`. Databases that are open at the same time with
  ///     different data need separate schemas.
  init(address: String, session: RawSession) throws {
    self.session = session
    connection = session.connect(to: address)
    guard PQstatus(connection) == CONNECTION_OK else {
      let message = String(cString: PQerrorMessage(connection))
      close()
      throw BenchError("PostgreSQL: \(message)")
    }
  }

  deinit {
    close()
  }

  func close() {
    if connection != nil { PQfinish(connection) }
    connection = nil
  }

  func clear() throws {
    if let schema = session.schema { try run("CREATE SCHEMA IF NOT EXISTS \(schema)") }
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

  /// Drops everything that the baseline created.
  func removeAll() throws {
    if let schema = session.schema { try run("DROP SCHEMA IF EXISTS \(schema) CASCADE") }
  }

  func run(_ sql: String) throws {
    _ = try RawResult(PQexec(connection, sql), connection)
  }

  /// Runs a statement that is needed once, in one message.
  func ask(_ sql: String, _ parameters: RawParameters = RawParameters()) throws -> RawResult {
    try parameters.withPointers { values, lengths, formats, count in
      try RawResult(
        PQexecParams(connection, sql, count, nil, values, lengths, formats, 1), connection)
    }
  }

  /// Runs a prepared statement, and prepares it before its first run.
  func execute(
    _ query: RawQuery, _ parameters: RawParameters = RawParameters()
  ) throws -> RawResult {
    if !isPrepared[query.rawValue] {
      _ = try RawResult(PQprepare(connection, query.name, query.sql, 0, nil), connection)
      isPrepared[query.rawValue] = true
    }
    return try parameters.withPointers { values, lengths, formats, count in
      try RawResult(
        PQexecPrepared(connection, query.name, count, values, lengths, formats, 1), connection)
    }
  }
}
