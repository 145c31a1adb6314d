// SPDX-License-Identifier: Apache-2.0

extension DifferenceFinder {
  /// Compares a relationship with its source; returns no pairs when it is not stored.
  mutating func compare(
    _ match: RelationshipMatch, in entity: PropertyMatches
  ) -> [ModelDifference.PropertyPair] {
    let relationship = match.destination
    let source = match.source.flatMap { $0.isTransient ? nil : $0 }
    let isFirst =
      match.source != nil && told.insert(PropertyPairKey(match.source, relationship)).inserted
    guard !relationship.isTransient else {
      if isFirst, let source {
        tell(
          .relationshipBecameTransient, relationship.entity, relationship.name,
          isLossy: !isKept(source, of: relationship.entity))
      }
      return []
    }
    guard let source else {
      if match.source == nil {
        if entity.source != nil { gains.note(relationship, relationship.name, in: entity) }
      } else if isFirst {
        tell(.relationshipBecameStored, relationship.entity, relationship.name)
      }
      return [.init(nil, relationship)]
    }
    if isFirst {
      compareNames(source, relationship)
      compareShapes(source, relationship)
      compareDestinations(source, relationship)
      compareInverses(source, relationship)
      compareRules(source, relationship)
    }
    return [
      .init(source, relationship, lostDestinations: lostDestinations(source, relationship))
    ]
  }

  private mutating func compareNames(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) {
    let (owner, key) = (relationship.entity, relationship.name)
    if source.name != key { tell(.relationshipRenamed, owner, key, "which was \(source.name)") }
    if !parts.areSame(source.entity, owner) {
      let former = source.entity?.name ?? ""
      tell(.relationshipMoved, owner, key, "which was \(former).\(source.name)")
    }
  }

  private mutating func compareShapes(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) {
    let (owner, key) = (relationship.entity, relationship.name)
    switch (source.isToMany, relationship.isToMany) {
    case (true, false):
      refuse(
        "The relationship led to many objects and is to lead to one, and which one cannot be inferred: "
          + "choose with a mapping model, or give it a renaming identifier of its own, so that it is new "
          + "and the old links go.", owner, key)
    case (false, true): tell(.relationshipBecameToMany, owner, key)
    default:
      if source.isOrdered != relationship.isOrdered {
        tell(
          .relationshipOrderChanged, owner, key,
          relationship.isOrdered ? "which is ordered now" : "which is ordered no more")
      }
    }
  }

  /// Checks that all remaining destinations are instances of the new destination entity.
  private mutating func compareDestinations(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) {
    guard let old = source.destinationEntity, let new = relationship.destinationEntity else {
      return
    }
    // Neither is compared: the relationship leads out of the configuration, so no store has links.
    if !parts.isCompared(old, new), old.name == new.name { return }
    let (owner, key) = (relationship.entity, relationship.name)
    let detail = "which was \(old.name ?? "") and is \(new.name ?? "")"
    let lost = lostDestinations(source, relationship).filter { parts.destination(of: $0) != nil }
    if parts.destination(of: old) === new {
      guard !lost.isEmpty else { return }
      let names = lost.map { $0.name ?? "" }.joined(separator: " and ")
      return tell(
        .relationshipDestinationChanged, owner, key, "which leads to \(names) no more",
        isLossy: true)
    }
    guard lost.isEmpty else {
      return refuse(
        "The destination changes, \(detail), and the old destinations are no instances of it: give the "
          + "relationship a renaming identifier of its own, so that it is new and the old links "
          + "go, or use a mapping model.",
        owner, key)
    }
    tell(.relationshipDestinationChanged, owner, key, detail)
  }

  /// Returns the entities of the old version whose records can no longer be destinations.
  private func lostDestinations(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) -> [EntityDescription] {
    guard let old = source.destinationEntity, let new = relationship.destinationEntity,
      parts.isCompared(old, new)
    else { return [] }
    return old.withDescendants.filter { entity in
      guard !entity.isAbstract else { return false }
      guard let kept = parts.destination(of: entity) else { return true }
      return !kept.isBelow(new)
    }
  }

  private mutating func compareInverses(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) {
    let (old, new) = (source.maintainedInverse, relationship.maintainedInverse)
    guard !parts.arePaired(old, new) else { return }
    // Both belong to another store.
    if let old, let new, old.name == new.name, !parts.isCompared(old.entity, new.entity) { return }
    // With a to-one inverse, an object that was a destination of several can keep only one of them.
    let wasLimited = old.map { !$0.isToMany } ?? false
    let isLimited = new.map { !$0.isToMany } ?? false
    let name =
      new.map { "which is \($0.entity?.name ?? "").\($0.name)" } ?? "of which there is none"
    tell(
      .relationshipInverseChanged, relationship.entity, relationship.name, name,
      isLossy: isLimited && !wasLimited)
  }

  private mutating func compareRules(
    _ source: RelationshipDescription, _ relationship: RelationshipDescription
  ) {
    let (owner, key) = (relationship.entity, relationship.name)
    let staysToMany = source.isToMany && relationship.isToMany
    if source.isOptional != relationship.isOptional || source.minCount != relationship.minCount
      || source.deleteRule != relationship.deleteRule
      || staysToMany && source.maxCount != relationship.maxCount
    {
      tell(.relationshipRulesChanged, owner, key)
    }
    if source.versionHashModifier != relationship.versionHashModifier {
      tell(.versionChanged, owner, key)
    }
  }

  /// Whether an entity's links stay when it loses the relationship, because its inverse also has them.
  func isKept(_ source: RelationshipDescription, of entity: EntityDescription?) -> Bool {
    guard let inverse = source.maintainedInverse, inverse !== source, let entity else {
      return false
    }
    return parts.storedDestinations(of: inverse).contains { kept in
      kept.destinationEntity.map(entity.isBelow) ?? false
    }
  }
}

extension EntityDescription {
  /// Whether the entity is another one, or inherits from it.
  fileprivate func isBelow(_ other: EntityDescription) -> Bool {
    self === other || ancestors.contains { $0 === other }
  }
}
