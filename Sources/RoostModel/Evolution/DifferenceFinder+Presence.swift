// SPDX-License-Identifier: Apache-2.0

/// The entities that gain or lose a property, which they may share with others of their hierarchy.
struct PresenceNotes {
  struct Note {
    let property: PropertyDescription
    let name: String
    var entities: [PropertyMatches] = []
  }

  private(set) var notes: [Note] = []
  private var places: [ObjectIdentifier: Int] = [:]

  mutating func note(_ property: PropertyDescription, _ name: String, in entity: PropertyMatches) {
    let identifier = ObjectIdentifier(property)
    if let place = places[identifier] {
      notes[place].entities.append(entity)
    } else {
      places[identifier] = notes.count
      notes.append(Note(property: property, name: name, entities: [entity]))
    }
  }
}

extension DifferenceFinder {
  /// Reports added and removed properties: once at the declaring entity, or, where other entities of the hierarchy
  /// have the property before and after, at each entity with records.
  mutating func tellAdditionsAndRemovals(_ matches: [PropertyMatches]) {
    var losses = PresenceNotes()
    var old: Set<ObjectIdentifier> = []
    var new: Set<ObjectIdentifier> = []
    for match in matches {
      for attribute in match.attributes { attribute.collect(&old, &new) }
      for pair in match.relationships {
        guard let source = pair.source else { continue }
        old.insert(ObjectIdentifier(source))
        new.insert(ObjectIdentifier(pair.destination))
      }
      for removed in match.removedAttributes where removed.attribute.isStored {
        losses.note(removed.attribute, removed.name, in: match)
      }
      for removed in match.removedRelationships where !removed.isTransient {
        losses.note(removed, removed.name, in: match)
      }
    }
    for note in gains.notes {
      let isRelationship = note.property is RelationshipDescription
      let kind: ModelChange.Kind = isRelationship ? .relationshipAdded : .attributeAdded
      for entity in places(of: note, new, declaring: { $0.declaringEntity }) {
        tell(kind, entity, note.name)
      }
    }
    for note in losses.notes {
      let link = note.property as? RelationshipDescription
      let kind: ModelChange.Kind = link == nil ? .attributeRemoved : .relationshipRemoved
      let declaring = { (property: PropertyDescription) in
        self.parts.destination(of: property.declaringEntity) ?? property.declaringEntity
      }
      for entity in places(of: note, old, declaring: declaring) {
        tell(kind, entity, note.name, isLossy: link.map { !isKept($0, of: entity) })
      }
    }
  }

  private func places(
    of note: PresenceNotes.Note, _ kept: Set<ObjectIdentifier>,
    declaring: (PropertyDescription) -> EntityDescription?
  ) -> [EntityDescription] {
    guard kept.contains(ObjectIdentifier(note.property)) else {
      return declaring(note.property).map { [$0] } ?? []
    }
    return note.entities.filter(\.hasRecords).map(\.destination)
  }
}

extension AttributeMatch {
  /// Records paired properties, including elements of composites.
  fileprivate func collect(
    _ old: inout Set<ObjectIdentifier>, _ new: inout Set<ObjectIdentifier>
  ) {
    if let source {
      old.insert(ObjectIdentifier(source))
      new.insert(ObjectIdentifier(destination))
    }
    for element in elements { element.collect(&old, &new) }
  }
}

// MARK: - Constraints

extension DifferenceFinder {
  /// Reports added and removed unique constraints (M13).
  mutating func compareConstraints(
    of match: PropertyMatches, _ properties: [ModelDifference.PropertyPair]
  ) {
    let entity = match.destination
    let isInUse = entity.withDescendants.contains { parts.source(of: $0) != nil }
    guard isInUse else { return }
    var names: [String: String] = [:]
    for pair in properties {
      if let name = pair.sourceName { names[name] = pair.destination.name }
      for element in pair.elements {
        if let name = element.sourceName { names[name] = element.destinationName }
      }
    }
    let old = match.source.map { source in
      (
        own: renamed(source.uniquenessConstraints, names),
        all: renamed(source.allUniquenessConstraints, names)
      )
    }
    let new = renamed(entity.uniquenessConstraints)
    for constraint in new.subtracting(old?.all ?? []) {
      tell(.constraintAdded, entity, constraint.joined(separator: ", "))
    }
    let all = renamed(entity.allUniquenessConstraints)
    for constraint in (old?.own ?? []).subtracting(all) {
      tell(.constraintRemoved, entity, constraint.joined(separator: ", "))
    }
  }

  /// Returns the constraints with new names, as unordered sets. A removed property keeps its old name.
  private func renamed(
    _ constraints: [[String]], _ names: [String: String]? = nil
  ) -> Set<[String]> {
    Set(
      constraints.map { constraint in
        constraint.map { name in
          guard let names else { return name }
          return names[name] ?? "\(name) (removed)"
        }.sorted(by: UTF8Order.isLess)
      })
  }
}
