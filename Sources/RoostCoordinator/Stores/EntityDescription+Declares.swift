// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension EntityDescription {
  /// Whether instances of the entity have a relationship, their own or an inherited one.
  func has(_ relationship: RelationshipDescription) -> Bool {
    relationship.entity.map { isKindOf(entity: $0) } ?? false
  }
}
