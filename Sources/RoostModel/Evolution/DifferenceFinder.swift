// SPDX-License-Identifier: Apache-2.0

/// Compares two versions of a model: pairs entities, then properties, then compares each pair. All changes that
/// cannot be inferred are collected, so that they are reported together.
struct DifferenceFinder {
  let source: [EntityDescription]
  let destination: [EntityDescription]
  let allowsLosslessTypeChanges: Bool

  var changes: [ModelChange] = []
  var refusals: [PersistenceError] = []
  private(set) var pairs: [ModelDifference.EntityPair] = []
  private(set) var removedEntities: [EntityDescription] = []

  /// The pairs of corresponding entities and relationships.
  var parts: PairedParts
  /// The property pairs already reported: changes of inherited properties are reported once.
  var told: Set<PropertyPairKey> = []
  var toldOptionality: Set<PropertyPairKey> = []
  var toldRefusals: Set<PropertyPairKey> = []
  /// The properties that records gain.
  var gains = PresenceNotes()

  init(
    from source: [EntityDescription], to destination: [EntityDescription],
    allowsLosslessTypeChanges: Bool
  ) {
    self.source = source.sortedByName()
    self.destination = destination.sortedByName()
    self.allowsLosslessTypeChanges = allowsLosslessTypeChanges
    parts = PairedParts(of: source + destination)
  }

  mutating func find() {
    pairEntities()
    refuseUnitedHierarchies()
    var matches = destination.map { PropertyMatches(source: parts.source(of: $0), destination: $0) }
    for index in matches.indices { pairProperties(&matches[index]) }
    for match in matches {
      for pair in match.relationships {
        guard let source = pair.source else { continue }
        parts.pair(source, with: pair.destination)
      }
    }
    for match in matches {
      compareEntities(match)
      var properties: [ModelDifference.PropertyPair] = []
      for pair in match.attributes { properties += compare(pair, in: match) }
      for pair in match.relationships { properties += compare(pair, in: match) }
      properties.sort { UTF8Order.isLess($0.destination.name, $1.destination.name) }
      pairs.append(
        ModelDifference.EntityPair(
          source: match.source, destination: match.destination, properties: properties))
      compareConstraints(of: match, properties)
    }
    tellAdditionsAndRemovals(matches)
  }

  mutating func tell(
    _ kind: ModelChange.Kind, _ entity: EntityDescription?, _ key: String? = nil,
    _ detail: String? = nil, isLossy: Bool? = nil
  ) {
    changes.append(ModelChange(kind, entity?.name, key, detail, isLossy: isLossy))
  }

  mutating func refuse(_ message: String, _ entity: EntityDescription?, _ key: String? = nil) {
    refusals.append(
      PersistenceError(.inferredMappingModel, message, entityName: entity?.name, key: key))
  }
}

/// A pair of compared properties.
struct PropertyPairKey: Hashable {
  private let source: ObjectIdentifier?
  private let destination: ObjectIdentifier?

  init(_ source: PropertyDescription?, _ destination: PropertyDescription?) {
    self.source = source.map(ObjectIdentifier.init)
    self.destination = destination.map(ObjectIdentifier.init)
  }
}

extension [EntityDescription] {
  fileprivate func sortedByName() -> [EntityDescription] {
    sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
  }
}

/// The pairs of corresponding entities and relationships of two versions.
struct PairedParts {
  /// All compared entities.
  private let members: Set<ObjectIdentifier>
  private var sources: [ObjectIdentifier: EntityDescription] = [:]
  private var destinations: [ObjectIdentifier: EntityDescription] = [:]
  private var relationships: Set<PropertyPairKey> = []
  private var storedDestinations: [ObjectIdentifier: [RelationshipDescription]] = [:]

  init(of entities: [EntityDescription]) {
    members = Set(entities.map(ObjectIdentifier.init))
  }

  mutating func pair(_ source: EntityDescription, with destination: EntityDescription) {
    sources[ObjectIdentifier(destination)] = source
    destinations[ObjectIdentifier(source)] = destination
  }

  mutating func pair(
    _ source: RelationshipDescription, with destination: RelationshipDescription
  ) {
    relationships.insert(PropertyPairKey(source, destination))
    guard !destination.isTransient else { return }
    storedDestinations[ObjectIdentifier(source), default: []].append(destination)
  }

  /// Returns the stored relationships of the new version that correspond to a relationship of the old one.
  func storedDestinations(of source: RelationshipDescription) -> [RelationshipDescription] {
    storedDestinations[ObjectIdentifier(source)] ?? []
  }

  /// Whether one of two entities is compared; false for entities of other stores.
  func isCompared(_ source: EntityDescription?, _ destination: EntityDescription?) -> Bool {
    [source, destination].contains { entity in
      entity.map { members.contains(ObjectIdentifier($0)) } ?? false
    }
  }

