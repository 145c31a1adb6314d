// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension EntityChange {
  /// Resolves the origin of each slot of an entity.
  init(_ match: EntityMatch, code: Int, _ matches: EntityMatches) {
    source = match.source
    destination = match.destination
    self.code = code
    let resolver = SlotResolver(match, matches)
    let layout = match.destination.layout
    let stored = Set(layout.storedSlots)
    var used: Set<RowSlot> = []
    slots = zip(layout.slots, layout.contents).compactMap { slot, content in
      guard stored.contains(slot) else { return nil }
      let origin = resolver.origin(of: content, slot)
      switch origin {
      case .kept(let old), .defaulted(let old, _), .converted(let old, _): used.insert(old)
      case .constant, .derived, .moved: break
      }
      return SlotChange(slot: slot, name: content.name, origin: origin)
    }
    let old = match.source.layout
    let oldStored = Set(old.storedSlots)
    removedSlots = zip(old.slots, old.contents).compactMap { slot, content in
      guard oldStored.contains(slot), !used.contains(slot), case .attribute = content else {
        return nil
      }
      return slot
    }
  }
}

extension EntityChange {
  /// Returns the value that replaces nil in a slot that has become required, including a slot whose other values are
  /// converted.
  ///
  /// - Parameter slot: One of ``slots``.
  /// - Returns: nil when nil values stay nil.
  package func demandedValue(_ slot: SlotChange) -> Value? {
    switch slot.origin {
    case .defaulted(_, let value): return value
    case .converted(let old, _):
      guard case .attribute(let before, _) = source.layout.contents[old.index], before.isOptional,
        case .attribute(let attribute, _) = destination.layout.contents[slot.slot.index],
        !attribute.isOptional
      else { return nil }
      let value = destination.storedDefault(at: slot.slot)
      return value.isNull ? nil : value
    case .kept, .constant, .derived, .moved: return nil
    }
  }
}

extension SchemaChange {
  /// Checks that the defaults which records get can be stored.
  ///
  /// - Throws: `transformation` for a default object that cannot be encoded.
  package func checkDefaults() throws {
    for entity in entities {
      for slot in entity.slots {
        var value = entity.demandedValue(slot)
        if case .constant(let constant) = slot.origin { value = constant }
        guard case .transformable(let object)? = value else { continue }
        do {
          _ = try object.bytes()
        } catch {
          throw PersistenceError(
            .transformation, "Records cannot get the default: \(error.message)",
            entityName: entity.destination.name, key: slot.name, underlyingErrors: [error])
        }
      }
    }
  }
}

/// Resolves the origins of a destination layout's slots in a source layout.
private struct SlotResolver {
  private let match: EntityMatch
  private let matches: EntityMatches
  private let properties: [String: EntityMatch.PropertyMatch]

  init(_ match: EntityMatch, _ matches: EntityMatches) {
    self.match = match
    self.matches = matches
    properties = Dictionary(
      match.properties.map { ($0.destinationName, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func origin(of content: SlotContent, _ slot: RowSlot) -> SlotChange.Origin {
    switch content {
    case .attribute(let attribute, let name): origin(of: attribute, name, slot)
    case .reference(let relationship): origin(of: relationship)
    case .position(let relationship): position(of: relationship)
    }
  }

  private func origin(
    of attribute: AttributeDescription, _ name: String, _ new: RowSlot
  ) -> SlotChange.Origin {
    guard let (oldName, property) = source(of: name),
      let slot = match.source.layout.storedSlot(named: oldName)
    else {
      return attribute is DerivedAttributeDescription
        ? .derived : .constant(match.destination.storedDefault(at: new))
    }
    if attribute is DerivedAttributeDescription {
      let isSame = property.source.versionHash == attribute.versionHash && !property.isComputed
      return isSame ? .kept(slot) : .derived
    }
    if let conversion = property.conversion { return .converted(slot, conversion) }
    guard !attribute.isOptional, isOptional(oldName) else { return .kept(slot) }
    let value = match.destination.storedDefault(at: new)
    return value.isNull ? .kept(slot) : .defaulted(slot, value)
  }

  /// Returns the source name of a slot. When only a whole composite is matched, its elements keep their names.
  private func source(of name: String) -> (name: String, property: EntityMatch.PropertyMatch)? {
    if let property = properties[name] { return (property.sourceName, property) }
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, let whole = properties[parts[0]] else { return nil }
    return ("\(whole.sourceName).\(parts[1])", whole)
  }

  private func isOptional(_ name: String) -> Bool {
    let layout = match.source.layout
    for case .attribute(let attribute, name) in layout.contents { return attribute.isOptional }
    return true
  }

  private func origin(of relationship: RelationshipDescription) -> SlotChange.Origin {
    // Values come from a move only; a new relationship has none.
    guard let old = source(of: relationship), case .toOne(let slot) = old.storage else {
      return .moved
    }
    return .kept(slot)
  }

  /// Returns the origin of a position slot, which orders the records that refer to the same destination.
  private func position(of relationship: RelationshipDescription) -> SlotChange.Origin {
    // The ordered relationship belongs to the other entity; its inverse belongs to this one.
    guard let inverse = relationship.maintainedInverse, let old = source(of: inverse),
      case .inverseOfToOne(_, let position?)? = old.maintainedInverse?.storage
    else { return .moved }
    return .kept(position)
  }

  /// Returns the source relationship of a relationship of this entity. Where it is not matched itself, its inverse
  /// may be, whose destinations are stored in this entity's slot as well.
  private func source(of relationship: RelationshipDescription) -> RelationshipDescription? {
    if let old = properties[relationship.name]?.source as? RelationshipDescription { return old }
    guard let inverse = relationship.maintainedInverse else { return nil }
    let known = matches.sources(of: inverse).compactMap(\.maintainedInverse)
    return known.first { old in match.source.relationshipsInOrder.contains { $0 === old } }
  }
}

extension RowLayout {
  /// Returns the slot with a name, if it is stored.
  fileprivate func storedSlot(named name: String) -> RowSlot? {
    slot(named: name).flatMap { storedSlots.contains($0) ? $0 : nil }
  }
}
