// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

@testable import RoostInMemory
@testable import RoostKeyValue

/// A store with random people and departments, and its expected content.
final class Population {
  let company: Company
  let store: KeyValueStore
  var rows: NastyRows
  /// The expected rows of the store, by key.
  var expected: [Int64: Row] = [:]
  private var departments: [Int64] = []
  private var nextSequence: Int64 = 1

  init(_ company: Company, seed: UInt64, longestEntryKey: Int = .max) throws {
    self.company = company
    store = try company.store(longestEntryKey: longestEntryKey)
    rows = NastyRows(company, seed: seed)
  }

  func newKey(_ entity: EntityDescription) -> Int64 {
    defer { nextSequence += 1 }
    return company.key(nextSequence, entity)
  }

  /// Returns a person or employee with random values that satisfy the uniqueness constraints.
  func newPerson() -> Row {
    let entity = rows.random.chance(1, in: 3) ? company.employee : company.person
    let key = newKey(entity)
    let row = rows.next(RecordKey.sequence(of: key), of: entity)
    makeUnique(row)
    relate(row)
    return row
  }

  func makeUnique(_ row: Row) {
    row.setString("\(RecordKey.sequence(of: row.key))@example.org", at: company.slot("email"))
    // The pair of name and age is unique; without a name the constraint does not apply.
    if !row.isNull(company.slot("name")), !row.isNull(company.slot("age")) {
      row.setInteger(Int64(row.key), at: company.slot("age"))
      if rows.random.chance(3, in: 4) {
        row.setNull(company.slot("name"))
        row.setInteger(rows.pick([17, 18, 19, 20, -5, 1000]), at: company.slot("age"))
      }
    }
  }

  /// Gives a person a department, or none.
  func relate(_ row: Row) {
    for (name, hasPosition) in [("department", false), ("rankedIn", true)] {
      guard !departments.isEmpty, rows.random.chance(3, in: 4) else {
        row.setNull(company.slot(name))
        if hasPosition { row.setNull(positionSlot) }
        continue
      }
      row.setInteger(rows.pick(departments), at: company.slot(name))
      if hasPosition {
        row.setInteger(Int64.random(in: -5...5, using: &rows.random), at: positionSlot)
      }
    }
  }

  /// The hidden slot that orders a department's ranking.
  var positionSlot: RowSlot {
    guard case .inverseOfToOne(_, let position?) = company.ranking.storage else {
      preconditionFailure("the ranking is ordered")
    }
    return position
  }

  func addDepartments(_ count: Int) throws {
    let rows = (0..<count).map { number in
      let row = Row(
        layout: company.department.layout, key: newKey(company.department), version: 1)
      row.setString("Department \(number)", at: company.slot("name", of: company.department))
      return row
    }
    try commit(StoreChangeSet(inserted: rows))
    departments += rows.map(\.key)
  }

  func addPeople(_ count: Int) throws {
    try commit(StoreChangeSet(inserted: (0..<count).map { _ in newPerson() }))
  }

  /// Commits changes, and updates the expected rows.
  func commit(_ changes: StoreChangeSet) throws {
    guard case .committed = try store.commit(changes) else {
      throw PersistenceError(.persistentStoreSave, "no conflict was expected")
    }
    for row in changes.inserted { expected[row.key] = row }
    for update in changes.updated { expected[update.row.key] = update.row }
    for version in changes.deleted { expected[version.key] = nil }
  }

  /// Changes some people randomly: sets values, deletes and inserts records.
  func changeSomePeople() throws {
    var changes = StoreChangeSet()
    for (key, row) in expected.sorted(by: { $0.key < $1.key })
    where RecordKey.entityCode(of: key) <= 2 {
      switch Int.random(in: 0..<6, using: &rows.random) {
      case 0: changes.deleted.append(RowVersion(key: key, version: row.version))
      case 1, 2: changes.updated.append(update(of: row))
      default: break
      }
    }
    changes.inserted = (0..<20).map { _ in newPerson() }
    try commit(changes)
  }

  private func update(of row: Row) -> RowUpdate {
    let changed = row.copy(version: row.version + 1)
    for slot in row.layout.storedSlots where rows.random.chance(1, in: 3) {
      rows.fill(changed, slot)
    }
    makeUnique(changed)
    relate(changed)
    return RowUpdate(
      row: changed, baseVersion: row.version, changedSlots: row.layout.storedSlots.map(\.index))
  }

  // MARK: - Reference

  /// Returns the keys that a request must find, by a scan of every committed row.
  func reference(_ request: ResolvedFetch) throws -> [Int64] {
    try store.engine.reading { snapshot in
      let source = SnapshotSource(schema: try store.preparedSchema(), snapshot: snapshot)
      let evaluator = try request.predicate.map { try PredicateEvaluator($0, source: source) }
      let sorter = try SortEvaluator(request.sort, source: source)
      let codes = Set(request.entities.compactMap { company.schema.code(of: $0) })
      let found = try expected.values.filter { row in
        try codes.contains(RecordKey.entityCode(of: row.key)) && evaluator?.matches(row) ?? true
      }
      let rest = try sorter.sorted(found).dropFirst(request.offset).map(\.key)
      return request.limit.map { Array(rest.prefix($0)) } ?? rest
    }
  }

  /// Returns the keys that the store finds.
  func keys(_ request: ResolvedFetch) throws -> [Int64] {
    switch try store.fetch(request).content {
    case .rows(let rows): rows.map(\.key)
    case .keys(let keys): keys
    case .count, .tuples: []
    }
  }
}