  /// Whether two entities correspond, or both are missing. Entities that are not compared correspond by name.
  func areSame(_ source: EntityDescription?, _ destination: EntityDescription?) -> Bool {
    guard let source, let destination else { return source == nil && destination == nil }
    if self.source(of: destination) === source { return true }
    return !isCompared(source, destination) && source.name == destination.name
  }

  func source(of destination: EntityDescription?) -> EntityDescription? {
    destination.flatMap { sources[ObjectIdentifier($0)] }
  }

  func destination(of source: EntityDescription?) -> EntityDescription? {
    source.flatMap { destinations[ObjectIdentifier($0)] }
  }

  /// Whether two relationships correspond, or both are missing.
  func arePaired(
    _ source: RelationshipDescription?, _ destination: RelationshipDescription?
  ) -> Bool {
    if source == nil, destination == nil { return true }
    return relationships.contains(PropertyPairKey(source, destination))
  }
}

// MARK: - Entities

extension DifferenceFinder {
  mutating func pairEntities() {
    let pairing = IdentityPairing(
      source.map { PartIdentity($0.name, $0.renamingIdentifier) },
      destination.map { PartIdentity($0.name, $0.renamingIdentifier) },
      mayPairByName: { _, _ in true })
    for (index, entity) in destination.enumerated() {
      guard let place = pairing.sources[index] else { continue }
      parts.pair(source[place], with: entity)
    }
    for conflict in pairing.conflicts {
      let entities = conflict.destinations.map { destination[$0] }
      refuseConflict(
        "entity", entities.map(\.name), conflict.sources.map { source[$0].name }, entities.last, nil
      )
    }
    let unclear = Set(pairing.conflicts.flatMap(\.sources))
    removedEntities = pairing.removed.filter { !unclear.contains($0) }.map { source[$0] }
    for entity in removedEntities {
      tell(.entityRemoved, entity, isLossy: !entity.isAbstract)
    }
  }

  mutating func refuseConflict(
    _ kind: String, _ destinations: [String?], _ sources: [String?], _ entity: EntityDescription?,
    _ key: String?
  ) {
    let new = destinations.map { "“\($0 ?? "")”" }.joined(separator: " and ")
    let old = sources.map { "“\($0 ?? "")”" }.joined(separator: " or ")
    let verb = destinations.count > 1 ? "both come" : "comes"
    refuse(
      "By the renaming identifiers \(new) \(verb) from the \(kind) \(old): give each an identifier "
        + "of its own, and a new one an identifier that nothing had before.", entity, key)
  }

  /// Refuses to unite hierarchies: entities without a common superentity cannot get one, except that single ones may
  /// move below an existing entity (M12). So records do not move to the tables of another hierarchy by accident.
  private mutating func refuseUnitedHierarchies() {
    var members: [ObjectIdentifier: [(root: EntityDescription, entity: EntityDescription)]] = [:]
    var roots: [EntityDescription] = []
    for entity in destination {
      guard let origin = parts.source(of: entity) else { continue }
      let root = entity.topmostEntity
      if members[ObjectIdentifier(root)] == nil { roots.append(root) }
      members[ObjectIdentifier(root), default: []].append((origin.topmostEntity, entity))
    }
    for root in roots {
      let all = members[ObjectIdentifier(root)] ?? []
      let home = parts.source(of: root)?.topmostEntity
      let strangers = all.filter { $0.root !== (home ?? all.first?.root) }
      guard let stranger = strangers.first else { continue }
      let isMove =
        home != nil
        && strangers.allSatisfy { one in strangers.count { $0.root === one.root } == 1 }
      if isMove { continue }
      let other = all.first { $0.root !== stranger.root }?.entity.name ?? ""
      refuse(
        "“\(other)” and “\(stranger.entity.name ?? "")” had no superentity in common, and are to "
          + "be in the hierarchy of “\(root.name ?? "")”: unite hierarchies with a mapping model.",
        stranger.entity)
    }
  }

  private mutating func compareEntities(_ match: PropertyMatches) {
    let entity = match.destination
    guard let old = match.source else {
      let isUnclear = refusals.contains { $0.entityName == entity.name && $0.key == nil }
      if !isUnclear { tell(.entityAdded, entity) }
      return
    }
    if old.name != entity.name {
      tell(.entityRenamed, entity, nil, "which was \(old.name ?? "")")
    }
    let (oldParent, parent) = (old.superentity, entity.superentity)
    if !parts.areSame(oldParent, parent) {
      let from = oldParent?.name.map { "below \($0)" } ?? "at the top"
      let to = parent?.name.map { "below \($0)" } ?? "at the top"
      tell(.entityMoved, entity, nil, "which was \(from) and is \(to)")
    }
    if old.isAbstract != entity.isAbstract {
      tell(entity.isAbstract ? .entityBecameAbstract : .entityBecameConcrete, entity)
    }
    if old.versionHashModifier != entity.versionHashModifier { tell(.versionChanged, entity) }
  }
}
