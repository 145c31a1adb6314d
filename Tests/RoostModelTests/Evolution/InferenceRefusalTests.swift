// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Changes that cannot be inferred")
struct InferenceRefusalTests {
  private typealias Changes = CompanyChanges

  struct Refusal: CustomTestStringConvertible, Sendable {
    let title: String
    let place: String
    let word: String
    var old: @Sendable (Company) throws -> Void = { _ in }
    let new: @Sendable (Company) throws -> Void

    var testDescription: String { title }
  }

  static let refusals: [Refusal] = [
    Refusal(title: "another type", place: "Person.age", word: "from integer16 to string") {
      $0.age.type = .string
    },
    Refusal(title: "a wider type", place: "Person.age", word: "allowsLosslessTypeChanges") {
      $0.age.type = .integer64
    },
    Refusal(title: "a required attribute without default", place: "Tag.size", word: "default") {
      $0.tag.properties.append(Changes.attribute("size", .integer16, isOptional: false))
    },
    Refusal(title: "an attribute that is required now", place: "Person.name", word: "default") {
      $0.name.isOptional = false
    },
    Refusal(
      title: "a required attribute that was transient", place: "Person.age", word: "default",
      old: { $0.age.isTransient = true }, new: { $0.age.isOptional = false }),
    Refusal(
      title: "a required composite without defaults", place: "Tag.address", word: "default"
    ) {
      let address = CompositeAttributeDescription(
        name: "address", elements: [Changes.attribute("city")])
      address.isOptional = false
      $0.tag.properties.append(address)
    },
    Refusal(title: "to many, then to one", place: "Person.tags", word: "many objects") {
      $0.tags.maxCount = 1
    },
    Refusal(title: "a narrower destination", place: "Tag.tagged", word: "Employee") {
      $0.tags.inverseRelationship = nil
      $0.tagged.inverseRelationship = nil
      $0.tagged.destinationEntity = $0.employee
    },
    Refusal(title: "two entities that were one", place: "Twin", word: "both come from") {
      $0.model.entities.append(Changes.entity("Twin", was: "Tag"))
    },
    Refusal(title: "two attributes that were one", place: "Person.nick", word: "both come from") {
      $0.person.properties.append(Changes.attribute("nick", was: "name"))
    },
    Refusal(
      title: "an entity that was two", place: "One", word: "“A” or “B”",
      old: {
        $0.model.entities += [Changes.entity("A", was: "X"), Changes.entity("B", was: "X")]
      }, new: { $0.model.entities.append(Changes.entity("One", was: "X")) }),
    Refusal(title: "two united hierarchies", place: "Tag", word: "no superentity in common") {
      let base = Changes.entity("Base")
      base.subentities = [$0.tag, $0.department]
      $0.model.entities.append(base)
    },
    Refusal(
      title: "an attribute that was derived and has another type", place: "Tag.size", word: "type",
      old: { $0.tag.properties.append(Changes.derived("size", .integer64, "count:(tagged)")) },
      new: { $0.tag.properties.append(Changes.attribute("size", .string)) }),
  ]

  @Test(
    "what cannot be inferred is refused with the place and the remedy (M8-M12, B257)",
    arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    let error = try #require(try Changes.refusal(from: refusal.old, to: refusal.new))
    #expect(error.code == .inferredMappingModel)
    #expect(error.code.rawValue == 134190)
    #expect(
      [error.entityName, error.key].compactMap { $0 }.joined(separator: ".") == refusal.place)
    #expect(error.message.contains(refusal.word), "\(error.message)")
  }

  @Test("all refusals are told at once, a line each (M2)")
  func several() throws {
    let error = try #require(
      try Changes.refusal {
        $0.age.type = .string
        $0.tags.maxCount = 1
        $0.title.isOptional = false
      })
    #expect(error.code == .inferredMappingModel)
    #expect(error.entityName == "Department")
    #expect(error.key == "title")
    let lines = error.message.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0] == "3 changes of the model cannot be inferred:")
    #expect(lines[1].hasPrefix("- Department.title: "))
    #expect(lines[2].hasPrefix("- Person.age: "))
    #expect(lines[3].hasPrefix("- Person.tags: "))
  }

  @Test("a configuration is compared by its entities, and must be there (M3)")
  func configurations() throws {
    let (old, new) = (Company(), Company())
    for company in [old, new] {
      try company.model.setEntities([company.tag], forConfigurationName: "Tags")
    }
    new.age.type = .string
    new.tag.properties.append(Changes.attribute("size"))
    let difference = try ModelDifference(from: old.model, to: new.model, configuration: "Tags")
    #expect(difference.changes.map(\.description) == ["add attribute Tag.size"])
    #expect(difference.entities.map(\.destination) == [new.tag])
    // A superentity in another store is identified by its name.
    let subentities = try ModelDifference(
      from: [old.employee], to: [Company().employee], allowsLosslessTypeChanges: false)
    #expect(subentities.changes == [])
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      try ModelDifference(from: old.model, to: new.model, configuration: "None")
    }
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      try ModelDifference(from: old.model, to: new.model)
    }
  }
}
