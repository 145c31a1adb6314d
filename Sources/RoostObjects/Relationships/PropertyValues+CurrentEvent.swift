// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension PropertyValues {
  func earlierValue(
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
      let committed = owner.related.loadedLinks(relationship).committed
      members =
        committed.filter { !removed.contains(ObjectIdentifier($0)) }
        + added.filter { !committed.contains($0) }
    case .one, nil:
      members = properties.isNew ? [] : owner.related.loadedLinks(relationship).committed
    }
    return relationship.isOrdered ? Array(members) : Set(members)
  }

  /// Keeps the destinations of a relationship that is about to change, for ``changedValuesForCurrentEvent()``. For an
  /// object without earlier changes they are in the record.
  func keepEarlierDestinations(_ ordinal: Int) {
    guard !owner.flags.isDisjoint(with: .changed),
      owner.flags.contains(.hasEarlierChanges) || !owner.flags.contains(.inEvent)
    else { return }
    owner.context?.changes.event.keep(link: ordinal, of: owner) {
      let relationship = owner.binding.relationships[ordinal]
      guard relationship.leadsToMany else { return .one(owner.related.destination(ordinal)) }
      let links = owner.related.toManyLinks(relationship)
      if links.isLoaded { return .many(links.members) }
      return .pending(added: links.added, removed: Set(links.removed.keys))
    }
  }

  /// Returns the committed destinations of a relationship; nil when they cannot be read, which is recorded as an
  /// error.
  private func notedCommittedValue(of relationship: RelationshipDescription) -> Any? {
    do throws(PersistenceError) {
      return try committedValue(of: relationship)
    } catch {
      owner.context?.readErrors.noteReadFailure(error, of: [owner.identity], key: relationship.name)
      return nil
    }
  }
}
