// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Adds validation rules to the model of a lock file, which has none: those of the program's current model for the
/// same attributes.
enum FixtureRules {
  static func copy(from current: ManagedObjectModel, to version: ManagedObjectModel) throws {
    let entities = version.entitiesByName
    for entity in current.entities {
      let names = [entity.name, entity.renamingIdentifier].compactMap { $0 }
      guard let old = names.lazy.compactMap({ entities[$0] }).first else { continue }
      let attributes = old.attributesByName
      for case let attribute as AttributeDescription in entity.declaredProperties {
        let names = [attribute.name, attribute.renamingIdentifier].compactMap { $0 }
        guard let oldAttribute = names.lazy.compactMap({ attributes[$0] }).first else { continue }
        try copy(from: attribute, to: oldAttribute)
      }
    }
  }

  private static func copy(
    from current: AttributeDescription, to old: AttributeDescription
  ) throws {
    guard current.type == old.type else { return }
    if let composite = current as? CompositeAttributeDescription,
      let oldComposite = old as? CompositeAttributeDescription
    {
      for case let element as AttributeDescription in composite.elements {
        let same = oldComposite.elements.first { $0.name == element.name }
        if let oldElement = same as? AttributeDescription {
          try copy(from: element, to: oldElement)
        }
      }
    }
    (old.minValue, old.maxValue) = (current.minValue, current.maxValue)
    (old.minLength, old.maxLength) = (current.minLength, current.maxLength)
    old.regularExpression = current.regularExpression
    try old.setValidationPredicates(
      current.validationPredicates, withValidationWarnings: current.validationWarnings)
  }
}
