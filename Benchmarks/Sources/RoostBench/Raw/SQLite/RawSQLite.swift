// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation

/// SQLite called directly: WAL and prepared statements, everything else with SQLite's defaults, or tuned.
final class RawSQLite: RawDatabase {
  private var database: OpaquePointer?
  /// The prepared BEGIN and COMMIT statements, made at the first transaction.
  private var brackets: (begin: RawStatement, commit: RawStatement)?
  /// The columns of a person, in the order in which all statements name them.
  static let columns = "id, name, email, age, score, created, active, uuid, bio, department"

  /// - Parameters:
  ///   - path: The file, which is created if it is missing.
  ///   - synchronous: The value of `PRAGMA synchronous`, the same as in the store that it is compared with.
  ///   - isTuned: Whether the connection has no mutex (`SQLITE_OPEN_NOMUTEX`), and has the cache size, the memory map
  ///     size and the place for temporary data that performance.md calls tuned.
  init(path: String, synchronous: String, isTuned: Bool = false) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | (isTuned ? SQLITE_OPEN_NOMUTEX : 0)
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else {
      throw BenchError("SQLite cannot open \(path)")
    }
    sqlite3_busy_timeout(database, 30_000)
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = \(synchronous)")
    guard isTuned else { return }
    try execute("PRAGMA cache_size = -65536")
    try execute("PRAGMA mmap_size = 268435456")
    try execute("PRAGMA temp_store = MEMORY")
  }

  deinit {
    close()
  }

  func close() {
    brackets = nil
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
    let brackets = try self.brackets ?? (prepare("BEGIN IMMEDIATE"), prepare("COMMIT"))
    self.brackets = brackets
    try brackets.begin.run()
    try body()
    try brackets.commit.run()
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
