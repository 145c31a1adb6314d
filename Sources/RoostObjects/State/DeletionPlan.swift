// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A precomputed plan of the delete rules of an entity's relationships: deleting many objects consults it several
/// times for each.
struct DeletionPlan {
  /// One relationship's part.
  struct Step {
    let relationship: RelationshipDescription
    let rule: DeleteRule
    /// Whether the destinations have to be read.
    let needsDestinations: Bool
    /// Whether the destinations' values have to be read: their rows change, or their own delete rules run next.
    let needsValues: Bool
    /// The slot of the destination in the source's row; nil when there is none.
    let slot: RowSlot?
    let hasInverse: Bool
    /// Whether the inverse has no lower limit, so that the destinations need no check of how many sources are left.
    let sparesInverse: Bool
  }

  /// The steps, in the order of the relationships.
  let steps: [Step]
  /// Whether a step needs destinations.
  let needsDestinations: Bool
  /// Whether a step needs the values of destinations.
  let needsValues: Bool
  /// The relationships with the deny rule: a destination that remains refuses the deletion (B87).
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
