// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// The careful path: it finds all conflicts of a save, and lets unique values move between records.
//
// Deletions come first, then updates, then insertions: a unique value can be freed and taken in one save (B198).
// Before that, records whose unique values change lose their old ones, so that values can be swapped (B197). Each of
// these updates, and each insertion, is written only if no other record has its values; so the server raises no error,
// and everything still takes one round trip.
extension SaveRun {
  mutating func runCarefully() throws -> Result {
    do {
      let refusals = try writeUnlessHindered()
      guard refusals.isEmpty else {
        try connection.rollBack()
        return .refused(refusals)
      }
      try finish(metadata(), isBegun: true)
      return .committed
    } catch {
      if !connection.isBroken { try connection.rollBack() }
      if let error = error as? PostgreSQLError, error.isUniquenessViolation {
        try checkConstraint(error)
      }
      throw error
    }
  }

  /// Writes the records and links, or returns the conflicts; some changes may be written then.
  func writeUnlessHindered() throws -> [ChangeRefusal] {
    let mismatches = try lockAndCompare()
    // Whether values are unique can only be told when every record is as this save expects it (B192).
    guard mismatches.isEmpty else { return mismatches }
    let collisions = try write()
    return collisions.isEmpty ? [] : try explain(collisions)
  }

  /// Checks for a violated constraint that only the other version of the model has: no record of this version
  /// describes it, so the merge policies cannot resolve it (M43).
  ///
  /// - Throws: `managedObjectConstraintMerge` when the constraint is not one of the model's.
  func checkConstraint(_ error: PostgreSQLError) throws {
    guard let name = error.constraint, !name.hasSuffix("_pkey"),
      !prepared.mapping.tables.contains(where: { $0.indexes.contains { $0.name == name } })
    else { return }
    throw PersistenceError(
      .managedObjectConstraintMerge,
      "The save violates the uniqueness constraint “\(name)”, which this program's model does not "
        + "have: it is one of the other version of the model that the store serves.",
      underlying: error)
  }

  /// Locks the records that the save expects in a version, in one sorted pass, and returns those that are in another.
  private func lockAndCompare() throws -> [ChangeRefusal] {
    let locks = beginning + (try commands.locks())
    guard !locks.isEmpty else { return [] }
    log(locks)
    let results = try connection.run(locks).get()
    var found: [Int64: Int64] = [:]
    for result in results.dropFirst(beginning.count) {
      for row in 0..<result.count { found[result.integer(row, 0)] = result.integer(row, 1) }
    }
    func refusal(_ key: Int64, _ version: Int64) -> ChangeRefusal? {
      found[key] == version ? nil : .version(key: key, expected: version)
    }
    let deleted = plan.deleted.flatMap(\.changes).sorted { $0.key < $1.key }
    let locked = plan.locked.flatMap(\.changes).sorted { $0.key < $1.key }
    let updated = plan.updated.flatMap(\.changes).sorted { $0.row.key < $1.row.key }
    return deleted.compactMap { refusal($0.key, $0.version) }
      + locked.compactMap { refusal($0.key, $0.version) }
      + updated.compactMap { refusal($0.row.key, $0.baseVersion) }
  }

  /// A record whose values or key belong to another record.
  struct Collision {
    let row: Row
    let type: RecordType
    let isInserted: Bool
  }

  /// Writes everything except the collisions, and returns those.
  private func write() throws -> [Collision] {
    var batch = try commands.deletions()
    var guarded: [(index: Int, collision: Collision)] = []
    let updates = plan.updated.flatMap(UpdateBatch.batches)
    for update in updates where update.changesUniqueValues { batch += try parking(update) }
    for update in updates where !update.changesUniqueValues {
      batch.append(try commands.update(update))
    }
    let unique = updates.filter(\.changesUniqueValues).flatMap { update in
      update.updates.map { (update, $0) }
    }
    for (update, change) in unique.sorted(by: { $0.1.row.key < $1.1.row.key }) {
      guarded.append(
        (batch.count, Collision(row: change.row, type: update.type, isInserted: false)))
      batch.append(try guardedUpdate(change, update))
    }
    for group in plan.inserted {
      for row in group.changes {
        guarded.append((batch.count, Collision(row: row, type: group.type, isInserted: true)))
        batch.append(try SaveCommands.insertion(row, group.type, group.type.insertIfFree))
      }
    }
    batch += try commands.links()
    log(batch)
    let results = try connection.run(batch).get()
    return guarded.filter { results[$0.index].affected == 0 }.map(\.collision)
  }

