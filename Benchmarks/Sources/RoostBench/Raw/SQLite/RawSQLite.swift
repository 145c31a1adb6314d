// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation

/// SQLite called directly: WAL and prepared statements, everything else as SQLite has it.
final class RawSQLite: RawDatabase {
  private var database: OpaquePointer?
  /// The columns of a person, in the order in which all statements name them.
  static let columns = "id, name, email, age, score, created, active, uuid, bio, department"

  /// - Parameters:
  ///   - path: The file, which is made if it is missing.
  ///   - synchronous: The pragma's value, as for the store beside it.
  init(path: String, synchronous: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else {
      throw BenchError("SQLite cannot open \(path)")
    }
    sqlite3_busy_timeout(database, 30_000)
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = \(synchronous)")
  }

  deinit {
    close()
  }

  func close() {
    sqlite3_close_v2(database)
    database = nil
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(database))) in \(sql)")
    }
  }

  func prepare(_ sql: String) throws -> RawStatement { try RawStatement(database, sql) }

  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  func clear() throws {
    try execute("DROP TABLE IF EXISTS person")
    try execute("DROP TABLE IF EXISTS department")
    try execute("CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,
      age INTEGER NOT NULL, score REAL NOT NULL, created REAL NOT NULL, active INTEGER NOT NULL,
      uuid BLOB, bio TEXT NOT NULL, department INTEGER)
      """)
    try execute("CREATE INDEX person_age ON person (age)")
    try execute("CREATE INDEX person_department ON person (department)")
  }
}
