// SPDX-License-Identifier: Apache-2.0

extension ModelCheck {
  /// Hierarchies: complete, without cycles, one superentity at the most (B4).
  mutating func checkHierarchies() {
    for entity in model.entities {
      if let parent = entity.superentity, !members.contains(parent) {
        report("The superentity “\(parent.name ?? "")” is not part of the model.", entity)
      }
      if isInCycle(entity) { report("The entity inherits from itself.", entity) }
      var seen: Set<EntityDescription> = []
      for subentity in entity.subentities {
        let name = subentity.name ?? ""
        if !members.contains(subentity) {
          report("The subentity “\(name)” is not part of the model.", entity)
        }
        if subentity.superentity !== entity {
          report("The subentity “\(name)” has another superentity too.", entity)
        }
        if !seen.insert(subentity).inserted {
          report("The subentity “\(name)” is listed twice.", entity)
        }
      }
    }
  }

  private func isInCycle(_ entity: EntityDescription) -> Bool {
    entity.ancestors.last?.superentity === entity || entity.superentity === entity
  }

  /// Rows: no more slots than a row can have.
  mutating func checkSlotCounts() {
    var counts: [EntityDescription: Int] = [:]
    for entity in model.entities {
      for property in entity.declaredProperties {
        let composite = property as? CompositeAttributeDescription
        counts[entity, default: 0] += composite?.leaves.count ?? 1
        if let relationship = property as? RelationshipDescription, relationship.isOrdered,
          let carrier = relationship.inverseRelationship?.entity
        {
          counts[carrier, default: 0] += 1
        }
      }
    }
    for entity in model.entities {
      let count = ([entity] + entity.ancestors).reduce(0) { $0 + (counts[$1] ?? 0) }
      if count > Self.largestSlotCount {
        report("The entity has more than \(Self.largestSlotCount) stored values.", entity)
      }
    }
  }
}