  /// Sets the old unique values of records to NULL.
  private func parking(_ batch: UpdateBatch) throws -> [PostgreSQLCommand] {
    let slots = batch.slots.filter { slot in
      batch.type.entity.constraints.contains { $0.slots.contains(slot) }
    }
    let text = prepared.mapping.clearMany(batch.type.entity, slots: slots)
    return [try commands.command(text, batch.updates.map(\.row.key))]
  }

  private func guardedUpdate(
    _ change: RowUpdate, _ batch: UpdateBatch
  ) throws -> PostgreSQLCommand {
    let constraints = batch.type.entity.constraints.filter { constraint in
      constraint.slots.contains { batch.slots.contains($0) }
        && !constraint.slots.contains(where: change.row.isNull)
    }
    var parameters = Parameters()
    parameters.append(change.row.key)
    parameters.append(change.row.version)
    for slot in batch.slots { try parameters.append(slot, of: change.row) }
    for constraint in constraints {
      for slot in constraint.slots { try parameters.append(slot, of: change.row) }
    }
    let text = prepared.mapping.updateGuarded(
      batch.type.entity, slots: batch.slots, constraints: constraints)
    return PostgreSQLCommand(text, parameters)
  }

  /// Finds the records that hold the colliding values or keys.
  private func explain(_ collisions: [Collision]) throws -> [ChangeRefusal] {
    let found = try ClaimConflicts(of: changes, in: prepared.mapping).findings(
      unwritten: Set(collisions.map(\.row.key)), holder: holder)
    var refusals = found.refusals
    for collision in collisions.sorted(by: Self.comesFirst)
    where !found.explained.contains(collision.row.key) {
      // A record that is neither written nor reported would be lost.
      guard collision.isInserted else {
        throw PersistenceError(
          .corruptStore, "An index says that values are taken, and no record has them.",
          entityName: collision.type.entity.entity.name)
      }
      try insertAgain(collision)
      refusals.append(.version(key: collision.row.key, expected: 0))
    }
    return refusals
  }

  /// Inserts a new record again so that the server names the violated index, where none of the model's constraints
  /// explains the collision.
  private func insertAgain(_ collision: Collision) throws {
    let insertion = try SaveCommands.insertion(
      collision.row, collision.type, collision.type.insert)
    let point = "roost_collision"
    let outcome = try connection.run([.once("SAVEPOINT \(point)"), insertion])
    try connection.run(.once("ROLLBACK TO SAVEPOINT \(point)"))
    if let error = outcome.failure?.error, error.isUniquenessViolation {
      try checkConstraint(error)
    }
  }

  /// Orders updates before insertions, and each by key, as they were written.
  private static func comesFirst(_ left: Collision, _ right: Collision) -> Bool {
    left.isInserted == right.isInserted ? left.row.key < right.row.key : right.isInserted
  }

  private func holder(
    _ constraint: SQLConstraint, _ table: SQLTable, _ row: Row
  ) throws -> Int64? {
    var parameters = Parameters()
    parameters.append(row.key)
    for slot in constraint.slots { try parameters.append(slot, of: row) }
    let command = PostgreSQLCommand(
      prepared.mapping.selectHolder(constraint, in: table), parameters)
    log([command])
    let result = try connection.run(command)
    return result.count > 0 ? result.integer() : nil
  }
}
