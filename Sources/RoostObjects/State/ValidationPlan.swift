// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The validation of an entity's objects before a save, prepared once.
struct ValidationPlan {
  /// The properties that the class validates.
  let hooks: ValidationHooks
  /// The relationships to validate: those with a limit, and those that the class validates.
  let relationships: [RelationshipDescription]
  /// The check of each attribute, parallel to the binding's attributes.
  let attributeChecks: [AttributeCheck]
  /// The combined check of the attributes that need only their type's rule.
  let rowCheck: RowCheck
  /// Whether the row check is complete: no attribute and no relationship has a rule of its own.
  let isJudgedByRow: Bool

  init(
    _ attributes: [AttributeDescription], _ relationships: [RelationshipDescription],
    hooks: ValidationHooks
  ) {
    self.hooks = hooks
    self.relationships = relationships.filter {
      $0.limitsDestinations || hooks.concern($0.name)
    }
    attributeChecks = attributes.map { AttributeCheck(of: $0, hasHook: hooks.concern($0.name)) }
    rowCheck = RowCheck(attributeChecks)
    isJudgedByRow = rowCheck.others.isEmpty && self.relationships.isEmpty
  }
}
