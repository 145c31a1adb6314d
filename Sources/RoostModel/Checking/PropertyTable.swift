// SPDX-License-Identifier: Apache-2.0

/// The properties of entities by name, inherited ones too. While a model is being built, asking an entity goes through
/// all its superentities each time; here that is done once.
struct PropertyTable {
  private var byEntity: [ObjectIdentifier: [String: PropertyDescription]] = [:]

  init(of entities: [EntityDescription]) {
    for root in entities where root.superentity == nil {
      for entity in root.withDescendants {
        var properties = entity.superentity.flatMap { byEntity[ObjectIdentifier($0)] } ?? [:]
        for property in entity.declaredProperties where properties[property.name] == nil {
          properties[property.name] = property
        }
        byEntity[ObjectIdentifier(entity)] = properties
      }
    }
  }

  /// An entity that no hierarchy of the model has is asked itself.
  subscript(entity: EntityDescription) -> [String: PropertyDescription] {
    byEntity[ObjectIdentifier(entity)] ?? entity.propertiesByName
  }
}
