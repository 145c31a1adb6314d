// SPDX-License-Identifier: Apache-2.0

/// An index of the live queries and values that a change can affect.
struct LiveIndex {
  private struct EntityQueries {
    /// The indices of all queries that depend on the entity.
    var all: [Int] = []
    /// The indices of the queries that read a property of the entity, by property name.
    var byProperty: [String: [Int]] = [:]
    /// The indices of the queries that display its objects with their results.
    var shown: [Int] = []
    /// The indices of the queries that are also fetched again when earlier changes are saved.
    var stored: [Int] = []
    /// The indices of all values that depend on the entity.
    var values: [Int] = []
    /// The indices of the values that any change of the entity's records affects.
    var valuesOfAll: [Int] = []
    /// The indices of the values that read a property of the entity, by property name.
    var valuesByProperty: [String: [Int]] = [:]
  }

  private var entities: [ObjectIdentifier: EntityQueries] = [:]

  private let queries: [Weak]

  private struct Weak {
    unowned let query: LiveQuery
  }

  /// Creates an index.
  ///
  /// - Parameters:
  ///   - queries: The queries; the index is valid only for this list of queries.
  ///   - values: The values with their indices.
  init(_ queries: [LiveQuery], _ values: [(place: Int, value: LiveValue)]) {
    self.queries = queries.map { Weak(query: $0) }
    for (place, query) in queries.enumerated() {
      let footprint = query.footprint
      let concerned = Set(footprint.own.keys).union(footprint.related.keys).union(footprint.shown)
      for entity in concerned {
        var queries = entities.removeValue(forKey: entity) ?? EntityQueries()
        queries.all.append(place)
        if query.isAlwaysFetched { queries.stored.append(place) }
        if footprint.shown.contains(entity) { queries.shown.append(place) }
        let read = (footprint.own[entity] ?? []).union(footprint.related[entity] ?? [])
        for property in read { queries.byProperty[property, default: []].append(place) }
        entities[entity] = queries
      }
    }
    for (place, value) in values { add(value, at: place) }
  }

  private mutating func add(_ value: LiveValue, at place: Int) {
    let footprint = value.footprint
    for entity in Set(footprint.own.keys).union(footprint.related.keys) {
      var found = entities.removeValue(forKey: entity) ?? EntityQueries()
      found.values.append(place)
      if value.dependsOnAll { found.valuesOfAll.append(place) }
      let read = (footprint.own[entity] ?? []).union(footprint.related[entity] ?? [])
      for property in read { found.valuesByProperty[property, default: []].append(place) }
      entities[entity] = found
    }
  }

  /// The indices of the values that a change can affect, ascending.
  ///
  /// - Complexity: O(changed properties + values found) for updates.
  func values(concernedBy change: GraphChange) -> [Int] {
    var found: Set<Int> = []
    for (entity, change) in change.entities {
      guard let known = entities[entity] else { continue }
      if let properties = change.properties, !change.hasOthers {
        found.formUnion(known.valuesOfAll)
        for property in properties { found.formUnion(known.valuesByProperty[property] ?? []) }
      } else {
        found.formUnion(known.values)
      }
    }
    return found.sorted()
  }

  /// The indices of the queries that a change can affect, ascending.
  ///
  /// - Complexity: O(changed properties + queries found) for updates of objects that are no live results, and for
  ///   saves of earlier changes. For a changed live result, one look-up in each query of its entity.
  func places(concernedBy change: GraphChange) -> [Int] {
    var found: Set<Int> = []
    for (entity, change) in change.entities {
      guard let queries = entities[entity] else { continue }
      guard let properties = change.properties, !change.hasOthers else {
        found.formUnion(queries.all)
        continue
      }
      found.formUnion(queries.shown)
      if change.isSaved { found.formUnion(queries.stored) }
      for property in properties { found.formUnion(queries.byProperty[property] ?? []) }
      let results = Self.results(in: change)
      guard !results.isEmpty else { continue }
      for place in queries.all where !found.contains(place) {
        if self.queries[place].query.keeps(results) { found.insert(place) }
      }
    }
    return found.sorted()
  }

  /// The changed objects that are results of a query. Saving an earlier change is no news; saving a new object may
  /// move it among the results.
  private static func results(in change: GraphChange.EntityChange) -> [ManagedObject] {
    change.records.compactMap { record in
      switch record.kind {
      case .inserted, .deleted, .written: nil
      case .updated, .saved: record.object.flatMap { $0.isLiveResult ? $0 : nil }
      }
    }
  }
}
