// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation

/// Direct access to a file through LMDB, for tests that inspect or change a store's data. The store must be closed
/// meanwhile.
struct RawEnvironment {
  let path: String

  /// Calls `body` with a write transaction and a named database.
  func write(_ table: String, _ body: (OpaquePointer, MDB_dbi) -> Void) {
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    mdb_env_set_maxdbs(environment, 64)
    mdb_env_set_mapsize(environment, 1 << 24)
    precondition(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
    defer { mdb_env_close(environment) }
    var transaction: OpaquePointer?
    precondition(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
    var handle = MDB_dbi()
    precondition(mdb_dbi_open(transaction, table, UInt32(MDB_CREATE), &handle) == 0)
    if let transaction { body(transaction, handle) }
    precondition(mdb_txn_commit(transaction) == 0)
  }

  /// Returns the names of the databases.
  func names() -> [String] {
    var names: [String] = []
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    mdb_env_set_maxdbs(environment, 64)
    precondition(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
    defer { mdb_env_close(environment) }
    var transaction: OpaquePointer?
    precondition(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0)
    defer { mdb_txn_abort(transaction) }
    var main = MDB_dbi()
    precondition(mdb_dbi_open(transaction, nil, 0, &main) == 0)
    var cursor: OpaquePointer?
    precondition(mdb_cursor_open(transaction, main, &cursor) == 0)
    defer { mdb_cursor_close(cursor) }
    var (key, value) = (MDB_val(), MDB_val())
    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
      let bytes = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      names.append(String(decoding: bytes, as: UTF8.self))
    }
    return names
  }

  /// Replaces a value, or adds it.
  func put(_ key: [UInt8], _ value: [UInt8], in table: String) {
    write(table) { transaction, handle in
      key.withUnsafeBytes { key in
        value.withUnsafeBytes { value in
          var key = MDB_val(mv_size: key.count, mv_data: .init(mutating: key.baseAddress))
          var value = MDB_val(mv_size: value.count, mv_data: .init(mutating: value.baseAddress))
          precondition(mdb_put(transaction, handle, &key, &value, 0) == 0)
        }
      }
    }
  }

  /// Changes the value of a key.
  func change(_ key: [UInt8], in table: String, _ body: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    write(table) { transaction, handle in
      key.withUnsafeBytes { key in
        var key = MDB_val(mv_size: key.count, mv_data: .init(mutating: key.baseAddress))
        var value = MDB_val()
        precondition(mdb_get(transaction, handle, &key, &value) == 0)
        bytes = Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
      }
    }
    body(&bytes)
    put(key, bytes, in: table)
  }

  /// Returns the number of read transactions in the reader table.
  static func readerCount(_ path: String) -> Int {
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    precondition(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_RDONLY), 0o600) == 0)
    defer { mdb_env_close(environment) }
    var information = MDB_envinfo()
    mdb_env_info(environment, &information)
    return Int(information.me_numreaders)
  }

  /// Returns the key of a record as encoded in the file.
  static func recordKey(_ key: Int64) -> [UInt8] { withUnsafeBytes(of: key) { Array($0) } }
}
