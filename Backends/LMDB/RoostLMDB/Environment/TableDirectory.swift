// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

/// The handles of a file's tables: one for the named blobs, one for the records of each entity, one for each entry
/// table.
///
/// A handle can be used by transactions that began after it was opened, so each transaction has the directory of its
/// beginning. Tables are never removed, and so a file that has as many names as the directory has none that the
/// directory does not know.
struct TableDirectory: Sendable {
  static let blobsName = "blobs"
  static let recordsPrefix = "records."
  static let entriesPrefix = "entries."

  /// The table of blobs; nil in another program's file.
  private(set) var blobs: MDB_dbi?
  private var records: [MDB_dbi] = []
  private var entries: [MDB_dbi] = []
  /// The number of tables in the file when their names were read.
  private(set) var nameCount = 0

  /// The table of an entity's records; nil when there is none.
  @inline(__always)
  func records(ofEntityCode code: Int) -> MDB_dbi? {
    code < records.count && records[code] != 0 ? records[code] : nil
  }

  /// The table of entries; nil when there is none.
  @inline(__always)
  func entries(of table: EntryTable) -> MDB_dbi? {
    table.number < entries.count && entries[table.number] != 0 ? entries[table.number] : nil
  }

  /// The names of the tables of records and entries.
  var names: Set<String> {
    var names: Set<String> = []
    for (number, table) in records.enumerated() where table != 0 {
      names.insert(Self.recordsPrefix + String(number))
    }
    for (number, table) in entries.enumerated() where table != 0 {
      names.insert(Self.entriesPrefix + String(number))
    }
    return names
  }

  /// Describes a table by its name, for errors.
  static func content(of name: String, _ entityName: (_ code: Int) -> String?) -> String {
    guard let code = number(name, after: recordsPrefix) else {
      return "the table “\(name)” of an index or a relationship"
    }
    return "the table “\(name)” of the entity \(entityName(code) ?? "")"
  }

  /// Returns the number of tables in a transaction.
  static func nameCount(in transaction: OpaquePointer) throws -> Int {
    var statistics = MDB_stat()
    try LMDBError.check(mdb_stat(transaction, 1, &statistics), "count the tables")
    return statistics.ms_entries
  }
}

// MARK: - Opening and making

extension TableDirectory {
  /// Opens all tables that it does not know.
  ///
  /// - Parameter transaction: Must be committed for the handles to be of use.
  mutating func openAll(in transaction: OpaquePointer) throws {
    var main = MDB_dbi()
    try LMDBError.check(mdb_dbi_open(transaction, nil, 0, &main), "open the list of tables")
    var cursor: OpaquePointer?
    try LMDBError.check(mdb_cursor_open(transaction, main, &cursor), "list the tables")
    defer { mdb_cursor_close(cursor) }
    var names: [String] = []
    var key = MDB_val()
    var value = MDB_val()
    var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
    while code == MDB_SUCCESS {
      names.append(
        String(
          decoding: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size), as: UTF8.self))
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    guard code == MDB_NOTFOUND else { throw LMDBError(code: code, operation: "list the tables") }
    for name in names where !knows(name) {
      var table = MDB_dbi()
      try LMDBError.check(mdb_dbi_open(transaction, name, 0, &table), "open a table")
      add(table, named: name)
    }
    nameCount = names.count
  }

  /// Returns the table of an entity's records, which is created when needed.
  mutating func makeRecords(
    ofEntityCode code: Int, in transaction: OpaquePointer
  ) throws -> MDB_dbi {
    if let table = records(ofEntityCode: code) { return table }
    return try make(Self.recordsPrefix + String(code), UInt32(MDB_INTEGERKEY), in: transaction)
  }

  /// Returns a table of entries, which is created when needed.
  mutating func makeEntries(
    of table: EntryTable, in transaction: OpaquePointer
  ) throws -> MDB_dbi {
    if let table = entries(of: table) { return table }
    return try make(Self.entriesPrefix + String(table.number), 0, in: transaction)
  }

  private mutating func make(
    _ name: String, _ flags: UInt32, in transaction: OpaquePointer
  ) throws -> MDB_dbi {
    var table = MDB_dbi()
    try LMDBError.check(
      mdb_dbi_open(transaction, name, UInt32(MDB_CREATE) | flags, &table), "make a table")
    add(table, named: name)
    nameCount += 1
    return table
  }

  private func knows(_ name: String) -> Bool {
    if let number = Self.number(name, after: Self.recordsPrefix) {
      return records(ofEntityCode: number) != nil
    }
    if let number = Self.number(name, after: Self.entriesPrefix) {
      return entries(of: EntryTable(number: number)) != nil
    }
    return name == Self.blobsName && blobs != nil
  }

  private mutating func add(_ table: MDB_dbi, named name: String) {
    if let number = Self.number(name, after: Self.recordsPrefix) {
      Self.set(table, at: number, in: &records)
    } else if let number = Self.number(name, after: Self.entriesPrefix) {
      Self.set(table, at: number, in: &entries)
    } else if name == Self.blobsName {
      blobs = table
    }
  }

  private static func set(_ table: MDB_dbi, at number: Int, in list: inout [MDB_dbi]) {
    while list.count <= number { list.append(0) }
    list[number] = table
  }

  /// The largest number that a name of ours can have: a damaged name must not fill the memory.
  private static let largestNumber = 1_000_000

  private static func number(_ name: String, after prefix: String) -> Int? {
    guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)),
      (0...largestNumber).contains(number)
    else { return nil }
    return number
  }
}
