// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// Updates and insertions, and what becomes of those that collide.
extension ChangeWriter {
  mutating func update(_ changes: StoreChangeSet) throws {
    var parked: [(update: RowUpdate, type: SQLiteRecordType)] = []
    for (update, type) in try sorted(changes.updated, key: \.row.key) {
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
      try refuse(update.row, type, in: changes)
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
      let found = try run(text) { statement in
        try statement.bind(update.row.key, at: 1)
        try statement.bind(update.baseVersion, at: 2)
        try statement.bind(update.row.version, at: 3)
        try RowWriter.bind(slots, of: update.row, to: statement, from: 4)
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

  /// Takes the record's old unique values away, so that others can have them.
  private mutating func park(_ update: RowUpdate, _ type: SQLiteRecordType) throws {
    let changed = Set(update.changedSlots)
    let slots = type.entity.storedSlots.filter { slot in
      changed.contains(slot.index) && type.entity.constraints.contains { $0.slots.contains(slot) }
    }
    guard !slots.isEmpty else { return }
    _ = try run(prepared.mapping.clear(type.entity, slots: slots)) { statement in
      try statement.bind(update.row.key, at: 1)
      try statement.bind(update.baseVersion, at: 2)
    }
  }

  mutating func insert(_ changes: StoreChangeSet) throws {
    for (row, type) in try sorted(changes.inserted, key: \.key) {
      do {
        _ = try run(type.insert) { statement in
          try statement.bind(row.key, at: 1)
          try statement.bind(row.version, at: 2)
          try RowWriter.bind(type.entity.storedSlots, of: row, to: statement, from: 3)
        }
      } catch let error as SQLiteError where error.isUniquenessViolation {
        try refuse(row, type, in: changes)
      } catch let error as SQLiteError where error.isKeyViolation {
        refusals.append(.version(key: row.key, expected: 0))
      }
    }
  }

  /// Finds which records have the values that a row must not have.
  private mutating func refuse(
    _ row: Row, _ type: SQLiteRecordType, in changes: StoreChangeSet
  ) throws {
    var isExplained = false
    for constraint in type.entity.constraints
    where !constraint.slots.contains(where: row.isNull) {
      var holder: Int64?
      let query = prepared.mapping.selectHolder(constraint, in: type.entity.table)
      statementLog?.statement(query)
      try connection.withStatement(query) { statement in
        try statement.bind(row.key, at: 1)
        try RowWriter.bind(constraint.slots, of: row, to: statement, from: 2)
        if try statement.step() { holder = statement.integer(0) }
      }
      guard let holder else { continue }
      isExplained = true
      let sent =
        changes.inserted.first { $0.key == holder }
        ?? changes.updated.first { $0.row.key == holder }?.row
      refusals.append(.uniqueness(constraint, key: row.key, holder: holder, sent: sent))
    }
    // A record that is neither written nor reported would be lost.
    guard isExplained else {
      throw PersistenceError(
        .corruptStore, "An index says that values are taken, and no record has them.",
        entityName: type.entity.entity.name)
    }
  }
}
