// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// Updates and insertions, and the handling of collisions.
extension ChangeWriter {
  mutating func update(_ changes: StoreChangeSet) throws {
    var parked: [(update: RowUpdate, type: SQLiteRecordType)] = []
    for update in inOrder(changes.updated, key: { $0.row.key }) {
      let type = try recordType(ofKey: update.row.key)
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
      unwritten.append(update.row.key)
    }
  }

  private enum Attempt {
    case written
    case missing
    case collided
  }

  private mutating func attempt(_ update: RowUpdate, _ type: SQLiteRecordType) throws -> Attempt {
    let (slots, text) = updateStatement(update, type)
    do {
      let found = try run(text) { [rowWriter] statement in
        try statement.bind(update.row.key, at: 1)
        try statement.bind(version: update.baseVersion, at: 2)
        try statement.bind(version: update.row.version, at: 3)
        rowWriter.beginStatement()
        try rowWriter.bind(slots, of: update.row, to: statement, from: 4)
      }
      return found == 0 ? .missing : .written
    } catch let error as SQLiteError where error.isUniquenessViolation {
      return .collided
    }
  }

  private mutating func updateStatement(
    _ update: RowUpdate, _ type: SQLiteRecordType
  ) -> (slots: [RowSlot], text: String) {
    if let last = lastUpdate, last.type === type, last.changedSlots == update.changedSlots {
      return (last.slots, last.text)
    }
    let layout = update.row.layout.slots
    let slots = update.changedSlots.map { layout[$0] }.filter { type.entity.column($0) != nil }
    let text = prepared.mapping.update(type.entity, slots: slots)
    lastUpdate = (type, update.changedSlots, slots, text)
    return (slots, text)
  }

  /// Sets the record's old unique values to NULL, so that others can have them.
  private mutating func park(_ update: RowUpdate, _ type: SQLiteRecordType) throws {
    let changed = Set(update.changedSlots)
    let slots = type.entity.storedSlots.filter { slot in
      changed.contains(slot.index) && type.entity.constraints.contains { $0.slots.contains(slot) }
    }
    guard !slots.isEmpty else { return }
    _ = try run(prepared.mapping.clear(type.entity, slots: slots)) { statement in
      try statement.bind(update.row.key, at: 1)
      try statement.bind(version: update.baseVersion, at: 2)
    }
  }

  mutating func insert(_ changes: StoreChangeSet) throws {
    let rows = inOrder(changes.inserted) { $0.key }
    var next = 0
    while next < rows.count {
      let type = try recordType(ofKey: rows[next].key)
      if isGroup(rows, at: next, type) {
        let written = try insertGroup(rows[next..<next + type.groupSize], type)
        next += written
        if written == type.groupSize { continue }
      }
      try insert(rows[next], type)
      next += 1
    }
  }

  private func isGroup(_ rows: [Row], at start: Int, _ type: SQLiteRecordType) -> Bool {
    let end = start + type.groupSize
    guard type.groupSize > 1, end <= rows.count else { return false }
    let code = RecordKey.entityCode(of: rows[start].key)
    for index in start..<end where RecordKey.entityCode(of: rows[index].key) != code {
      return false
    }
    return true
  }

  /// Writes records with one statement, and returns their number: all, or those before the first collision.
  private mutating func insertGroup(
    _ rows: ArraySlice<Row>, _ type: SQLiteRecordType
  ) throws -> Int {
    do {
      return try run(type.insertGroup) { [rowWriter] statement in
        rowWriter.beginStatement()
        var first: Int32 = 1
        for row in rows {
          try rowWriter.bind(record: row, type.entity.storedSlots, to: statement, from: first)
          first += Int32(type.entity.storedSlots.count + 2)
        }
      }
    } catch let error as SQLiteError where error.isUniquenessViolation || error.isKeyViolation {
      return connection.changes
    }
  }

  private mutating func insert(_ row: Row, _ type: SQLiteRecordType) throws {
    do {
      _ = try run(type.insert) { [rowWriter] statement in
        rowWriter.beginStatement()
        try rowWriter.bind(record: row, type.entity.storedSlots, to: statement, from: 1)
      }
    } catch let error as SQLiteError where error.isUniquenessViolation {
      unwritten.append(row.key)
    } catch let error as SQLiteError where error.isKeyViolation {
      refusals.append(.version(key: row.key, expected: 0))
    }
  }

  /// Finds the records that hold the values of those that could not be written.
  mutating func explain(_ changes: StoreChangeSet) throws {
    let found = try ClaimConflicts(of: changes, in: prepared.mapping).findings(
      unwritten: Set(unwritten)
    ) { try holder($0, $1, $2) }
    // A record that is neither written nor reported would be lost.
    if let key = unwritten.first(where: { !found.explained.contains($0) }) {
      throw PersistenceError(
        .corruptStore, "An index says that values are taken, and no record has them.",
        entityName: try recordType(ofKey: key).entity.entity.name)
    }
    refusals += found.refusals
  }

  private func holder(
    _ constraint: SQLConstraint, _ table: SQLTable, _ row: Row
  ) throws -> Int64? {
    let query = prepared.mapping.selectHolder(constraint, in: table)
    statementLog?.statement(query)
    return try connection.withStatement(query) { statement in
      try statement.bind(row.key, at: 1)
      rowWriter.beginStatement()
      try rowWriter.bind(constraint.slots, of: row, to: statement, from: 2)
      return try statement.step() ? statement.integer(0) : nil
    }
  }
}
