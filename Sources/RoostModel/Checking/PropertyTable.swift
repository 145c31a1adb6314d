// SPDX-License-Identifier: Apache-2.0

/// A lookup table of properties by name, including inherited ones. While a model is being built, a lookup in an
/// entity walks all superentities each time; here that is done once.
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

  /// An entity outside of the model's hierarchies is looked up directly.
  subscript(entity: EntityDescription) -> [String: PropertyDescription] {
    byEntity[ObjectIdentifier(entity)] ?? entity.propertiesByName
  }
}
