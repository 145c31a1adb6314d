// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// Writes a change set inside an open transaction, and collects everything that stands in its way.
///
/// Deletions come first, then updates, then insertions, so that a unique value can change hands in one save (B198).
/// An update that collides is parked: its unique values are taken away, which frees them for others, and it is tried
/// again after all other updates; so values can be swapped (B197). What collides then is a violation.
struct ChangeWriter {
  var refusals: [ChangeRefusal] = []
  let prepared: PreparedSchema
  let connection: SQLiteConnection
  let statementLog: StoreLog?
  let rowWriter: RowWriter
  /// The statement that ran last: changes of one kind follow each other.
  private var current: SQLiteStatement?
  /// The last update, whose statement fits the next one if that changes the same slots.
  var lastUpdate: (type: SQLiteRecordType, changedSlots: [Int], slots: [RowSlot], text: String)?

  init(_ prepared: PreparedSchema, _ connection: SQLiteConnection, log: StoreLog?) {
    self.prepared = prepared
    self.connection = connection
    rowWriter = connection.rowWriter
    statementLog = log
  }

  /// Writes everything.
  mutating func write(_ changes: StoreChangeSet) throws {
    defer { finish() }
    try delete(changes.deleted)
    try lock(changes.locked)
    try update(changes)
    try insert(changes)
    try change(changes.links)
    // Whether values are unique can only be told when every record is as this save expects it (B192).
    if refusals.contains(where: \.isVersion) { refusals.removeAll { !$0.isVersion } }
  }

  // MARK: - Deletions and locks

  private mutating func delete(_ records: [RowVersion]) throws {
    var deleted: [(Int64, SQLiteRecordType)] = []
    for (record, type) in try sorted(records, key: \.key) {
      let found = try run(type.delete) { statement in
        try statement.bind(record.key, at: 1)
        try statement.bind(record.version, at: 2)
      }
      if found == 0 {
        refusals.append(.version(key: record.key, expected: record.version))
      } else if !type.deleteLinks.isEmpty {
        deleted.append((record.key, type))
      }
    }
    for (key, type) in deleted {
      for text in type.deleteLinks { _ = try run(text) { try $0.bind(key, at: 1) } }
    }
  }

  private mutating func lock(_ records: [RowVersion]) throws {
    for (record, type) in try sorted(records, key: \.key) {
      let found = try run(type.lock) { statement in
        try statement.bind(record.key, at: 1)
        try statement.bind(record.version, at: 2)
        try statement.bind(record.version + 1, at: 3)
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

  /// Pairs changes with how to write them, in the order of their keys: neighbours lie on one page.
  func sorted<Change>(
    _ changes: [Change], key: (Change) -> Int64
  ) throws -> [(Change, SQLiteRecordType)] {
    try inOrder(changes, key: key).map { ($0, try prepared.recordType(ofKey: key($0))) }
  }

  /// Changes in the order of their keys.
  func inOrder<Change>(_ changes: [Change], key: (Change) -> Int64) -> [Change] {
    var last = Int64.min
    for change in changes {
      guard key(change) > last else { return changes.sorted { key($0) < key($1) } }
      last = key(change)
    }
    return changes
  }
}
