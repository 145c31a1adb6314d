// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The inserted records that a revert removes: their delete rules must not remove any others.
struct RevertRemoval {
  private let context: ManagedObjectContext
  private(set) var objects: [ManagedObject]

  init(of objects: [ManagedObject], in context: ManagedObjectContext) {
    self.objects = objects
    self.context = context
  }

  /// Excludes the objects whose deletion would remove one that is older, that stays, or that is not saved yet.
  ///
  /// - Returns: The relationships that lead to these.
  /// - Complexity: One round trip for each relationship with the rule `cascade`; as many passes as there are levels of
  ///   excluded objects.
  mutating func excludeOwners() throws -> [Reverting.Outcome.Place] {
    try loadDestinations()
    var places: [Reverting.Outcome.Place] = []
    var leaving = Set(objects.map(ObjectIdentifier.init))
    var hasFound = true
    while hasFound {
      hasFound = false
      for object in objects where leaving.contains(ObjectIdentifier(object)) {
        for relationship in Self.cascades(of: object) {
          let others = try object.related.readDestinations(relationship)
          let isNeeded = others.contains {
            !$0.isDeleted && !leaving.contains(ObjectIdentifier($0))
          }
          guard isNeeded else { continue }
          places.append(.init(id: object.identity, property: relationship.name))
          leaving.remove(ObjectIdentifier(object))
          hasFound = true
        }
      }
    }
    objects.removeAll { !leaving.contains(ObjectIdentifier($0)) }
    return places
  }

  private func loadDestinations() throws {
    var sources: [ObjectIdentifier: (RelationshipDescription, [ManagedObject])] = [:]
    for object in objects where object.isKnownBelow {
      for relationship in Self.cascades(of: object)
      where relationship.isToMany && object.related.hasUnloaded(relationship) {
        sources[ObjectIdentifier(relationship), default: (relationship, [])].1.append(object)
      }
    }
    for (relationship, owners) in sources.values {
      try context.loader.loadDestinations(of: relationship, for: owners)
    }
  }

  private static func cascades(of object: ManagedObject) -> [RelationshipDescription] {
    object.binding.deletion.steps.filter { $0.rule == .cascade }.map(\.relationship)
  }
}
