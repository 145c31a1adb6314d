// SPDX-License-Identifier: Apache-2.0

import CLMDB

/// The table of a store's few named blobs.
enum BlobTable {
  /// Reads a blob; nil when there is none.
  static func read(
    _ name: String, from table: MDB_dbi, _ transaction: OpaquePointer
  ) throws -> [UInt8]? {
    var name = name
    return try name.withUTF8 { name in
      var key = MDB_val(UnsafeRawBufferPointer(name))
      var value = MDB_val()
      let code = mdb_get(transaction, table, &key, &value)
      if code == MDB_NOTFOUND { return nil }
      try LMDBError.check(code, "read a blob")
      return Array(value.bytes)
    }
  }

  /// Replaces a blob, or removes it when there are no bytes.
  static func write(
    _ bytes: [UInt8]?, named name: String, to table: MDB_dbi, _ transaction: OpaquePointer
  ) throws {
    var name = name
    try name.withUTF8 { name in
      var key = MDB_val(UnsafeRawBufferPointer(name))
      guard let bytes else {
        let code = mdb_del(transaction, table, &key, nil)
        if code != MDB_NOTFOUND { try LMDBError.check(code, "remove a blob") }
        return
      }
      try bytes.withUnsafeBytes { bytes in
        var value = MDB_val(bytes)
        try LMDBError.check(mdb_put(transaction, table, &key, &value, 0), "write a blob")
      }
    }
  }
}

extension MDB_val {
  /// Makes a value for bytes, which must stay in place while the value is used; LMDB does not change them.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// The bytes, alive until the transaction writes or ends.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mv_data, count: mv_size)
  }
}
