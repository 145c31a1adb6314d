// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// A model of two unrelated entities, each in its own configuration.
enum ParcelModel {
  static func make() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = ["Parcel", "Stamp"].map { name in
      let label = NSAttributeDescription()
      label.name = "label"
      label.attributeType = .stringAttributeType
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = [label]
      return entity
    }
    model.setEntities([model.entities[0]], forConfigurationName: "Parcels")
    model.setEntities([model.entities[1]], forConfigurationName: "Stamps")
    return model
  }
}

@Suite("The configuration of all entities")
struct DefaultConfigurationTests {
  private let name = "PF_DEFAULT_CONFIGURATION_NAME"

  @Test("each model has it, and it has all entities (B16)")
  func entities() {
    let model = ParcelModel.make()
    #expect(model.configurations == [name, "Parcels", "Stamps"])
    #expect(model.entities(forConfigurationName: name)?.count == 2)
    #expect(model.entities(forConfigurationName: nil)?.count == 2)
    #expect(model.entities(forConfigurationName: "Parcels")?.map(\.name) == ["Parcel"])
    #expect(model.entities(forConfigurationName: "Letters") == nil)
  }

  @Test("a store that is added by its name holds all entities and says so (B229)")
  func store() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ParcelModel.make())
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: name, at: nil)
    #expect(store.configurationName == name)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for entity in ["Parcel", "Stamp"] {
      _ = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    try context.save()
    let model = coordinator.managedObjectModel
    #expect(model.isConfiguration(withName: name, compatibleWithStoreMetadata: store.metadata))
    #expect(
      !model.isConfiguration(withName: "Parcels", compatibleWithStoreMetadata: store.metadata))
    #expect(model.entities(forConfigurationName: store.configurationName)?.count == 2)
  }

  @Test("a container's description may name it, and one that a program makes is its own (B229)")
  func descriptions() throws {
    let model = ParcelModel.make()
    model.setEntities(model.entities, forConfigurationName: name)
    #expect(model.configurations == [name, "Parcels", "Stamps"])
    for model in [model, ParcelModel.make()] {
      let container = NSPersistentContainer(name: "Parcels", managedObjectModel: model)
      let description = NSPersistentStoreDescription()
      description.type = NSInMemoryStoreType
      description.configuration = name
      container.persistentStoreDescriptions = [description]
      container.loadPersistentStores { #expect($1 == nil) }
      let store = container.persistentStoreCoordinator.persistentStores.first
      #expect(store?.configurationName == name)
    }
  }
}
