// SPDX-License-Identifier: Apache-2.0

import CBenchLMDB

extension RawLMDB {
  /// Moves the department of each person to lists in both directions, and takes it from the record, in one transaction:
  /// what a store does whose relationship becomes to-many.
  func makeToMany() throws {
    try write { transaction in
      let lists = UInt32(
        MDB_CREATE | MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
      var (forward, back) = (MDB_dbi(), MDB_dbi())
      try Self.check(mdb_dbi_open(transaction, "departments", lists, &forward))
      try Self.check(mdb_dbi_open(transaction, "members", lists, &back))
      var members: [[UInt64]] = []
      let cursor = try RawCursor(transaction, person)
      var found = try cursor.move(MDB_FIRST)
      while let (id, bytes) = found {
        let department = RawRecord(bytes).department
        while members.count <= Int(department) { members.append([]) }
        members[Int(department)].append(id)
        try link(id, department, forward, MDB_APPEND, transaction)
        found = try cursor.move(MDB_NEXT)
      }
      for (department, ids) in members.enumerated() {
        for (place, id) in ids.enumerated() {
          try link(
            UInt64(department), id, back, place == 0 ? MDB_APPEND : MDB_APPENDDUP, transaction)
        }
      }
      try Self.check(mdb_drop(transaction, byDepartment, 0))
    }
  }

  /// Takes the lists away: the next round begins without them.
  func dropLists() throws {
    try write { transaction in
      for name in ["departments", "members"] {
        var table = MDB_dbi()
        try Self.check(mdb_dbi_open(transaction, name, 0, &table))
        try Self.check(mdb_drop(transaction, table, 1))
      }
    }
  }
}
