// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// Makes the statements that write a save plan.
struct SaveCommands {
  let plan: SavePlan
  let mapping: SQLSchema

  /// The number of new records of an entity from which on they are copied instead of inserted one by one.
  static let copyThreshold = 64
  /// The number of records from which on an extra round trip is worthwhile to learn whether a statement found them
  /// all.
  private static let countThreshold = 256

  /// Statements that remove and change the records that the save expects in a version, and fail when one is in
  /// another.
  func checkedChanges() throws -> [PostgreSQLCommand] {
    guard !plan.locksFirst else { return try checks() + deletions() + updates() }
    return try checkedDeletions()
      + plan.updated.flatMap { group in
        try UpdateBatch.batches(group).map { try update($0, checksVersions: true) }
      }
  }

  /// Statements that lock the records that the save expects in a version, and fail when one is in another.
  private func checks() throws -> [PostgreSQLCommand] {
    try plan.expectations.map { expected in
      var parameters = Parameters(capacity: 128 + expected.keys.count * 24)
      try parameters.append(expected.keys)
      try parameters.append(expected.versions)
      parameters.append(Int64(expected.keys.count))
      return check(mapping.lockAndCheck(expected.table), parameters)
    }
  }

  private func check(_ text: String, _ parameters: Parameters) -> PostgreSQLCommand {
    var command = PostgreSQLCommand(text, parameters)
    command.checksVersions = true
    return command
  }

  /// Statements that lock the same records and read their versions.
  func locks() throws -> [PostgreSQLCommand] {
    try plan.expectations.map { expected in
      var parameters = Parameters(capacity: 64 + expected.keys.count * 12)
      try parameters.append(expected.keys)
      return PostgreSQLCommand(mapping.lock(expected.table), parameters)
    }
  }

  /// Statements that remove records with their links, and increment the versions of locked ones.
  func deletions() throws -> [PostgreSQLCommand] {
    var commands: [PostgreSQLCommand] = []
    for group in plan.deleted {
      let keys = group.changes.map(\.key)
      commands.append(try command(mapping.deleteByKeys(group.type.entity.table), keys))
      for text in group.type.deleteLinks { commands.append(try command(text, keys)) }
    }
    for group in plan.locked {
      let text = mapping.advance(group.type.entity.table)
      commands.append(try command(text, group.changes.map(\.key)))
    }
    return commands
  }

  /// The same statements with checks, which fail when a record is in another version: one statement per version.
  private func checkedDeletions() throws -> [PostgreSQLCommand] {
    var commands: [PostgreSQLCommand] = []
    for group in plan.deleted {
      let table = group.type.entity.table
      commands += try checked(
        group, failing: mapping.deleteChecked(table), counted: mapping.deleteInVersion(table))
      let keys = group.changes.map(\.key)
      for text in group.type.deleteLinks { commands.append(try command(text, keys)) }
    }
    for group in plan.locked {
      let table = group.type.entity.table
      commands += try checked(
        group, failing: mapping.advanceChecked(table), counted: mapping.advanceInVersion(table))
    }
    return commands
  }

  /// Returns statements for the records of one group, one for each version.
  ///
  /// - Parameters:
  ///   - failing: A statement that fails when a record is in another version, so that the commit can be sent with it.
  ///   - counted: A statement that returns how many records it found, which is cheaper for the server with many
  ///     records.
  private func checked(
    _ group: RecordGroup<RowVersion>, failing: String, counted: String
  ) throws -> [PostgreSQLCommand] {
    var keys: [Int64: [Int64]] = [:]
    for change in group.changes { keys[change.version, default: []].append(change.key) }
    return try keys.sorted { $0.key < $1.key }.map { version, keys in
      var parameters = Parameters(capacity: 64 + keys.count * 12)
      try parameters.append(keys)
      if keys.count >= Self.countThreshold {
        parameters.append(version)
        return count(counted, parameters, keys.count)
      }
      parameters.append(Int64(keys.count))
      parameters.append(version)
      return check(failing, parameters)
    }
  }

  private func count(
    _ text: String, _ parameters: Parameters, _ expected: Int
  ) -> PostgreSQLCommand {
    var command = PostgreSQLCommand(text, parameters)
    command.expectedCount = expected
    return command
  }

  /// Statements that change records: one for all records with the same changed properties.
  private func updates() throws -> [PostgreSQLCommand] {
    try plan.updated.flatMap { group in
      try UpdateBatch.batches(group).map { try update($0) }
    }
  }

