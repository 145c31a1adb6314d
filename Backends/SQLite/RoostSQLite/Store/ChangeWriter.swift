// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// Writes a change set in an open transaction, and collects all conflicts.
///
/// Deletions come first, then updates, then insertions, so that a unique value can move between records in one save
/// (B198). An update that collides is parked: its unique values are set to NULL, which frees them for others, and it
/// is retried after all other updates; so values can be swapped (B197). A collision that remains is a violation.
struct ChangeWriter {
  var refusals: [ChangeRefusal] = []
  /// The keys of the records that could not be written, because others have their unique values.
  var unwritten: [Int64] = []
  /// Groups of records of which at least one is not in the expected version.
  var doubtful: [RowVersion] = []
  let prepared: PreparedSchema
  let connection: SQLiteConnection
  let statementLog: StoreLog?
  let rowWriter: RowWriter
  /// The statement that ran last: changes of one kind follow each other.
  private var current: SQLiteStatement?
  /// The record type of the previous record: changes of one entity follow each other.
  private var lastType: (code: Int, type: SQLiteRecordType)?
  /// The last update, whose statement fits the next one if that changes the same slots.
  var lastUpdate: (type: SQLiteRecordType, changedSlots: [Int], slots: [RowSlot], text: String)?

  init(_ prepared: PreparedSchema, _ connection: SQLiteConnection, log: StoreLog?) {
    self.prepared = prepared
    self.connection = connection
    rowWriter = connection.rowWriter
    statementLog = log
  }

  /// Whether there is no conflict so far.
  var isUnopposed: Bool { refusals.isEmpty && doubtful.isEmpty && unwritten.isEmpty }

  /// Writes everything.
  mutating func write(_ changes: StoreChangeSet) throws {
    defer { finish() }
    try delete(changes.deleted)
    try lock(changes.locked)
    try update(changes)
    try insert(changes)
    try change(changes.links)
    // Whether values are unique is only known when every record is in the expected version (B192).
    if !unwritten.isEmpty, refusals.isEmpty, doubtful.isEmpty { try explain(changes) }
  }

  // MARK: - Deletions and locks

  private mutating func delete(_ records: [RowVersion]) throws {
    let records = inOrder(records) { $0.key }
    var start = 0
    while start < records.count {
      let type = try recordType(ofKey: records[start].key)
      let end = endOfRun(records, from: start)
      if end - start < ChangeWriter.shortRun {
        try delete(records[start], type)
        start += 1
      } else {
        try deleteRun(records[start..<end], type)
        start = end
      }
    }
  }

  private mutating func delete(_ record: RowVersion, _ type: SQLiteRecordType) throws {
    let found = try run(type.delete) { statement in
      try statement.bind(record.key, at: 1)
      try statement.bind(version: record.version, at: 2)
    }
    guard found > 0 else {
      return refusals.append(.version(key: record.key, expected: record.version))
    }
    for text in type.deleteLinks { _ = try run(text) { try $0.bind(record.key, at: 1) } }
  }

  /// The length of a run below which each record is removed by a statement of its own.
  private static let shortRun = 8

  /// Returns the end of the run of records with consecutive keys, of one entity and in one version, that starts at an
  /// index.
  private func endOfRun(_ records: [RowVersion], from start: Int) -> Int {
    let step = RecordKey.make(sequence: 1, entityCode: 0)
    var end = start + 1
    while end < records.count, records[end].key == records[end - 1].key &+ step,
      records[end].version == records[start].version
    {
      end += 1
    }
    return end
  }

  /// Removes records with consecutive numbers. A number is assigned to one record of the store (B303), so there is no
  /// other record between the first and the last.
  private mutating func deleteRun(
    _ records: ArraySlice<RowVersion>, _ type: SQLiteRecordType
  ) throws {
    guard let first = records.first, let last = records.last else { return }
    let found = try run(type.deleteRange) { statement in
      try statement.bind(first.key, at: 1)
      try statement.bind(last.key, at: 2)
      try statement.bind(version: first.version, at: 3)
    }
    guard found == records.count else { return doubtful += records }
    for text in type.deleteLinksOfRange {
      _ = try run(text) { statement in
        try statement.bind(first.key, at: 1)
        try statement.bind(last.key, at: 2)
      }
    }
  }

  private mutating func lock(_ records: [RowVersion]) throws {
    for record in inOrder(records, key: { $0.key }) {
      let type = try recordType(ofKey: record.key)
      let found = try run(type.lock) { statement in
        try statement.bind(record.key, at: 1)
        try statement.bind(version: record.version, at: 2)
        try statement.bind(version: record.version &+ 1, at: 3)
      }
      if found == 0 { refusals.append(.version(key: record.key, expected: record.version)) }
    }
  }

  // MARK: - Links

  private mutating func change(_ links: [LinkChange]) throws {
    for link in links {
      guard let table = prepared.linkStatements(link.table) else {
        throw PersistenceError(
          .persistentStoreSave, "The store does not hold the links '\(link.table.name)'.")
      }
      try change(link, table)
      // A table that is its own inverse holds each link in both directions.
      if link.table.isSymmetric, link.source != link.destination {
        try change(link.reversed, table)
      }
    }
  }

  private mutating func change(_ link: LinkChange, _ table: LinkStatements) throws {
    switch link.kind {
    case .link(let position, let inversePosition):
      _ = try run(table.insert) { statement in
        try statement.bind(link.source, at: 1)
        try statement.bind(link.destination, at: 2)
        try statement.bind(position.map(SQLValue.integer) ?? .null, at: 3)
        try statement.bind(inversePosition.map(SQLValue.integer) ?? .null, at: 4)
      }
    case .unlink:
      _ = try run(table.delete) { statement in
        try statement.bind(link.source, at: 1)
        try statement.bind(link.destination, at: 2)
      }
    }
  }

  // MARK: - Statements

  /// Runs a statement and returns how many records it changed.
  mutating func run(_ text: String, _ bind: (SQLiteStatement) throws -> Void) throws -> Int {
    statementLog?.statement(text)
    let statement = try statement(text)
    defer { statement.reset() }
    try bind(statement)
    try statement.run()
    return connection.changes
  }

  private mutating func statement(_ text: String) throws -> SQLiteStatement {
    if let current, current.text == text { return current }
    current?.finish()
    current = nil
    let statement = try connection.statement(text)
    current = statement
    return statement
  }

  private mutating func finish() {
    current?.finish()
    current = nil
  }

  /// Returns the statements and the reader of a record.
  mutating func recordType(ofKey key: Int64) throws -> SQLiteRecordType {
    let code = RecordKey.entityCode(of: key)
    if let lastType, lastType.code == code { return lastType.type }
    let type = try prepared.recordType(ofKey: key)
    lastType = (code, type)
    return type
  }

  /// Returns changes in the order of their keys: neighbours are on one page.
  func inOrder<Change>(_ changes: [Change], key: (Change) -> Int64) -> [Change] {
    var last = Int64.min
    for change in changes {
      guard key(change) > last else { return changes.sorted { key($0) < key($1) } }
      last = key(change)
    }
    return changes
  }
}
