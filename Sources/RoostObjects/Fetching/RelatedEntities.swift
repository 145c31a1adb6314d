// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The entities that a request's key paths lead to: if one of their objects is changed, any object may match by now.
struct RelatedEntities {
  private var roots: Set<ObjectIdentifier> = []

  init(of fetch: ResolvedFetch) {
    if let predicate = fetch.predicate { add(predicate) }
    for step in fetch.sort { add(step.path) }
  }

  func contains(_ entity: EntityDescription) -> Bool {
    !roots.isEmpty && roots.contains(ObjectIdentifier(entity.rootEntity))
  }

  private mutating func add(_ path: ResolvedPath) {
    for relationship in path.relationships {
      guard let destination = relationship.destinationEntity else { continue }
      roots.insert(ObjectIdentifier(destination.rootEntity))
    }
  }

  private mutating func add(_ predicate: ResolvedPredicate) {
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      add(comparison.left)
      add(comparison.right)
    case .and(let parts), .or(let parts): for part in parts { add(part) }
    case .not(let part): add(part)
    }
  }

  private mutating func add(_ expression: ResolvedExpression) {
    switch expression {
    case .constant, .list, .entity, .entities: break
    case .path(let path), .aggregate(_, let path): add(path)
    case .subqueryCount(let path, _, let predicate):
      add(path)
      add(predicate)
    case .function(_, let operands): for operand in operands { add(operand) }
    case .conditional(let predicate, let left, let right):
      add(predicate)
      add(left)
      add(right)
    }
  }
}
