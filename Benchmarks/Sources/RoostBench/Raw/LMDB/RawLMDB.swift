// SPDX-License-Identifier: Apache-2.0

import CBenchLMDB
import Foundation

/// LMDB called directly: records in place, read without a copy, and an index of integers for each thing that is asked
/// for. Commits are synchronous, as LMDB has them.
final class RawLMDB: RawDatabase {
  private var environment: OpaquePointer?
  var person = MDB_dbi()
  var department = MDB_dbi()
  var byAge = MDB_dbi()
  var byDepartment = MDB_dbi()

  /// - Parameters:
  ///   - path: The folder of the database, which must be there.
  ///   - waitsForEnd: Whether a commit waits until it can no longer be undone by a power loss.
  init(path: String, waitsForEnd: Bool = true) throws {
    try Self.check(mdb_env_create(&environment))
    try Self.check(mdb_env_set_maxdbs(environment, 6))
    // Room for all that can be asked for; only what is written takes space.
    try Self.check(mdb_env_set_mapsize(environment, 64 << 30))
    try Self.check(mdb_env_open(environment, path, waitsForEnd ? 0 : UInt32(MDB_NOMETASYNC), 0o600))
    try write { transaction in
      let numbers = UInt32(MDB_CREATE | MDB_INTEGERKEY)
      let lists = numbers | UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
      try Self.check(mdb_dbi_open(transaction, "person", numbers, &person))
      try Self.check(mdb_dbi_open(transaction, "department", numbers, &department))
      try Self.check(mdb_dbi_open(transaction, "age", lists, &byAge))
      try Self.check(mdb_dbi_open(transaction, "member", lists, &byDepartment))
    }
  }

  deinit {
    close()
  }

  func close() {
    if let environment { mdb_env_close(environment) }
    environment = nil
  }

  func clear() throws {
    try write { transaction in
      for table in [person, department, byAge, byDepartment] {
        try Self.check(mdb_drop(transaction, table, 0))
      }
    }
  }

  func write(_ body: (OpaquePointer?) throws -> Void) throws {
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try Self.check(mdb_txn_commit(transaction))
  }

  func read<Result>(_ body: (OpaquePointer?) throws -> Result) throws -> Result {
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }

  @inline(__always)
  static func check(_ code: Int32) throws {
    guard code == 0 else { throw BenchError("LMDB: \(String(cString: mdb_strerror(code)))") }
  }

  /// Whether something was found; an error is thrown.
  @inline(__always)
  static func found(_ code: Int32) throws -> Bool {
    if code == MDB_NOTFOUND { return false }
    try check(code)
    return true
  }
}

/// A table or index that is walked.
struct RawCursor: ~Copyable {
  private let cursor: OpaquePointer?

  init(_ transaction: OpaquePointer?, _ table: MDB_dbi) throws {
    var cursor: OpaquePointer?
    try RawLMDB.check(mdb_cursor_open(transaction, table, &cursor))
    self.cursor = cursor
  }

  deinit {
    mdb_cursor_close(cursor)
  }

  /// Moves, and returns what is found there.
  @inline(__always)
  func move(_ operation: MDB_cursor_op) throws -> (key: UInt64, value: UnsafeRawBufferPointer)? {
    var key = MDB_val()
    var value = MDB_val()
    guard try RawLMDB.found(mdb_cursor_get(cursor, &key, &value, operation)) else { return nil }
    return (
      key.mv_data.loadUnaligned(as: UInt64.self),
      UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    )
  }

  /// Moves to the first entry whose key is not smaller, or to the key itself.
  @inline(__always)
  func move(
    to wanted: UInt64, _ operation: MDB_cursor_op
  ) throws -> (key: UInt64, value: UnsafeRawBufferPointer)? {
    var wanted = wanted
    return try withUnsafeMutableBytes(of: &wanted) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val()
      guard try RawLMDB.found(mdb_cursor_get(cursor, &key, &value, operation)) else {
        return nil
      }
      return (
        key.mv_data.loadUnaligned(as: UInt64.self),
        UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
      )
    }
  }
}
