// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension ManagedObject {
  /// Returns the persistent properties that were set since the last event ended, with the values that they had before.
  ///
  /// While ``ManagedObjectContext/didChangeObjectsNotification`` is posted, that is the event that it tells of. The
  /// values of now are those of the properties themselves.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` had them, relationships as objects or collections of objects; nil
  ///   values as `NSNull`. Of an object that is new in the event: the default values, and no destinations.
  /// - Complexity: O(changed properties), but O(objects of the event) the first time that an observer asks; at most one
  ///   query for each to-many relationship whose stored destinations are not known.
  public final func changedValuesForCurrentEvent() -> [String: Any] {
    guard let context else { return [:] }
    var result: [String: Any] = [:]
    // Where an observer has changed a property again, the event that it hears of has the older value.
    let parts = [
      context.changes.event.currentProperties(of: self),
      context.postedEvent?.pastProperties(of: self),
    ]
    for case let properties? in parts {
      for slot in properties.slots.indices {
        guard let attribute = binding.attribute(ofSlot: slot), !attribute.isTransient,
          let row = properties.earlier
        else { continue }
        result[attribute.name] = attribute.value(in: row).anyValue ?? NSNull()
      }
      for relationship in binding.relationships
      where properties.links.contains(relationship.ordinal) && !relationship.isTransient {
        result[relationship.name] = earlierValue(of: relationship, properties) ?? NSNull()
      }
    }
    return result
  }

  private func earlierValue(
    of relationship: RelationshipDescription, _ properties: EventProperties
  ) -> Any? {
    guard relationship.isToMany else {
      if case .one(let object) = properties.destinations[relationship.ordinal] { return object }
      return properties.isNew ? nil : notedCommittedValue(of: relationship)
    }
    let members: ContiguousArray<ManagedObject>
    switch properties.destinations[relationship.ordinal] {
    case .many(let known): members = known
    case .pending(let added, let removed):
      let committed = loadedLinks(relationship).committed
      members =
        committed.filter { !removed.contains(ObjectIdentifier($0)) }
        + added.filter { !committed.contains($0) }
    case .one, nil: members = properties.isNew ? [] : loadedLinks(relationship).committed
    }
    return relationship.isOrdered ? Array(members) : Set(members)
  }

  /// Keeps the destinations of a relationship, which is going to be changed, for ``changedValuesForCurrentEvent()``. Of
  /// an object without earlier changes the record has them.
  final func keepEarlierDestinations(_ ordinal: Int) {
    guard !flags.isDisjoint(with: .changed),
      flags.contains(.hasEarlierChanges) || !flags.contains(.inEvent)
    else { return }
    context?.changes.event.keep(link: ordinal, of: self) {
      let relationship = binding.relationships[ordinal]
      guard relationship.leadsToMany else { return .one(destination(ordinal)) }
      let links = toManyLinks(relationship)
      if links.isLoaded { return .many(links.members) }
      return .pending(added: links.added, removed: Set(links.removed.keys))
    }
  }
}

extension ManagedObject {
  /// The committed destinations of a relationship; nil when they cannot be read, which is noted.
  fileprivate final func notedCommittedValue(of relationship: RelationshipDescription) -> Any? {
    do throws(PersistenceError) {
      return try committedValue(of: relationship)
    } catch {
      context?.noteReadFailure(error, of: [identity], key: relationship.name)
      return nil
    }
  }
}
