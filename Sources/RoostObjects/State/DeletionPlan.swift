// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What the delete rules of an entity's relationships ask for, worked out once: a deletion of many objects looks at it
/// for each of them, several times.
struct DeletionPlan {
  /// One relationship's part.
  struct Step {
    let relationship: RelationshipDescription
    let rule: DeleteRule
    /// Whether its destinations have to be known.
    let needsDestinations: Bool
    /// Whether its destinations' values have to be known: their rows change, or their own rules come next.
    let needsValues: Bool
    /// Where the source's row has the destination; nil when it has none.
    let slot: RowSlot?
    let hasInverse: Bool
    /// Whether the destinations may lose any number of sources, so that nobody judges how many are left.
    let sparesInverse: Bool
  }

  /// The steps, in the order of the relationships.
  let steps: [Step]
  /// Whether some destinations have to be known.
  let needsDestinations: Bool
  /// Whether some destinations' values have to be known.
  let needsValues: Bool
  /// The relationships that must have no destinations that stay (B87).
  let denied: [RelationshipDescription]

  init(_ relationships: [RelationshipDescription]) {
    steps = relationships.map(Step.init)
    needsDestinations = steps.contains(where: \.needsDestinations)
    needsValues = steps.contains(where: \.needsValues)
    denied = relationships.filter { $0.deleteRule == .deny }
  }
}

extension DeletionPlan.Step {
  init(_ relationship: RelationshipDescription) {
    let rule = relationship.deleteRule
    self.relationship = relationship
    self.rule = rule
    needsDestinations = relationship.isToMany && rule != .noAction
    let inverse = relationship.maintainedInverse
    needsValues =
      rule != .deny && rule != .noAction && (rule == .cascade || inverse?.isToMany == false)
    slot = if case .toOne(let slot) = relationship.storage { slot } else { nil }
    hasInverse = inverse != nil
    sparesInverse = inverse.map { $0.isToMany && ($0.isOptional || $0.minCount == 0) } ?? true
  }
}