  func update(
    _ batch: UpdateBatch, checksVersions: Bool = false
  ) throws -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 128 + batch.updates.count * 24 * (batch.slots.count + 3))
    try parameters.append(batch.updates.map(\.row.key))
    try parameters.append(batch.updates.map(\.row.version))
    if checksVersions { try parameters.append(batch.updates.map(\.baseVersion)) }
    for slot in batch.slots {
      try parameters.appendList(of: PostgreSQLType(slot.kind), count: batch.updates.count) {
        buffer in
        for update in batch.updates { try RowWriter.append(slot, of: update.row, to: buffer) }
      }
    }
    let entity = batch.type.entity
    guard checksVersions else {
      return PostgreSQLCommand(mapping.updateMany(entity, slots: batch.slots), parameters)
    }
    if batch.updates.count >= Self.countThreshold {
      let text = mapping.updateManyInVersion(entity, slots: batch.slots)
      return count(text, parameters, batch.updates.count)
    }
    parameters.append(Int64(batch.updates.count))
    return check(mapping.updateManyChecked(entity, slots: batch.slots), parameters)
  }

  /// Statements that insert the records of groups that are too small to be copied.
  func insertions() throws -> [PostgreSQLCommand] {
    try plan.inserted.filter { $0.changes.count < Self.copyThreshold }.flatMap { group in
      try group.changes.map { try Self.insertion($0, group.type, group.type.insert) }
    }
  }

  /// The groups of new records that are copied.
  var copied: [RecordGroup<Row>] {
    plan.inserted.filter { $0.changes.count >= Self.copyThreshold }
  }

  static func insertion(
    _ row: Row, _ type: RecordType, _ text: String
  ) throws -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 64 + type.entity.storedSlots.count * 24)
    parameters.append(row.key)
    parameters.append(row.version)
    for slot in type.entity.storedSlots { try parameters.append(slot, of: row) }
    return PostgreSQLCommand(text, parameters)
  }

  /// Statements that remove and make links.
  func links() throws -> [PostgreSQLCommand] {
    var commands: [PostgreSQLCommand] = []
    for batch in plan.links {
      if !batch.removed.isEmpty {
        var parameters = Parameters(capacity: 128 + batch.removed.count * 24)
        try parameters.append(batch.removed.map(\.source))
        try parameters.append(batch.removed.map(\.destination))
        commands.append(PostgreSQLCommand(mapping.deleteLinks(batch.table), parameters))
      }
      guard !batch.linked.isEmpty else { continue }
      var parameters = Parameters(capacity: 128 + batch.linked.count * 48)
      try parameters.append(batch.linked.map(\.pair.source))
      try parameters.append(batch.linked.map(\.pair.destination))
      for position in [batch.linked.map(\.position), batch.linked.map(\.inversePosition)] {
        try parameters.appendList(of: .integer, count: position.count) { buffer in
          for number in position {
            if let number { buffer.appendField(number) } else { buffer.appendNull() }
          }
        }
      }
      commands.append(PostgreSQLCommand(mapping.insertLinks(batch.table), parameters))
    }
    return commands
  }

  func command(_ text: String, _ keys: [Int64]) throws -> PostgreSQLCommand {
    var parameters = Parameters(capacity: 64 + keys.count * 12)
    try parameters.append(keys)
    return PostgreSQLCommand(text, parameters)
  }
}

/// Updates of records of one entity that change the same properties.
struct UpdateBatch {
  let type: RecordType
  /// The changed slots that are stored.
  let slots: [RowSlot]
  var updates: [RowUpdate]

  /// Whether a value of a unique constraint changes.
  var changesUniqueValues: Bool {
    type.entity.constraints.contains { constraint in
      constraint.slots.contains { slots.contains($0) }
    }
  }

  /// Groups updates by changed properties, in the order in which they occur.
  static func batches(_ group: RecordGroup<RowUpdate>) -> [UpdateBatch] {
    var batches: [UpdateBatch] = []
    var indexBySlots: [[Int]: Int] = [:]
    var last: (slots: [Int], index: Int)?
    let layout = group.changes.first?.row.layout.slots ?? []
    for update in group.changes {
      if last?.slots != update.changedSlots {
        let index = indexBySlots[update.changedSlots] ?? batches.count
        if index == batches.count {
          indexBySlots[update.changedSlots] = index
          let slots = update.changedSlots.map { layout[$0] }
          batches.append(
            UpdateBatch(
              type: group.type, slots: slots.filter { group.type.entity.column($0) != nil },
              updates: []))
        }
        last = (update.changedSlots, index)
      }
      batches[last?.index ?? 0].updates.append(update)
    }
    return batches
  }
}
