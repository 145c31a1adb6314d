// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// How the objects of an entity are judged before they are saved; made once.
struct ValidationPlan {
  /// Which properties the class judges itself.
  let hooks: ValidationHooks
  /// The relationships that are not right whatever their destinations are.
  let relationships: [RelationshipDescription]
  /// How the value of each attribute is judged, parallel to the binding's attributes.
  let attributeChecks: [AttributeCheck]
  /// How the attributes are judged that need no more than their type's rule.
  let rowCheck: RowCheck
  /// Whether that is all there is to judge: no attribute and no relationship has a rule of its own.
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
