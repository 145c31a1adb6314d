// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// Links generated objects within the rules of their relationships: required links, within the minimum and maximum
/// counts, and evenly, so that both ends of a relationship get their share.
struct FixtureLinks {
  let objects: [ManagedObject]
  /// The objects at the other end, in their order.
  private var linked: [End: [ManagedObject]] = [:]

  /// One end of a relationship of an object.
  private struct End: Hashable {
    let object: ObjectIdentifier
    let relationship: ObjectIdentifier

    init(_ object: ManagedObject, _ relationship: RelationshipDescription) {
      self.object = ObjectIdentifier(object)
      self.relationship = ObjectIdentifier(relationship)
    }
  }

  init(_ objects: [ManagedObject]) {
    self.objects = objects
  }

  /// Links the objects by all relationships of a model.
  mutating func link(_ model: ManagedObjectModel) throws {
    var done: Set<ObjectIdentifier> = []
    for entity in model.entities.sorted(by: { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }) {
      for case let relationship as RelationshipDescription in entity.declaredProperties
      where !done.contains(ObjectIdentifier(relationship)) && !relationship.isTransient {
        done.insert(ObjectIdentifier(relationship))
        if let inverse = relationship.inverseRelationship { done.insert(ObjectIdentifier(inverse)) }
        try link(relationship)
      }
    }
  }

  private mutating func link(_ relationship: RelationshipDescription) throws {
    guard let owner = relationship.entity, let destination = relationship.destinationEntity else {
      return
    }
    let inverse = relationship.inverseRelationship
    let sources = objects.filter { $0.entity.isKindOf(entity: owner) }
    let targets = objects.filter { $0.entity.isKindOf(entity: destination) }
    if inverse === relationship {
      for start in stride(from: 0, to: sources.count - 1, by: 2) {
        join(sources[start], sources[start + 1], relationship)
        join(sources[start + 1], sources[start], relationship)
      }
    } else {
      for (index, source) in sources.enumerated() {
        let count = wanted(relationship, index)
        for _ in 0..<count {
          guard linked[End(source, relationship), default: []].count < count,
            let target = best(targets, for: source, relationship, inverse, index)
          else { break }
          join(source, target, relationship)
        }
      }
      if let inverse { complete(targets, inverse, from: sources, relationship) }
    }
    for source in sources { try set(source, relationship) }
  }

  /// Gives the objects at the far end their required links.
  private mutating func complete(
    _ targets: [ManagedObject], _ inverse: RelationshipDescription, from sources: [ManagedObject],
    _ relationship: RelationshipDescription
  ) {
    for (index, target) in targets.enumerated() {
      let count = inverse.isOptional ? 0 : max(1, inverse.minCount)
      while linked[End(target, inverse), default: []].count < count,
        let source = best(sources, for: target, inverse, relationship, index)
      {
        join(source, target, relationship)
      }
    }
  }

  /// Returns the number of links for an object. Every third object has only required ones.
  private func wanted(_ relationship: RelationshipDescription, _ index: Int) -> Int {
    if relationship.isOptional, relationship.minCount == 0, index % 3 == 2 { return 0 }
    let count = max(relationship.minCount, relationship.isToMany ? 2 : 1)
    return relationship.maxCount > 0 ? min(count, relationship.maxCount) : count
  }

  /// The object that has the fewest links and room for one more; not the object itself where there is another.
  private func best(
    _ objects: [ManagedObject], for object: ManagedObject, _ relationship: RelationshipDescription,
    _ inverse: RelationshipDescription?, _ index: Int
  ) -> ManagedObject? {
    let known = linked[End(object, relationship), default: []]
    var found: (object: ManagedObject, count: Int, distance: Int)?
    for (place, candidate) in objects.enumerated()
    where !known.contains(where: { $0 === candidate }) {
      var count = 0
      if let inverse {
        count = linked[End(candidate, inverse), default: []].count
        if inverse.maxCount > 0, count >= inverse.maxCount { continue }
      }
      if candidate === object { count = .max }
      let distance = (place - index % objects.count + objects.count) % objects.count
      if let best = found, (best.count, best.distance) <= (count, distance) { continue }
      found = (candidate, count, distance)
    }
    return found?.object
  }

  private mutating func join(
    _ source: ManagedObject, _ target: ManagedObject, _ relationship: RelationshipDescription
  ) {
    linked[End(source, relationship), default: []].append(target)
    guard let inverse = relationship.inverseRelationship, inverse !== relationship else { return }
    linked[End(target, inverse), default: []].append(source)
  }

  private func set(_ source: ManagedObject, _ relationship: RelationshipDescription) throws {
    let targets = linked[End(source, relationship), default: []]
    guard !targets.isEmpty else { return }
    let value: Any? =
      if !relationship.isToMany {
        targets.first
      } else if relationship.isOrdered {
        targets
      } else {
        Set(targets)
      }
    try source.setValue(value, forKey: relationship.name)
  }
}
