// SPDX-License-Identifier: Apache-2.0

import CBenchLMDB

extension RawLMDB {
  func insert(_ persons: [Sample], firstID: Int, departments: [String]) throws {
    try write { transaction in
      for (index, name) in departments.enumerated() {
        var name = name
        try name.withUTF8 { bytes in
          try put(
            UInt64(index + 1), UnsafeRawBufferPointer(bytes), department, MDB_APPEND, transaction)
        }
      }
      for (index, person) in persons.enumerated() {
        try insert(person, id: UInt64(firstID + index), MDB_APPEND, transaction)
      }
      try enter(
        persons, firstID, byAge, isFirst: firstID == 1, transaction
      ) { Int($0.age) }
      try enter(
        persons, firstID, byDepartment, isFirst: firstID == 1, transaction
      ) { $0.department + 1 }
    }
  }

  /// Enters persons into an index in its own order, which costs half as much as in theirs.
  private func enter(
    _ persons: [Sample], _ firstID: Int, _ index: MDB_dbi, isFirst: Bool,
    _ transaction: OpaquePointer?, key: (Sample) -> Int
  ) throws {
    var lists: [[UInt64]] = []
    for (place, person) in persons.enumerated() {
      let key = key(person)
      while lists.count <= key { lists.append([]) }
      lists[key].append(UInt64(firstID + place))
    }
    for (key, list) in lists.enumerated() {
      for (place, id) in list.enumerated() {
        let flag = !isFirst ? 0 : place == 0 ? MDB_APPEND : MDB_APPENDDUP
        try link(UInt64(key), id, index, flag, transaction)
      }
    }
  }

  func change(_ data: SampleData) throws {
    try write { transaction in
      for index in 0..<data.extent.changes {
        let id = UInt64(index + 1)
        guard let old = try record(id, transaction) else { continue }
        // The record moves when its page is written, so it is copied before.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: old.bytes.count, alignment: 8)
        defer { copy.deallocate() }
        copy.copyMemory(from: old.bytes)
        RawRecord.write(score: Sample.score(index, generation: 1), to: copy)
        try put(id, UnsafeRawBufferPointer(copy), person, 0, transaction)
      }
    }
  }

  func delete(_ data: SampleData) throws {
    try write { transaction in
      for index in 0..<data.extent.changes {
        let id = UInt64(index + 1)
        guard let old = try record(id, transaction) else { continue }
        try unlink(UInt64(old.age), id, byAge, transaction)
        try unlink(old.department, id, byDepartment, transaction)
        try unlink(id, nil, person, transaction)
      }
    }
  }

  func saveOneByOne(_ persons: [Sample], firstID: Int) throws {
    for (index, sample) in persons.enumerated() {
      let id = UInt64(firstID + index)
      try write { transaction in
        try insert(sample, id: id, MDB_APPEND, transaction)
        try link(UInt64(sample.age), id, byAge, 0, transaction)
        try link(UInt64(sample.department + 1), id, byDepartment, 0, transaction)
      }
    }
  }

  /// Writes a person into the place that LMDB reserves for it.
  private func insert(
    _ sample: Sample, id: UInt64, _ flag: Int32, _ transaction: OpaquePointer?
  ) throws {
    var id = id
    try withUnsafeMutableBytes(of: &id) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val(mv_size: RawRecord.length(sample), mv_data: nil)
      try Self.check(
        mdb_put(transaction, person, &key, &value, UInt32(MDB_RESERVE | flag)))
      RawRecord.write(
        sample,
        to: UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
  }

  private func put(
    _ id: UInt64, _ bytes: UnsafeRawBufferPointer, _ table: MDB_dbi, _ flag: Int32,
    _ transaction: OpaquePointer?
  ) throws {
    var id = id
    try withUnsafeMutableBytes(of: &id) { idBytes in
      var key = MDB_val(mv_size: 8, mv_data: idBytes.baseAddress)
      var value = MDB_val(
        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      try Self.check(mdb_put(transaction, table, &key, &value, UInt32(flag)))
    }
  }

  func link(
    _ key: UInt64, _ id: UInt64, _ index: MDB_dbi, _ flag: Int32, _ transaction: OpaquePointer?
  ) throws {
    var id = id
    try withUnsafeMutableBytes(of: &id) { bytes in
      try put(key, UnsafeRawBufferPointer(bytes), index, flag, transaction)
    }
  }

  private func unlink(
    _ key: UInt64, _ id: UInt64?, _ table: MDB_dbi, _ transaction: OpaquePointer?
  ) throws {
    var pair = (key, id ?? 0)
    try withUnsafeMutableBytes(of: &pair) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val(mv_size: 8, mv_data: bytes.baseAddress.map { $0 + 8 })
      if id == nil {
        try Self.check(mdb_del(transaction, table, &key, nil))
      } else {
        try Self.check(mdb_del(transaction, table, &key, &value))
      }
    }
  }
}
