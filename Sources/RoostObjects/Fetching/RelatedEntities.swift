// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The entities that a request's key paths lead to: if one of their objects is changed, any object may match by now.
struct RelatedEntities {
  private var roots: Set<ObjectIdentifier> = []

  init(of fetch: ResolvedFetch) {
    fetch.forEachPath { path in
      for relationship in path.relationships {
        guard let destination = relationship.destinationEntity else { continue }
        roots.insert(ObjectIdentifier(destination.rootEntity))
      }
    }
  }

  func contains(_ entity: EntityDescription) -> Bool {
    !roots.isEmpty && roots.contains(ObjectIdentifier(entity.rootEntity))
  }
}
