// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

/// Tests with version hashes that Apple's framework wrote into stores of published projects; their models are built
/// here, so that the tests need no files.
@Suite("Known version hashes")
struct KnownHashTests {
  private func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true,
    _ change: (AttributeDescription) -> Void = { _ in }
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = isOptional
    change(attribute)
    return attribute
  }

  private func relate(
    _ one: RelationshipDescription, of entity: EntityDescription,
    _ many: RelationshipDescription, of owner: EntityDescription
  ) {
    one.maxCount = 1
    one.destinationEntity = owner
    many.destinationEntity = entity
    one.inverseRelationship = many
    many.inverseRelationship = one
    entity.properties.append(one)
    owner.properties.append(many)
  }

  @Test("attributes of several types, one of them stored outside of the row (B248, B249)")
  func review() {
    let review = EntityDescription(name: "Review")
    review.properties = [
      attribute("bodyText", .string), attribute("creationDate", .date),
      attribute("imageData", .binaryData) { $0.allowsExternalBinaryDataStorage = true },
      attribute("lastModificationDate", .date),
      attribute("score", .double) { $0.defaultConstant = .double(0) },
      attribute("title", .string),
    ]
    #expect(
      hexadecimal(review.versionHash)
        == "fce6c13c782a651478e99a5678e5f22d460caa3b558baee459f98095a70e1051")
  }

  @Test("a to-many relationship that must have a member, and two attributes that are unique (B14)")
  func country() {
    let country = EntityDescription(name: "Country")
    let mood = EntityDescription(name: "Mood")
    country.properties = [
      attribute("isoContinent", .integer16), attribute("markedForDeletionDate", .date),
      attribute("numberOfMoods", .integer64, isOptional: false),
      attribute("numericISO3166Code", .integer16, isOptional: false),
      attribute("uniquenessDummy", .integer16, isOptional: false),
      attribute("updatedAt", .date, isOptional: false),
    ]
    let moods = RelationshipDescription(name: "moods")
    moods.isOptional = false
    relate(RelationshipDescription(name: "country"), of: mood, moods, of: country)
    country.uniquenessConstraints = [["numericISO3166Code", "uniquenessDummy"]]
    #expect(
      hexadecimal(country.versionHash)
        == "db57b9da2f0dc68749199c2528162e9d82b19f6bc7bb23d85754a9128b4625e3")
  }

  @Test("entities that inherit, transient and transformable attributes, both ways (B248, B196)")
  func cars() {
    let car = EntityDescription(name: "Car")
    let person = EntityDescription(name: "Person")
    let sportCar = EntityDescription(name: "SportCar")
    let expensive = EntityDescription(name: "ExpensiveSportCar")
    car.properties = [
      attribute("color", .transformable) {
        $0.valueTransformerName = "ColorTransformer"
        $0.attributeValueClassName = "Color"
      },
      attribute("currentDrivingSpeed", .integer64) { $0.isTransient = true },
      attribute("maker", .string), attribute("markedForDeletionAsOf", .date),
      attribute("model", .string), attribute("numberPlate", .string, isOptional: false),
    ]
    expensive.properties = [attribute("isLimitedEdition", .boolean)]
    person.properties = [
      attribute("firstName", .string),
      attribute("id", .uuid, isOptional: false) { $0.preservesValueInHistoryOnDeletion = true },
      attribute("isDriving", .boolean, isOptional: false) { $0.isTransient = true },
      attribute("lastName", .string), attribute("updatedAt", .date, isOptional: false),
    ]
    relate(
      RelationshipDescription(name: "owner"), of: car, RelationshipDescription(name: "cars"),
      of: person)
    car.uniquenessConstraints = [["numberPlate"]]
    person.uniquenessConstraints = [["firstName", "lastName"]]
    car.subentities = [sportCar]
    sportCar.subentities = [expensive]
    let model = ManagedObjectModel(entities: [car, person, sportCar, expensive])
    #expect(
      model.entityVersionHashesByName.mapValues(hexadecimal) == [
        "Car": "9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f",
        "ExpensiveSportCar": "3dc7e32b1be45b5a4c795ac9af3e1d10aa7222d3c69ae805bbeb4408bdeba480",
        "Person": "164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b",
        "SportCar": "514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313",
      ])
  }
}
