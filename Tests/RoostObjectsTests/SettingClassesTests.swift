// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostInMemory
import Testing

@Entity private final class Gadget: ManagedObject {
  var name: String = ""
}

@Entity private final class Stranger: ManagedObject {
  var name: String = ""
}

@Suite("Classes for a model that has none")
struct SettingClassesTests {
  private static func entity(_ name: String, attributes: [String] = ["name"]) -> EntityDescription {
    let entity = EntityDescription(name: name)
    entity.properties = attributes.map { attribute in
      let description = AttributeDescription(name: attribute, type: .string)
      description.isOptional = false
      description.defaultValue = ""
      return description
    }
    return entity
  }

  private static func context(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
    let container = try PersistentContainer(name: "a", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  @Test("objects are of the class that was set, made by it or fetched (B3)")
  func set() throws {
    let model = ManagedObjectModel(entities: [Self.entity("Gadget")])
    try model.setClasses(Gadget.self)
    let context = try Self.context(model)
    Gadget(context: context).name = "radio"
    try context.save()
    context.reset()
    let request = FetchRequest<ManagedObject>(entityName: "Gadget")
    #expect(try context.fetch(request).map { ($0 as? Gadget)?.name } == ["radio"])
    let entity = try #require(model.entitiesByName["Gadget"])
    let made = try EntityDescription.insertNewObject(forEntityName: "Gadget", into: context)
    #expect(made is Gadget && made.entity === entity)
  }

  @Test("an entity that names the class comes before one that has its name (B3)")
  func named() throws {
    let device = Self.entity("Device")
    device.managedObjectClassName = "App.Gadget"
    let gadget = Self.entity("Gadget")
    let model = ManagedObjectModel(entities: [gadget, device])
    try model.setClasses(Gadget.self)
    #expect(device.managedObjectClass == Gadget.self && gadget.managedObjectClass == nil)
  }

  @Test("a class without an entity is refused, and no other class is set")
  func unknown() throws {
    let gadget = Self.entity("Gadget")
    let model = ManagedObjectModel(entities: [gadget])
    #expect(code { try model.setClasses(Gadget.self, Stranger.self) } == .unknownEntity)
    #expect(gadget.managedObjectClass == nil)
  }

  @Test("classes of a model in use stay (B1)")
  func inUse() throws {
    let model = ManagedObjectModel(entities: [Self.entity("Gadget")])
    let context = try Self.context(model)
    #expect(code { try model.setClasses(Gadget.self) } == .modelInUse)
    withExtendedLifetime(context) {}
  }

  @Test("a class that has other properties than its entity is a fault of the model")
  func mismatch() throws {
    let model = ManagedObjectModel(entities: [Self.entity("Gadget", attributes: ["title"])])
    try model.setClasses(Gadget.self)
    #expect(code { _ = try Self.context(model) } == .invalidModel)
  }
}
