// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Returns warnings about valid but probably unintended definitions, one sentence each; empty for none.
  ///
  /// Two relationships between the same entities without an inverse, and without other candidates, look like the two
  /// ends of one relationship: setting one of them does not change the other. A coordinator logs the warnings when a
  /// store is added.
  ///
  /// ```swift
  /// for warning in model.findWarnings() { print(warning) }
  /// ```
  /// - Complexity: About linear in the number of relationships, for entities with few of them.
  @_disfavoredOverload
  public func findWarnings() -> [String] {
    var warnings: [String] = []
    for entity in entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        guard let other = OneWayPair.partner(of: relationship, from: entity),
          let destination = relationship.destinationEntity,
          OneWayPair.partner(of: other, from: destination) === relationship
        else { continue }
        let names = (
          "\(entity.name ?? "").\(relationship.name)", "\(destination.name ?? "").\(other.name)"
        )
        // Each pair is found twice, from both ends.
        guard names.0 < names.1 else { continue }
        warnings.append(
          "“\(names.0)” and “\(names.1)” lead to each other's entities, but neither is the inverse of the other: "
            + "setting one does not change the other. Name the inverse: @Relationship(inverse: \\\(names.1))."
        )
      }
    }
    return warnings
  }
}

/// Two relationships that look like the ends of one.
private enum OneWayPair {
  /// Returns the only relationship of the destination back to the source without an inverse; nil when there is none,
  /// or more than one.
  static func partner(
    of relationship: RelationshipDescription, from entity: EntityDescription
  ) -> RelationshipDescription? {
    guard relationship.inverseRelationship == nil, !relationship.isTransient,
      let destination = relationship.destinationEntity
    else { return nil }
    let candidates = destination.declaredProperties.compactMap { $0 as? RelationshipDescription }
      .filter {
        $0 !== relationship && $0.inverseRelationship == nil && !$0.isTransient
          && $0.destinationEntity === entity
      }
    return candidates.count == 1 ? candidates[0] : nil
  }
}
