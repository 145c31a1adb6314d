// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Equal models")
struct EqualModelTests {
  @Test("models and entities are equal by content, copies too (B351)")
  func equal() throws {
    let company = Company()
    let other = Company()
    #expect(company.model == other.model)
    #expect(company.model.hashValue == other.model.hashValue)
    #expect(company.model.copy() == company.model)
    for (left, right) in zip(company.model.entities, other.model.entities) {
      #expect(left == right)
      #expect(left.hashValue == right.hashValue)
    }
    #expect(company.person != company.employee)
    try company.model.freeze()
    #expect(company.model == other.model)
    other.model.entities.reverse()
    #expect(company.model == other.model)
  }

  @Test("whatever differs makes entities and models different, both ways (B351)")
  func different() throws {
    let changes: [(Company) throws -> Void] = [
      { $0.age.defaultValue = 3 },
      { $0.age.userInfo = ["unit": "year"] },
      { $0.tag.userInfo = ["a": 1] },
      { $0.age.isOptional = false },
      { $0.age.minValue = 1 },
      { $0.people.deleteRule = .nullify },
      { $0.person.managedObjectClassName = "Human" },
      { $0.person.isAbstract = true },
      { $0.person.subentities = [] },
      { $0.person.indexes = [FetchIndexDescription(name: "i", elements: [])] },
      { $0.person.uniquenessConstraints = [["name"]] },
      { $0.model.versionIdentifiers = ["2"] },
      { $0.model.localizationDictionary = ["Entity/Person": "Mensch"] },
      { try $0.model.setEntities([$0.tag], forConfigurationName: "Tags") },
      { try $0.model.setFetchRequestTemplate(Template("Tag"), forName: "tags") },
      { $0.model.entities.removeLast() },
    ]
    for (number, change) in changes.enumerated() {
      let left = Company()
      let right = Company()
      try change(right)
      #expect(left.model != right.model, "change \(number)")
      #expect(right.model != left.model, "change \(number)")
      try change(left)
      #expect(left.model == right.model, "change \(number)")
    }
  }
}
