// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A uniqueness constraint that can name records: its attributes have one plain value each.
struct EntityKey {
  /// The attributes, sorted by name.
  let attributes: [AttributeDescription]
  /// The topmost entity that has the constraint.
  let owner: EntityDescription

  var names: [String] { attributes.map(\.name) }

  /// Returns the keys of an entity, in the order of its constraints.
  static func keys(of entity: EntityDescription) -> [EntityKey] {
    let known = entity.attributesByName
    return entity.allUniquenessConstraints.compactMap { constraint in
      let attributes = constraint.compactMap { known[$0] }.filter {
        $0.isStored && $0.type.slotKind != nil && $0.type != .transformable
          && !($0 is DerivedAttributeDescription)
      }
      guard attributes.count == constraint.count, !attributes.isEmpty else { return nil }
      return EntityKey(
        attributes: attributes.sorted { UTF8Order.isLess($0.name, $1.name) },
        owner: owner(of: Set(constraint), from: entity))
    }
  }

  /// Returns the key of an entity that consists of some attributes; nil when there is none.
  static func key(of entity: EntityDescription, named names: Set<String>) -> EntityKey? {
    keys(of: entity).first { Set($0.names) == names }
  }

  private static func owner(
    of names: Set<String>, from entity: EntityDescription
  ) -> EntityDescription {
    var owner = entity
    while let parent = owner.superentity,
      parent.allUniquenessConstraints.contains(where: { Set($0) == names })
    {
      owner = parent
    }
    return owner
  }
}
