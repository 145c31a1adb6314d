// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

final class UnusedThing: NSManagedObject {}

@Suite("Stores with Core Data's names")
struct StoreTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func makeContainer() throws -> NSPersistentContainer {
    let model = try NSManagedObjectModel(Recipe.self, Step.self, Tag.self)
    let container = NSPersistentContainer(name: "Stores", managedObjectModel: model)
    container.persistentStoreDescriptions = []
    return container
  }

  private func memory() -> NSPersistentStoreDescription {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    return description
  }

  @Test("every description is loaded once, also one that lies where a dropped one lay (B332)")
  func descriptions() throws {
    let container = try makeContainer()
    var reports = 0
    for round in 1...20 {
      // A new description often gets the memory address of a released one.
      container.persistentStoreDescriptions = []
      container.persistentStoreDescriptions = [memory()]
      container.loadPersistentStores { _, error in
        #expect(error == nil)
        reports += 1
      }
      container.loadPersistentStores { _, _ in reports += 1 }
      #expect(reports == round)
      #expect(container.persistentStoreCoordinator.persistentStores.count == round)
    }
  }

  @Test("a class is not looked for in a model that was refused, which may be changed at any time")
  func refusedModel() {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "Unused"
    entity.managedObjectClassName = NSStringFromClass(UnusedThing.self)
    let twice = ["a", "a"].map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      return attribute
    }
    entity.properties = [twice[0]]
    model.entities = [entity]
    let copy = model.copy()
    copy.entities[0].properties = twice
    let refused = NSPersistentContainer(name: "Refused", managedObjectModel: copy)
    #expect(UnusedThing.entity().name == nil)
    let usable = NSPersistentContainer(name: "Usable", managedObjectModel: model)
    #expect(UnusedThing.entity() === model.entities[0])
    withExtendedLifetime((refused, usable)) {}
  }

  @Test("a description whose store could not be added is tried again by the next call (B332)")
  func again() throws {
    let container = try makeContainer()
    let description = memory()
    description.type = "Nothing"
    container.persistentStoreDescriptions = [description]
    var errors: [Error?] = []
    container.loadPersistentStores { errors.append($1) }
    description.type = NSInMemoryStoreType
    container.loadPersistentStores { errors.append($1) }
    container.loadPersistentStores { errors.append($1) }
    #expect(errors.map { $0 == nil } == [false, true])
  }

  @Test("an error of SQLite has SQLite's own code (B336)")
  func sqliteCode() throws {
    try withFolder { folder in
      let file = folder.appending(path: "text.sqlite")
      try Data(String(repeating: "no database\n", count: 500).utf8).write(to: file)
      let container = try makeContainer()
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
      var failure: NSError?
      container.loadPersistentStores { failure = $1 as NSError? }
      #expect(failure?.domain == NSCocoaErrorDomain)
      #expect(failure?.userInfo[NSSQLiteErrorDomain] as? Int == 26)
    }
  }

  @Test("numbers of every type are kept in the metadata")
  func metadata() throws {
    let container = try makeContainer()
    container.persistentStoreDescriptions = [memory()]
    container.loadPersistentStores { _, _ in }
    let coordinator = container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let price = try #require(Decimal(string: "1.25"))
    coordinator.setMetadata(
      ["float": Float(1.5), "byte": UInt8(7), "price": price, "one": NSNumber(value: 1)], for: store
    )
    let metadata = coordinator.metadata(for: store)
    #expect(metadata["float"] as? Double == 1.5)
    #expect(metadata["byte"] as? Int == 7)
    #expect(metadata["price"] as? Double == 1.25)
    #expect(metadata["one"] as? Int == 1)
  }

  @Test("an option whose name is no string is refused, and not left out")
  func optionNames() throws {
    let coordinator = try makeContainer().persistentStoreCoordinator
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: [7: true])
    }
    #expect(error?.localizedDescription.contains("no string") == true)
    #expect(coordinator.persistentStores.isEmpty)
  }
}
