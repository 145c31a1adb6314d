// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// A class that only its codec can encode.
private final class Colour: Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

@MainActor @Suite("Default values of transformable attributes")
struct AnyDefaultTests {
  private func container(_ change: (AttributeDescription) -> Void) throws -> PersistentContainer {
    let colour = AttributeDescription(name: "colour", type: .transformable)
    change(colour)
    let entity = EntityDescription(name: "Car")
    entity.properties = [AttributeDescription(name: "name", type: .string), colour]
    let container = try PersistentContainer(
      name: "defaults", model: ManagedObjectModel(entities: [entity]), stores: [.inMemory()])
    try container.loadPersistentStores()
    return container
  }

  private func make(in container: PersistentContainer) throws -> ManagedObject {
    let entity = try #require(container.managedObjectModel.entitiesByName["Car"])
    return ManagedObject(entity: entity, insertInto: container.viewContext)
  }

  @Test("a default value of any class is the value of new objects, and is saved (B342)")
  func anyClass() throws {
    TransformableCodec.register(
      TransformableCodec(name: "AnyDefaultColour") { value in
        guard let colour = value as? Colour else { throw CocoaError(.coderInvalidValue) }
        return Data(colour.name.utf8)
      } decode: {
        Colour(String(decoding: $0, as: UTF8.self))
      })
    let red = Colour("red")
    let container = try container {
      $0.defaultValue = red
      $0.valueTransformerName = "AnyDefaultColour"
      #expect($0.defaultValue as? Colour === red)
      #expect(($0.copy() as? AttributeDescription)?.defaultValue as? Colour === red)
    }
    let car = try make(in: container)
    #expect(try car.value(forKey: "colour") as? Colour === red)
    #expect(car.changedValues().isEmpty)
    try container.viewContext.save()
    let other = container.newBackgroundContext()
    let stored = try other.existingObject(with: car.objectID)
    #expect(try (stored.value(forKey: "colour") as? Colour)?.name == "red")
  }

  @Test("a default value that no codec takes is an error of the save, not of the model (B342)")
  func noCodec() throws {
    let container = try container { $0.defaultValue = Colour("red") }
    let car = try make(in: container)
    #expect(code { try container.viewContext.save() } == .transformation)
    try car.setValue(nil, forKey: "colour")
    try container.viewContext.save()
  }

  @Test("values that other attributes have are defaults of transformable ones, too (B342)")
  func ordinaryValues() throws {
    let url = try #require(URL(string: "x:"))
    let values: [any Sendable] = [url, "text", 3, [1, 2], ["a": 1]]
    for value in values {
      let attribute = AttributeDescription(name: "colour", type: .transformable)
      attribute.defaultValue = value
      #expect(attribute.defaultValue != nil)
      let container = try container { $0.defaultValue = value }
      #expect(try make(in: container).value(forKey: "colour") != nil)
    }
  }

  @Test("an attribute of another type refuses a default value of a class")
  func otherType() throws {
    let attribute = AttributeDescription(name: "colour", type: .string)
    attribute.defaultValue = Colour("red")
    let entity = EntityDescription(name: "Car")
    entity.properties = [attribute]
    #expect(ManagedObjectModel(entities: [entity]).findFaults().count == 1)
    attribute.defaultValue = nil
    #expect(ManagedObjectModel(entities: [entity]).findFaults().isEmpty)
  }
}
