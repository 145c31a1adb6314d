// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// The rows of one store that are loaded for an evaluation in memory.
///
/// Rows that were loaded together form a cohort. When a relationship of one of them is followed for the first time,
/// it is followed for the whole cohort in one or two requests, and the destinations form the next cohort: the number
/// of round trips depends on the length of the key paths, not on the number of rows.
final class LoadedRows {
  let store: AttachedStore

  private struct Step: Hashable {
    var relationship: ObjectIdentifier
    var cohort: Int
  }

  private var cohorts: [[Row]] = []
  private var rows: [Int64: Row] = [:]
  private var cohortOfKey: [Int64: Int] = [:]
  /// The number of cohorts indexed in the two tables above; rows whose relationships are never followed are not
  /// indexed.
  private var indexedCohorts = 0
  private var followed: Set<Step> = []
  private var destinationKeys: [ObjectIdentifier: [Int64: ArraySlice<Int64>]] = [:]

  init(of store: AttachedStore) {
    self.store = store
  }

  /// Adds rows whose relationships are to be followed together.
  func addCohort(_ rows: [Row]) {
    if !rows.isEmpty { cohorts.append(rows) }
  }

  /// The destination of a to-one relationship; nil when there is none, or its record is gone (B71).
  func destination(of relationship: RelationshipDescription, from row: Row) throws -> Row? {
    guard case .toOne(let slot) = relationship.storage, let key = row.reference(slot) else {
      return nil
    }
    indexCohorts()
    if let known = rows[key] { return known }
    try follow(relationship, from: row) { cohort in
      try load(cohort.compactMap { $0.reference(slot) })
    }
    return rows[key]
  }

  /// The destinations of a to-many relationship.
  func destinations(of relationship: RelationshipDescription, from row: Row) throws -> [Row] {
    indexCohorts()
    let identifier = ObjectIdentifier(relationship)
    try follow(relationship, from: row) { cohort in
      let keys = cohort.map(\.key)
      let found = try store.destinations(of: relationship, forSources: keys)
      for (index, key) in keys.enumerated() {
        destinationKeys[identifier, default: [:]][key] = found[source: index]
      }
      try load(found.keys)
    }
    return destinationKeys[identifier]?[row.key]?.compactMap { rows[$0] } ?? []
  }

  /// Returns the row of a key, if it is loaded.
  func row(forKey key: Int64) -> Row? {
    indexCohorts()
    return rows[key]
  }

  /// Follows a relationship for the cohort of a row, once.
  func follow(
    _ relationship: RelationshipDescription, from row: Row, _ load: ([Row]) throws -> Void
  ) throws {
    if cohortOfKey[row.key] == nil {
      addCohort([row])
      indexCohorts()
    }
    guard let cohort = cohortOfKey[row.key],
      followed.insert(Step(relationship: ObjectIdentifier(relationship), cohort: cohort)).inserted
    else { return }
    // A cohort has rows of several entities; rows without the relationship have no destinations.
    try load(cohorts[cohort].filter { $0.layout.entity.has(relationship) })
  }

  /// Loads the rows of keys together, except those of records of other stores.
  func load(_ keys: [Int64]) throws {
    let missing = Set(keys).filter { rows[$0] == nil && !ForeignNumber.isForeign($0) }.sorted()
    guard !missing.isEmpty else { return }
    addCohort(try store.storedRows(forKeys: missing))
    indexCohorts()
  }

  private func indexCohorts() {
    while indexedCohorts < cohorts.count {
      for row in cohorts[indexedCohorts] where rows.updateValue(row, forKey: row.key) == nil {
        cohortOfKey[row.key] = indexedCohorts
      }
      indexedCohorts += 1
    }
  }
}
