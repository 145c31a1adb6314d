// SPDX-License-Identifier: Apache-2.0

/// The own and inherited properties of an entity, matched with those of its source.
struct PropertyMatches {
  let source: EntityDescription?
  let destination: EntityDescription
  var attributes: [AttributeMatch] = []
  var relationships: [RelationshipMatch] = []
  /// The removed attributes, including elements of composites.
  var removedAttributes: [RemovedAttribute] = []
  /// The removed relationships.
  var removedRelationships: [RelationshipDescription] = []

  init(source: EntityDescription?, destination: EntityDescription) {
    self.source = source
    self.destination = destination
  }

  /// Whether there can be records of the old version.
  var hasRecords: Bool { source.map { !$0.isAbstract } ?? false }
}

/// An attribute or an element of a composite, with its source.
struct AttributeMatch {
  var source: AttributeDescription?
  /// The name in the old version, dotted for an element.
  var sourceName: String?
  let destination: AttributeDescription
  /// The name in the new version, dotted for an element.
  let name: String
  /// The elements of a composite's next level.
  var elements: [AttributeMatch] = []
  /// Whether the attribute moved into or out of a composite.
  var changedPlace = false

  /// Whether both are composites, so that their elements are compared one by one.
  var isComposite: Bool {
    destination is CompositeAttributeDescription
      && (source == nil || source is CompositeAttributeDescription)
  }
}

/// A removed attribute, or a removed element of a composite.
struct RemovedAttribute {
  /// The name in the old version, dotted for an element.
  let name: String
  let attribute: AttributeDescription
}

/// A relationship with its source.
struct RelationshipMatch {
  let source: RelationshipDescription?
  let destination: RelationshipDescription
}

extension DifferenceFinder {
  /// Pairs the properties of two entities, including inherited ones, so that properties moved up or down match (M8).
  mutating func pairProperties(_ match: inout PropertyMatches) {
    let entity = match.destination
    let old = match.source?.attributesInOrder.sortedByName() ?? []
    let new = entity.attributesInOrder.sortedByName()
    var removed: [RemovedAttribute] = []
    match.attributes = pairAttributes(old, new, ("", ""), entity, &removed)
    if allowsLosslessTypeChanges, match.source != nil {
      var exchange = CompositeExchange(removed)
      exchange.fill(&match.attributes)
      removed = exchange.removed
    }
    match.removedAttributes = removed
    let oldLinks = match.source?.relationshipsInOrder.sortedByName() ?? []
    let newLinks = entity.relationshipsInOrder.sortedByName()
    let pairing = IdentityPairing(
      oldLinks.map { PartIdentity($0.name, $0.renamingIdentifier) },
      newLinks.map { PartIdentity($0.name, $0.renamingIdentifier) }
    ) { oldLinks[$0].isToMany == newLinks[$1].isToMany }
    match.relationships = newLinks.enumerated().map { index, link in
      RelationshipMatch(source: pairing.sources[index].map { oldLinks[$0] }, destination: link)
    }
    match.removedRelationships = pairing.removed.map { oldLinks[$0] }
    refuse(pairing.conflicts, oldLinks, newLinks, ("", ""), entity)
  }

  private mutating func refuse(
    _ conflicts: [IdentityPairing.Conflict], _ old: [PropertyDescription],
    _ new: [PropertyDescription], _ paths: (old: String, new: String), _ entity: EntityDescription
  ) {
    for conflict in conflicts {
      let last = conflict.destinations.last.map { new[$0] }
      let key = PropertyPairKey(conflict.sources.first.map { old[$0] }, last)
      guard toldRefusals.insert(key).inserted else { continue }
      refuseConflict(
        "property", conflict.destinations.map { paths.new + new[$0].name },
        conflict.sources.map { paths.old + old[$0].name }, last?.declaringEntity ?? entity,
        last.map { paths.new + $0.name })
    }
  }

  /// - Parameters:
  ///   - paths: The prefix of the names: the path of composites that contain the attributes.
  ///   - removed: Receives the removed attributes.
  private mutating func pairAttributes(
    _ old: [AttributeDescription], _ new: [AttributeDescription],
    _ paths: (old: String, new: String), _ entity: EntityDescription,
    _ removed: inout [RemovedAttribute]
  ) -> [AttributeMatch] {
    let pairing = IdentityPairing(
      old.map { PartIdentity($0.name, $0.renamingIdentifier) },
      new.map { PartIdentity($0.name, $0.renamingIdentifier) }
    ) { old[$0].type == new[$1].type }
    refuse(pairing.conflicts, old, new, paths, entity)
    removed += pairing.removed.map {
      RemovedAttribute(name: paths.old + old[$0].name, attribute: old[$0])
    }
    return new.enumerated().map { index, attribute in
      let source = pairing.sources[index].map { old[$0] }
      let sourceName = source.map { paths.old + $0.name }
      let name = paths.new + attribute.name
      var match = AttributeMatch(
        source: source, sourceName: sourceName, destination: attribute, name: name)
      guard match.isComposite, let composite = attribute as? CompositeAttributeDescription else {
        return match
      }
      let oldComposite = source as? CompositeAttributeDescription
      match.elements = pairAttributes(
        oldComposite?.elementAttributesByName ?? [], composite.elementAttributesByName,
        ("\(sourceName ?? "").", "\(name)."), entity, &removed)
      return match
    }
  }
}

extension CompositeAttributeDescription {
  var elementAttributesByName: [AttributeDescription] {
    elements.compactMap { $0 as? AttributeDescription }.sortedByName()
  }
}

extension Array where Element: PropertyDescription {
  func sortedByName() -> [Element] {
    sorted { UTF8Order.isLess($0.name, $1.name) }
  }
}
