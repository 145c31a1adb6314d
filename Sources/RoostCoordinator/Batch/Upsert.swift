// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Records to be inserted, some of which turn out to be there already: each conflict hands the values of a new record
/// to the one that has its unique value, until nothing is in the way.
struct Upsert {
  private let entity: EntityDescription
  private let records: [BatchInsert.Record]
  private let places: [Int64: Int]
  /// The properties of the only constraint by which a record can be there already; nil for any.
  private let constraint: Set<String>?
  /// The first of the records that have become one, for each of them.
  private var leaders: [Int]
  /// The stored record that takes over the values of a leader and those behind it.
  private var storedKeys: [Int64?]
  /// These stored records, as they were last seen.
  private var stored: [Int64: Row] = [:]
  private var attemptsLeft = PersistentStoreCoordinator.batchAttempts

  init(_ batch: BatchInsert, ids: [ObjectID]) {
    entity = batch.entity
    constraint = batch.constraint
    records = zip(batch.records, ids).map { record, id in
      BatchInsert.Record(row: record.row.copy(key: id.key, version: 1), slots: record.slots)
    }
    places = Dictionary(
      ids.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    leaders = Array(records.indices)
    storedKeys = Array(repeating: nil, count: records.count)
  }

  /// Where the values of each record go.
  var keys: [Int64] {
    leaders.map { storedKeys[$0] ?? records[$0].row.key }
  }

  /// What is to be written, as it looks now. Of several values for one slot the last one counts.
  var changes: StoreChangeSet {
    var changes = StoreChangeSet()
    var rows: [Int64: Row] = [:]
    for (place, key) in keys.enumerated() {
      let record = records[place]
      if rows[key] == nil {
        if let base = stored[key] {
          rows[key] = base.copy(version: base.version &+ 1)
        } else {
          let row = record.row.copy()
          rows[key] = row
          changes.inserted.append(row)
        }
      }
      for slot in record.slots { rows[key]?.copySlot(slot, from: record.row) }
    }
    for (key, base) in stored.sorted(by: { $0.key < $1.key }) {
      guard let row = rows[key] else { continue }
      changes.updated.append(
        RowUpdate(row: row, baseVersion: base.version, changedSlots: row.changedSlots(from: base)))
    }
    return changes
  }
}

// MARK: - Conflicts

extension Upsert {
  /// Makes way for what is there already.
  ///
  /// - Returns: Whether it is worth another try; false when two records would have to take over one new one's values,
  ///   the stored record is of an entity that cannot, or only constraints that do not count are in the way.
  mutating func resolve(_ conflicts: [CommitConflict]) -> Bool {
    var isDifferent = false
    for conflict in conflicts where decides(conflict) {
      switch conflict {
      case .version(let id, _, let current, _):
        // Another writer changed or removed the record between the look-up and the commit.
        guard stored[id.key] != nil, attemptsLeft > 0 else { return false }
        attemptsLeft -= 1
        isDifferent = true
        if let current { stored[id.key] = current } else { forget(id.key) }
      case .uniqueness(let id, _, _, let existing, _):
        guard let existing, let place = places[id.key] else { return false }
        switch hand(place, to: existing) {
        case nil: return false
        case let changed?: isDifferent = isDifferent || changed
        }
      }
    }
    return isDifferent
  }

  /// Whether a conflict tells which record a new one is. Others are judged when that is known: they may be gone then.
  private func decides(_ conflict: CommitConflict) -> Bool {
    guard let constraint, case .uniqueness(_, let names, _, _, _) = conflict else { return true }
    return Set(names) == constraint
  }

  /// Lets a new record become part of another one; nil when it cannot, false when it was already.
  private mutating func hand(_ place: Int, to existing: Row) -> Bool? {
    let leader = leaders[place]
    if let other = places[existing.key] { return merge(leader, leaders[other]) }
    guard existing.layout.entity.isKindOf(entity: entity) else { return nil }
    if let known = storedKeys[leader] { return known == existing.key ? false : nil }
    storedKeys[leader] = existing.key
    if stored[existing.key] == nil { stored[existing.key] = existing }
    return true
  }

  private mutating func merge(_ left: Int, _ right: Int) -> Bool? {
    guard left != right else { return false }
    let (first, second) = (min(left, right), max(left, right))
    if let mine = storedKeys[first], let other = storedKeys[second], mine != other { return nil }
    storedKeys[first] = storedKeys[first] ?? storedKeys[second]
    storedKeys[second] = nil
    for place in leaders.indices where leaders[place] == second { leaders[place] = first }
    return true
  }

  /// Makes the records that a stored one had taken over new ones again.
  private mutating func forget(_ key: Int64) {
    stored[key] = nil
    for place in storedKeys.indices where storedKeys[place] == key { storedKeys[place] = nil }
  }
}
