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

  /// The names of the slots that are needed in rows; nil for whole rows.
  private let neededSlots: Set<String>?

  init(of store: AttachedStore, neededSlots: Set<String>? = nil) {
    self.store = store
    self.neededSlots = store.readsColumns ? neededSlots : nil
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
    addCohort(try neededSlots.map { try rows(missing, $0) } ?? store.storedRows(forKeys: missing))
    indexCohorts()
  }

  /// Reads only some slots of rows: one request for each entity.
  private func rows(_ keys: [Int64], _ neededSlots: Set<String>) throws -> [Row] {
    var found: [Row] = []
    for (code, keys) in Dictionary(grouping: keys, by: RecordKey.entityCode(of:)) {
      guard let entity = store.schema.entity(ofKey: RecordKey.make(sequence: 1, entityCode: code))
      else { continue }
      for start in stride(from: 0, to: keys.count, by: AcrossLimits.mostKeys) {
        let batch = keys[start..<Swift.min(start + AcrossLimits.mostKeys, keys.count)]
        let fetch = ResolvedFetch(
          entity: entity, entities: [entity],
          predicate: .comparison(entity.isOne(of: batch.compactMap(store.objectID(forKey:)))))
        let answer = try StoreFetch(store: store, fillsRowCache: false, neededSlots: neededSlots)
          .run(fetch)
        if case .rows(let rows) = answer { found += rows }
      }
    }
    return found
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

extension AttachedStore {
  /// Whether the store saves work when it reads some slots of a row only: a store without SQL reads records whole.
  var readsColumns: Bool { store.sql != nil }
}
