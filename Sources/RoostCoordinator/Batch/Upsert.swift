// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The state of a batch insertion in which some records may already exist: each uniqueness conflict assigns the
/// values of a new record to the existing one, until no conflict is left.
struct Upsert {
  private let entity: EntityDescription
  private let records: [BatchInsert.Record]
  private let places: [Int64: Int]
  /// The properties of the only constraint that identifies existing records; nil for any.
  private let constraint: Set<String>?
  /// For each record, the first of the new records that it was merged with.
  private var leaders: [Int]
  /// For each leader, the existing record that receives its values and those merged with it.
  private var storedKeys: [Int64?]
  /// The current rows of these existing records.
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

  /// The key of the record that receives the values of each new record.
  var keys: [Int64] {
    leaders.map { storedKeys[$0] ?? records[$0].row.key }
  }

  /// The change set for the current state. Of several values for one slot, the last one is used.
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
  /// Merges new records with existing ones according to conflicts.
  ///
  /// - Returns: Whether to retry; false when one new record conflicts with two existing ones, when the existing
  ///   record's entity does not fit, or when only other constraints are violated.
  mutating func resolve(_ conflicts: [CommitConflict]) -> Bool {
    var isDifferent = false
    for conflict in inOrder(conflicts) where decides(conflict) {
      switch conflict {
      case .version(let id, _, let current, _):
        // A concurrent save changed or deleted the record between the look-up and the commit.
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

  /// Returns conflicts in the order of the request's records, because that of the store depends on its indexes.
  private func inOrder(_ conflicts: [CommitConflict]) -> [CommitConflict] {
    func order(_ conflict: CommitConflict) -> (Int, String) {
      guard case .uniqueness(let id, let names, _, _, _) = conflict else { return (-1, "") }
      return (places[id.key] ?? records.count, names.joined(separator: " "))
    }
    return conflicts.sorted { order($0) < order($1) }
  }

  /// Whether a conflict identifies an existing record. Other conflicts are checked afterwards, when they may be gone.
  private func decides(_ conflict: CommitConflict) -> Bool {
    guard let constraint, case .uniqueness(_, let names, _, _, _) = conflict else { return true }
    return Set(names) == constraint
  }

  /// Merges a new record into an existing or another new one; nil when that is not possible, false when it was merged
  /// already.
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

  /// Turns the records that were merged into an existing one back into new ones.
  private mutating func forget(_ key: Int64) {
    stored[key] = nil
    for place in storedKeys.indices where storedKeys[place] == key { storedKeys[place] = nil }
  }
}
