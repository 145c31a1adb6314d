// SPDX-License-Identifier: Apache-2.0

import CBenchSQLite
import Foundation

/// What a careful program does without a framework: prepared statements, one object a row, a table of objects by ID.
final class RawSQLite {
  private var database: OpaquePointer?

  init(path: String) {
    sqlite3_open(path, &database)
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = FULL")
  }

  deinit {
    sqlite3_close(database)
  }

  func execute(_ sql: String) {
    precondition(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, sql)
  }

  func makeTable() {
    execute("DROP TABLE IF EXISTS person")
    execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, version INTEGER, name TEXT, email TEXT,
      age INTEGER, score REAL, created REAL, active INTEGER, uuid BLOB, bio TEXT,
      visits INTEGER, department INTEGER)
      """)
    execute("CREATE INDEX person_age ON person (age)")
    execute("CREATE INDEX person_department ON person (department)")
  }

  func insert(_ samples: [Sample]) {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(
      database, "INSERT INTO person VALUES (?,1,?,?,?,?,?,?,?,?,?,?)", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    execute("BEGIN IMMEDIATE")
    for (index, sample) in samples.enumerated() {
      sqlite3_bind_int64(statement, 1, Int64(index + 1))
      bind(sample.name, statement, 2)
      bind(sample.email, statement, 3)
      sqlite3_bind_int64(statement, 4, Int64(sample.age))
      sqlite3_bind_double(statement, 5, sample.score)
      sqlite3_bind_double(statement, 6, sample.created)
      sqlite3_bind_int64(statement, 7, sample.active ? 1 : 0)
      withUnsafeBytes(of: sample.uuid.uuid) {
        _ = sqlite3_bind_blob(statement, 8, $0.baseAddress, 16, bench_transient())
      }
      bind(sample.bio, statement, 9)
      sqlite3_bind_int64(statement, 10, sample.visits)
      sqlite3_bind_null(statement, 11)
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    execute("COMMIT")
  }

  private func bind(_ text: String, _ statement: OpaquePointer?, _ index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(
          statement, index, $0.baseAddress, Int32($0.count), bench_transient())
      }
    }
  }

  func fetch() -> [PlainPerson] {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, "SELECT * FROM person", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    var registered: [Int64: PlainPerson] = [:]
    var result: [PlainPerson] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let person = PlainPerson(statement)
      registered[person.id] = person
      result.append(person)
    }
    return result
  }
}

/// A typed object without a framework.
final class PlainPerson {
  let id: Int64
  let version: Int64
  var name: String
  var email: String
  var age: Int32
  var score: Double
  var created: Date
  var active: Bool
  var uuid: UUID
  var bio: String
  var visits: Int64
  var department: Int64

  init(_ statement: OpaquePointer?) {
    func text(_ column: Int32) -> String {
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(
        decoding: UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count),
        as: UTF8.self)
    }
    id = sqlite3_column_int64(statement, 0)
    version = sqlite3_column_int64(statement, 1)
    name = text(2)
    email = text(3)
    age = sqlite3_column_int(statement, 4)
    score = sqlite3_column_double(statement, 5)
    created = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 6))
    active = sqlite3_column_int(statement, 7) != 0
    uuid = UUID(
      uuid: UnsafeRawPointer(sqlite3_column_blob(statement, 8)!).loadUnaligned(as: uuid_t.self))
    bio = text(9)
    visits = sqlite3_column_int64(statement, 10)
    department = sqlite3_column_int64(statement, 11)
  }
}
