// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The properties and entities that the result of a request depends on: other changes do not affect it.
struct LiveFootprint {
  /// The properties of the request's entities that its predicate and sort order read, by concrete entity.
  private(set) var own: [ObjectIdentifier: Set<String>] = [:]
  /// The properties of related records that key paths lead to, by concrete entity. A change of one may affect any
  /// result, and so may an inserted or deleted record.
  private(set) var related: [ObjectIdentifier: Set<String>] = [:]
  /// The concrete entities of the destinations that are prefetched with the results, because they are displayed with
  /// them.
  private(set) var shown: Set<ObjectIdentifier> = []

  /// Determines the properties that a request reads.
  ///
  /// Key paths to prefetch lead to records displayed with the results.
  ///
  /// - Parameters:
  ///   - fetch: The request.
  ///   - extra: A request of the same entity that reads more, such as the names of sections.
  init(_ fetch: ResolvedFetch, and extra: ResolvedFetch? = nil) {
    for entity in fetch.entities { own[ObjectIdentifier(entity)] = [] }
    fetch.forEachPath { add($0) }
    extra?.forEachPath { add($0) }
  }

  /// Adds the destinations of relationships prefetched with the results.
  mutating func addShown(_ keyPaths: [String], of entity: EntityDescription) {
    for keyPath in keyPaths {
      var entities = [entity]
      for name in keyPath.split(separator: ".") {
        entities = entities.flatMap(\.concreteEntities).compactMap {
          $0.relationshipsByName[String(name)]?.destinationEntity
        }
        for concrete in entities.lazy.flatMap(\.concreteEntities) {
          shown.insert(ObjectIdentifier(concrete))
        }
      }
    }
  }

  /// Whether a change affects records displayed with the results.
  func isShown(_ change: GraphChange) -> Bool {
    !shown.isEmpty
      && change.entities.contains { entity, change in
        // A change was reported when it was made; saving it is no news.
        shown.contains(entity) && (change.hasOthers || change.properties?.isEmpty != true)
      }
  }

  /// Creates a footprint of all records of some entities.
  init(of entities: [EntityDescription]) {
    for entity in entities.lazy.flatMap(\.concreteEntities) { own[ObjectIdentifier(entity)] = [] }
  }

  private mutating func add(_ path: ResolvedPath) {
    var isOwn = path.root == .object
    var entity = path.rootEntity
    for (step, relationship) in path.relationships.enumerated() {
      add(relationship.name, of: relationship.entity ?? entity, isOwn: isOwn)
      entity = relationship.destinationEntity
      isOwn = false
      // The reference to the destination is stored in the record itself.
      if step == path.relationships.count - 1, !relationship.isToMany, case .object = path.end {
        return
      }
      add(relationship.maintainedInverse?.name, of: entity, isOwn: false)
    }
    guard let slot = path.attributeSlot, let entity = path.endGuard ?? entity else { return }
    for name in entity.layout.propertyNames(ofSlots: [slot.index]) {
      add(name, of: entity, isOwn: isOwn)
    }
  }

  private mutating func add(_ name: String?, of entity: EntityDescription?, isOwn: Bool) {
    for concrete in entity?.concreteEntities ?? [] {
      let key = ObjectIdentifier(concrete)
      if isOwn {
        if let name { own[key]?.insert(name) }
      } else {
        related[key, default: []].formUnion(name.map { [$0] } ?? [])
      }
    }
  }

  /// Whether a change of records other than the results can affect them.
  func isTouchedElsewhere(by change: GraphChange) -> Bool {
    guard !related.isEmpty else { return false }
    return change.entities.contains { entity, change in
      guard let read = related[entity] else { return false }
      if change.hasOthers { return true }
      guard let changed = change.properties else { return true }
      return !changed.isDisjoint(with: read)
    }
  }

  /// Whether a change of a record's own properties can affect its place, or whether it is a result at all.
  func isTouched(by properties: Set<String>?, of entity: ObjectIdentifier) -> Bool {
    guard let read = own[entity] else { return false }
    guard let properties else { return true }
    return !properties.isDisjoint(with: read)
  }
}
