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
  }

  private var entities: [ObjectIdentifier: EntityQueries] = [:]

  init(_ footprints: [LiveFootprint]) {
    for (place, footprint) in footprints.enumerated() {
      let concerned = Set(footprint.own.keys).union(footprint.related.keys).union(footprint.shown)
      for entity in concerned {
        var queries = entities.removeValue(forKey: entity) ?? EntityQueries()
        queries.all.append(place)
        if footprint.shown.contains(entity) { queries.shown.append(place) }
        let read = (footprint.own[entity] ?? []).union(footprint.related[entity] ?? [])
        for property in read { queries.byProperty[property, default: []].append(place) }
        entities[entity] = queries
      }
    }
  }

  /// The places of the queries that a change can concern, ascending.
  ///
  /// - Complexity: O(changed properties + queries found) for updates of objects that are no live results.
  func places(concernedBy change: GraphChange) -> [Int] {
    var found: Set<Int> = []
    for (entity, change) in change.entities {
      guard let queries = entities[entity] else { continue }
      if let properties = change.properties, !change.hasOthers, !Self.concernsMembers(change) {
        found.formUnion(queries.shown)
        for property in properties { found.formUnion(queries.byProperty[property] ?? []) }
      } else {
        found.formUnion(queries.all)
      }
    }
    return found.sorted()
  }

  /// Whether objects were changed that are results of some query, or saved.
  private static func concernsMembers(_ change: GraphChange.EntityChange) -> Bool {
    change.records.contains { record in
      record.kind != .updated || record.object?.isLiveResult ?? false
    }
  }
}
