// SPDX-License-Identifier: Apache-2.0

/// Which live queries a change can concern, without a look at those that it cannot.
struct LiveIndex {
  private struct EntityQueries {
    /// The places of all queries that depend on the entity.
    var all: [Int] = []
    /// The places of those that read a property of it, by its name.
    var byProperty: [String: [Int]] = [:]
    /// The places of those that show its objects with their results.
    var shown: [Int] = []
    /// The places of those that are fetched anew also when only what is saved changes.
    var stored: [Int] = []
  }

  private var entities: [ObjectIdentifier: EntityQueries] = [:]

  init(_ queries: [LiveQuery]) {
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
  }

  /// The places of the queries that a change can concern, ascending.
  ///
  /// - Complexity: O(changed properties + queries found) for updates of objects that are no live results, and for saves
  ///   of what was changed before.
  func places(concernedBy change: GraphChange) -> [Int] {
    var found: Set<Int> = []
    for (entity, change) in change.entities {
      guard let queries = entities[entity] else { continue }
      if let properties = change.properties, !change.hasOthers, !Self.concernsMembers(change) {
        found.formUnion(queries.shown)
        if change.isSaved { found.formUnion(queries.stored) }
        for property in properties { found.formUnion(queries.byProperty[property] ?? []) }
      } else {
        found.formUnion(queries.all)
      }
    }
    return found.sorted()
  }

  /// Whether objects came or went, or were changed that are results of some query. That what was changed before is
  /// saved now is nothing new; that a new object is saved may move it among the results that it is one of.
  private static func concernsMembers(_ change: GraphChange.EntityChange) -> Bool {
    change.records.contains { record in
      switch record.kind {
      case .inserted, .deleted: true
      case .updated, .saved: record.object?.isLiveResult ?? false
      case .written: false
      }
    }
  }
}
