// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostBench

@Suite(.serialized) struct ModelTests {
  /// A model with inheritance, limits, a constraint and every kind of relationship.
  private static func makeModel() -> ManagedObjectModel {
    let animal = EntityDescription(name: "Animal")
    animal.isAbstract = true
    let dog = EntityDescription(name: "Dog")
    let cat = EntityDescription(name: "Cat")
    animal.subentities = [dog, cat]
    let owner = EntityDescription(name: "Owner")
    let chip = EntityDescription(name: "Chip")

    let name = AttributeDescription(name: "name", type: .string)
    name.isOptional = false
    name.maxLength = 12
    let age = AttributeDescription(name: "age", type: .integer16)
    age.minValue = .integer(3)
    age.maxValue = .integer(9)
    let code = AttributeDescription(name: "code", type: .string)
    code.isOptional = false
    chip.uniquenessConstraints = [["code"]]

    let keeper = RelationshipDescription(name: "keeper", destination: owner, maxCount: 1)
    keeper.isOptional = false
    let animals = RelationshipDescription(name: "animals", destination: animal)
    animals.deleteRule = .cascade
    keeper.inverseRelationship = animals
    animals.inverseRelationship = keeper
    let chipOfDog = RelationshipDescription(name: "chip", destination: chip, maxCount: 1)
    let dogOfChip = RelationshipDescription(name: "dog", destination: dog, maxCount: 1)
    chipOfDog.inverseRelationship = dogOfChip
    dogOfChip.inverseRelationship = chipOfDog
    let friends = RelationshipDescription(name: "friends", destination: cat)
    friends.inverseRelationship = friends

    animal.declaredProperties = [name, age, keeper]
    dog.declaredProperties = [chipOfDog]
    cat.declaredProperties = [friends]
    owner.declaredProperties = [AttributeDescription(name: "since", type: .date), animals]
    chip.declaredProperties = [code, dogOfChip]
    return ManagedObjectModel(entities: [animal, dog, cat, owner, chip])
  }

  @Test("made-up data satisfies a model, and reading it comes to the same on every store")
  func run() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([.sqlite, .memory], folder: folder, durability: .full)
    var options = BenchOptions()
    options.objects = 400
    options.rounds = 1
    let results = try ModelCommand(
      options: options, engines: catalogue.engines, makeModel: Self.makeModel
    ).run(Progress(isQuiet: true))
    #expect(results.measurements.count == 2 * ModelWork.allCases.count)
    #expect(results.workloads == ModelWork.allCases.map(\.rawValue))
    let proofs = results.measurements.compactMap(\.checksum)
    #expect(proofs.count == 2 && Set(proofs).count == 1)
    #expect(proofs.first != Checksum())
    #expect(TextTable(results: results).text.contains("make all objects"))
  }

  @Test("a store that fails is told, and the others are measured")
  func failures() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([.sqlite, .memory], folder: folder, durability: .full)
    var options = BenchOptions()
    options.objects = 100
    options.rounds = 2
    // A folder has the name of the file, so that it cannot be created.
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "sqlite/roost.sqlite/x"), withIntermediateDirectories: true)
    let results = try ModelCommand(
      options: options, engines: catalogue.engines, makeModel: Self.makeModel
    ).run(Progress(isQuiet: true))
    #expect(results.failures?.count == 1)
    #expect(results.failures?.first?.hasPrefix("SQLite, round 1: ") == true)
    #expect(results.stores == [.memory])
  }

  @Test("a value stays within the limits that its attribute sets")
  func limits() {
    let age = AttributeDescription(name: "age", type: .integer16)
    age.isOptional = false
    age.minValue = .integer(3)
    age.maxValue = .integer(9)
    let name = AttributeDescription(name: "name", type: .string)
    name.isOptional = false
    name.minLength = 20
    name.maxLength = 30
    for index in 0..<1_000 {
      guard case .integer(let number)? = MadeUpValue.value(age, index),
        case .string(let text)? = MadeUpValue.value(name, index)
      else {
        Issue.record("no value for \(index)")
        return
      }
      #expect((3...9).contains(number))
      #expect((20...30).contains(text.utf8.count))
    }
    let optional = AttributeDescription(name: "note", type: .string)
    let absent = (0..<1_000).filter { MadeUpValue.value(optional, $0) == nil }.count
    #expect((50...250).contains(absent))
  }
}
