// SPDX-License-Identifier: Apache-2.0

extension ModelCheck {
  /// Hierarchies: complete, without cycles, one superentity at the most (B4).
  mutating func checkHierarchies() {
    let circular = entitiesInCycles()
    for entity in model.entities {
      if let parent = entity.superentity, !isMember(parent) {
        report("The superentity “\(parent.name ?? "")” is not part of the model.", entity)
      }
      if circular.contains(ObjectIdentifier(entity)) {
        report("The entity inherits from itself.", entity)
      }
      var seen: Set<ObjectIdentifier> = []
      for subentity in entity.subentities {
        let name = subentity.name ?? ""
        if !isMember(subentity) {
          report("The subentity “\(name)” is not part of the model.", entity)
        }
        if subentity.superentity !== entity {
          report("The subentity “\(name)” has another superentity too.", entity)
        }
        if !seen.insert(ObjectIdentifier(subentity)).inserted {
          report("The subentity “\(name)” is listed twice.", entity)
        }
      }
    }
  }

  /// Returns the entities in cycles of superentities.
  private func entitiesInCycles() -> Set<ObjectIdentifier> {
    var result: Set<ObjectIdentifier> = []
    var seen: Set<ObjectIdentifier> = []
    for entity in model.entities {
      var path: [ObjectIdentifier] = []
      var next: EntityDescription? = entity
      while let current = next, seen.insert(ObjectIdentifier(current)).inserted {
        path.append(ObjectIdentifier(current))
        next = current.superentity
      }
      if let next, let start = path.firstIndex(of: ObjectIdentifier(next)) {
        result.formUnion(path[start...])
      }
    }
    return result
  }
}

// MARK: - Sizes

extension ModelCheck {
  /// Checks the number of slots per row, and of all entities together.
  ///
  /// - Returns: Whether the model can be checked further; otherwise that would take too long.
  mutating func checkSize() -> Bool {
    guard model.entities.count <= RecordKey.largestEntityCode else { return false }
    let own = ownSlotCounts()
    var total = 0
    for root in model.entities where root.superentity == nil {
      var counts: [ObjectIdentifier: Int] = [:]
      for entity in root.withDescendants {
        let inherited = entity.superentity.flatMap { counts[ObjectIdentifier($0)] } ?? 0
        let count = inherited + (own[ObjectIdentifier(entity)] ?? 0)
        counts[ObjectIdentifier(entity)] = count
        if count > Self.largestSlotCount {
          report("The entity has more than \(Self.largestSlotCount) stored values.", entity)
        }
      }
      // All rows of a hierarchy have the size of the longest.
      total += counts.count * (counts.values.max() ?? 0)
    }
    guard total > Self.largestValueCount else { return true }
    report("The entities have more than \(Self.largestValueCount) values together.")
    return false
  }

  /// Returns the number of slots that each entity adds to the inherited ones.
  private func ownSlotCounts() -> [ObjectIdentifier: Int] {
    var counts: [ObjectIdentifier: Int] = [:]
    for entity in model.entities {
      for property in entity.declaredProperties {
        let composite = property as? CompositeAttributeDescription
        counts[ObjectIdentifier(entity), default: 0] += composite?.leaves.count ?? 1
        if let relationship = property as? RelationshipDescription, relationship.isOrdered,
          let carrier = relationship.maintainedInverse?.entity
        {
          counts[ObjectIdentifier(carrier), default: 0] += 1
        }
      }
    }
    return counts
  }
}
