// SPDX-License-Identifier: Apache-2.0

import CBenchLMDB

extension RawLMDB {
  func readAll() throws -> Checksum {
    try read { transaction in
      let cursor = try RawCursor(transaction, person)
      var sum = Checksum()
      while let entry = try cursor.move(MDB_NEXT) { RawRecord(entry.value).add(to: &sum) }
      return sum
    }
  }

  func keepAll() throws -> PlainPeople {
    try read { transaction in
      let cursor = try RawCursor(transaction, person)
      var statistics = MDB_stat()
      try Self.check(mdb_stat(transaction, person, &statistics))
      var people = PlainPeople(capacity: statistics.ms_entries)
      while let entry = try cursor.move(MDB_NEXT) {
        people.keep(RawRecord(entry.value).object(id: entry.key))
      }
      return people
    }
  }

  func readKey() throws {
    try read { transaction in _ = try RawCursor(transaction, department).move(MDB_FIRST) }
  }

  func lookUp(_ ids: [Int]) throws -> Checksum {
    try read { transaction in
      var sum = Checksum()
      for id in ids { try record(UInt64(id), transaction)?.add(to: &sum) }
      return sum
    }
  }

  func query(_ data: SampleData) throws -> Checksum {
    try read { transaction in
      let index = try RawCursor(transaction, byAge)
      var sum = Checksum()
      var found: [(score: Double, id: UInt64)] = []
      for number in 0..<data.extent.queries {
        let (low, high) = data.ages(ofQuery: number)
        found.removeAll(keepingCapacity: true)
        var entry = try index.move(to: UInt64(low), MDB_SET_RANGE)
        while let (age, value) = entry, age <= UInt64(high) {
          let id = value.loadUnaligned(as: UInt64.self)
          if let person = try record(id, transaction), person.active {
            found.append((person.score, id))
          }
          entry = try index.move(MDB_NEXT)
        }
        found.sort { $0.score > $1.score }
        for (place, best) in found.prefix(100).enumerated() {
          try record(best.id, transaction)?.add(to: &sum)
          sum.add(best.score, place: place)
        }
      }
      return sum
    }
  }

  func followPrefetched() throws -> Checksum {
    try read { transaction in
      let departments = try RawCursor(transaction, department)
      var names: [UnsafeRawBufferPointer] = []
      while let entry = try departments.move(MDB_NEXT) { names.append(entry.value) }
      let cursor = try RawCursor(transaction, person)
      var sum = Checksum()
      while let entry = try cursor.move(MDB_NEXT) {
        sum.add(names[Int(RawRecord(entry.value).department) - 1])
      }
      return sum
    }
  }

  func follow() throws -> Checksum {
    try read { transaction in
      let cursor = try RawCursor(transaction, person)
      var sum = Checksum()
      while let entry = try cursor.move(MDB_NEXT) {
        if let name = try value(RawRecord(entry.value).department, department, transaction) {
          sum.add(name)
        }
      }
      return sum
    }
  }

  func sumByDepartment() throws -> Checksum {
    try read { transaction in
      let departments = try RawCursor(transaction, department)
      let members = try RawCursor(transaction, byDepartment)
      var sum = Checksum()
      while let (id, _) = try departments.move(MDB_NEXT) {
        var ages = 0
        var count = 0
        var entry = try members.move(to: id, MDB_SET_KEY)
        while let (_, value) = entry {
          ages += try record(value.loadUnaligned(as: UInt64.self), transaction)?.age ?? 0
          count += 1
          entry = try members.move(MDB_NEXT_DUP)
        }
        sum.add(count)
        sum.add(ages)
      }
      return sum
    }
  }

  func average() throws -> Checksum {
    try read { transaction in
      let cursor = try RawCursor(transaction, person)
      var sums: [(sum: Double, count: Int)] = []
      while let entry = try cursor.move(MDB_NEXT) {
        let record = RawRecord(entry.value)
        let index = Int(record.department)
        while sums.count <= index { sums.append((0, 0)) }
        sums[index].sum += record.score
        sums[index].count += 1
      }
      var sum = Checksum()
      for entry in sums where entry.count > 0 { sum.add(average: entry.sum / Double(entry.count)) }
      return sum
    }
  }

  @inline(__always)
  func record(_ id: UInt64, _ transaction: OpaquePointer?) throws -> RawRecord? {
    try value(id, person, transaction).map(RawRecord.init)
  }

  @inline(__always)
  private func value(
    _ id: UInt64, _ table: MDB_dbi, _ transaction: OpaquePointer?
  ) throws -> UnsafeRawBufferPointer? {
    var id = id
    return try withUnsafeMutableBytes(of: &id) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val()
      guard try Self.found(mdb_get(transaction, table, &key, &value)) else { return nil }
      return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }
  }
}
