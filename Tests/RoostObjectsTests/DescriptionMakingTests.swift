// SPDX-License-Identifier: Apache-2.0

import Roost
import Testing

/// Tests that a description made in one expression equals one made step by step.
@Suite("Descriptions made with what they say") struct DescriptionMakingTests {
  private func model(with property: PropertyDescription) -> ManagedObjectModel {
    let entity = EntityDescription(name: "Place")
    entity.properties = [property]
    return ManagedObjectModel(entities: [entity])
  }

  @Test("a composite owns the elements that it is made with (B6)")
  func composite() throws {
    let inner = CompositeAttributeDescription(
      name: "point", elements: [AttributeDescription(name: "x", type: .double)])
    let outer = CompositeAttributeDescription(name: "place", elements: [inner])
    #expect(model(with: outer).findFaults().isEmpty)
    let other = CompositeAttributeDescription(name: "other", elements: [inner])
    #expect(model(with: outer).findFaults().count == 1)
    #expect(other.elements.first === inner)
  }

  @Test("a fetched property keeps the request that it is made with as it is then (B306)")
  func fetchedProperty() throws {
    let request = FetchRequest<ManagedObject>(entityName: "Place")
    request.fetchLimit = 2
    let property = FetchedPropertyDescription(name: "nearby", fetchRequest: request)
    request.fetchLimit = 5
    let kept = try #require(property.fetchRequest?.templateSnapshot as? FetchCriteria)
    #expect(kept.fetchLimit == 2)
  }
}
