// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Equal models under Core Data's names")
struct EqualModelTests {
  private func makeModel(_ name: String = "Company") -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = name
    let attribute = NSAttributeDescription()
    attribute.name = "name"
    attribute.attributeType = .stringAttributeType
    entity.properties = [attribute]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  @Test("models and entities are equal by content (B351)")
  func equal() throws {
    let (left, right) = (makeModel(), makeModel())
    #expect(left == right)
    #expect(left.isEqual(right))
    #expect(left.hash == right.hash)
    #expect(left != makeModel("Firm"))
    #expect(!left.isEqual(nil))
    let entity = try #require(left.entitiesByName["Company"])
    #expect(entity == right.entitiesByName["Company"])
    #expect(entity.isEqual(right.entitiesByName["Company"]))
  }
}
