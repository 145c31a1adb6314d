// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
import RoostStore

/// Why a change was not written.
enum ChangeRefusal {
  /// The record is not in the version that was expected; 0 when it was expected not to be there.
  case version(key: Int64, expected: Int64)
  /// Another record has the values; `sent` is its row when this commit wrote it.
  case uniqueness(SQLConstraint, key: Int64, holder: Int64, sent: Row?)
}

/// Writes a change set inside an open transaction, and collects everything that stands in its way.
///
/// Deletions come first, then updates, then insertions, so that a unique value can change hands in one save (B198).
/// An update that collides is parked: its unique values are taken away, which frees them for others, and it is tried
/// again after all other updates; so values can be swapped (B197). What collides then is a violation.
struct ChangeWriter {
  private(set) var refusals: [ChangeRefusal] = []
  private let prepared: PreparedSchema
  private let connection: SQLiteConnection
  private let statementLog: StoreLog?

  init(_ prepared: PreparedSchema, _ connection: SQLiteConnection, log: StoreLog?) {
    self.prepared = prepared
    self.connection = connection
    statementLog = log
  }

  /// Writes everything.
  mutating func write(_ changes: StoreChangeSet) throws {
    try delete(changes.deleted)
    try lock(changes.locked)
    try update(changes.updated)
    try insert(changes.inserted, in: changes)
    try change(changes.links)
  }

  // MARK: - Deletions and locks

  private mutating func delete(_ records: [RowVersion]) throws {
    for (record, type) in try sorted(records, key: \.key) {
      let found = try run(type.delete) { statement in
        try statement.bind(record.key, at: 1)
        try statement.bind(record.version, at: 2)
      }
      if found == 0 {
        refusals.append(.version(key: record.key, expected: record.version))
        continue
      }
      for end in type.linkEnds {
        _ = try run(prepared.mapping.deleteLinks(end.table, ofSource: end.isSource)) {
          try $0.bind(record.key, at: 1)
        }
      }
    }
  }

  private mutating func lock(_ records: [RowVersion]) throws {
    for (record, type) in try sorted(records, key: \.key) {
      let found = try run(prepared.mapping.update(type.entity, slots: [])) { statement in
        try statement.bind(record.key, at: 1)
        try statement.bind(record.version, at: 2)
        try statement.bind(record.version + 1, at: 3)
      }
      if found == 0 { refusals.append(.version(key: record.key, expected: record.version)) }
    }
  }

  // MARK: - Updates

  private mutating func update(_ updates: [RowUpdate]) throws {
    var parked: [(update: RowUpdate, type: SQLiteRecordType)] = []
    for (update, type) in try sorted(updates, key: \.row.key) {
      switch try attempt(update, type) {
      case .written: break
      case .missing:
        refusals.append(.version(key: update.row.key, expected: update.baseVersion))
      case .collided:
        try park(update, type)
        parked.append((update, type))
      }
    }
    for (update, type) in parked where try attempt(update, type) == .collided {
      try refuse(update.row, type, in: updates.map(\.row))
    }
  }

  private enum Attempt {
    case written
    case missing
    case collided
  }

  private func attempt(_ update: RowUpdate, _ type: SQLiteRecordType) throws -> Attempt {
    let slots = storedSlots(update, type)
    do {
      let found = try run(prepared.mapping.update(type.entity, slots: slots)) { statement in
        try statement.bind(update.row.key, at: 1)
        try statement.bind(update.baseVersion, at: 2)
        try statement.bind(update.row.version, at: 3)
        try RowWriter.bind(slots, of: update.row, to: statement, from: 4)
      }
      return found == 0 ? .missing : .written
    } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT_UNIQUE_CODE {
      return .collided
    }
  }

  /// Takes the record's old unique values away, so that others can have them.
  private func park(_ update: RowUpdate, _ type: SQLiteRecordType) throws {
    let changed = Set(update.changedSlots)
    let slots = type.entity.storedSlots.filter { slot in
      changed.contains(slot.index)
        && type.entity.constraints.contains { $0.slots.contains(slot) }
    }
    guard !slots.isEmpty else { return }
    _ = try run(prepared.mapping.clear(type.entity, slots: slots)) { statement in
      try statement.bind(update.row.key, at: 1)
      try statement.bind(update.baseVersion, at: 2)
    }
  }

  private func storedSlots(_ update: RowUpdate, _ type: SQLiteRecordType) -> [RowSlot] {
    let slots = update.row.layout.slots
    return update.changedSlots.map { slots[$0] }.filter { type.entity.column($0) != nil }
  }

  // MARK: - Insertions

  private mutating func insert(_ rows: [Row], in changes: StoreChangeSet) throws {
    for (row, type) in try sorted(rows, key: \.key) {
      do {
        _ = try run(type.insert) { statement in
          try statement.bind(row.key, at: 1)
          try statement.bind(row.version, at: 2)
          try RowWriter.bind(type.entity.storedSlots, of: row, to: statement, from: 3)
        }
      } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT_UNIQUE_CODE {
        try refuse(row, type, in: changes.inserted + changes.updated.map(\.row))
      } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT_PRIMARYKEY_CODE {
        refusals.append(.version(key: row.key, expected: 0))
      }
    }
  }

  /// Finds which records have the values that a row must not have.
  private mutating func refuse(_ row: Row, _ type: SQLiteRecordType, in sent: [Row]) throws {
    for constraint in type.entity.constraints
    where !constraint.slots.contains(where: row.isNull) {
      let query = prepared.mapping.selectHolder(constraint, in: type.entity.table)
      statementLog?.statement(query)
      let holder = try connection.withStatement(query) { statement in
        try statement.bind(row.key, at: 1)
        try RowWriter.bind(constraint.slots, of: row, to: statement, from: 2)
        return try statement.step() ? statement.integer(0) : nil
      }
      guard let holder else { continue }
      refusals.append(
        .uniqueness(
          constraint, key: row.key, holder: holder, sent: sent.first { $0.key == holder }))
    }
  }

  // MARK: - Links

  private func change(_ links: [LinkChange]) throws {
    for link in links {
      guard let table = prepared.mapping.linkTable(link.table) else {
        throw PersistenceError(
          .persistentStoreSave, "The store does not hold the links '\(link.table.name)'.")
      }
      switch link.kind {
      case .link(let position, let inversePosition):
        _ = try run(prepared.mapping.insertLink(table)) { statement in
          try statement.bind(link.source, at: 1)
          try statement.bind(link.destination, at: 2)
          try statement.bind(position.map(SQLValue.integer) ?? .null, at: 3)
          try statement.bind(inversePosition.map(SQLValue.integer) ?? .null, at: 4)
        }
      case .unlink:
        _ = try run(prepared.mapping.deleteLink(table)) { statement in
          try statement.bind(link.source, at: 1)
          try statement.bind(link.destination, at: 2)
        }
      }
    }
  }

  // MARK: - Statements

  /// Runs a statement and returns how many records it changed.
  private func run(_ text: String, _ bind: (SQLiteStatement) throws -> Void) throws -> Int {
    statementLog?.statement(text)
    return try connection.withStatement(text) { statement in
      try bind(statement)
      try statement.run()
      return connection.changes
    }
  }

  /// Pairs changes with how to write them, in the order of their keys: neighbours lie on one page.
  private func sorted<Change>(
    _ changes: [Change], key: (Change) -> Int64
  ) throws -> [(Change, SQLiteRecordType)] {
    try changes.sorted { key($0) < key($1) }.map { ($0, try prepared.recordType(ofKey: key($0))) }
  }
}
