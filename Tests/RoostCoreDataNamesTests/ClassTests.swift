// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformance
import Testing

@testable import RoostCoreDataNames

/// A class that is in no model.
private final class Stranger: NSManagedObject {}

@Suite("Classes and what can be asked of them")
struct ClassTests {
  private func makeContainer() -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Firms", managedObjectModel: FirmModel.make())
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    return container
  }

  @Test("a class without an entity answers when it is asked for one (B358)")
  func strangers() {
    #expect(Stranger.entity().name == nil)
    #expect(NSManagedObject.entity().name == nil)
    let container = makeContainer()
    withExtendedLifetime(container) { #expect(Clerk.entity().name == "Clerk") }
  }

  @Test("a class's request finds objects, IDs, dictionaries and a count (B360)")
  func resultTypes() throws {
    let container = makeContainer()
    let context = container.viewContext
    for name in ["A", "B"] { Clerk(context: context).name = name }
    try context.save()
    func found(_ type: NSFetchRequestResultType) throws -> [any NSFetchRequestResult] {
      let request: NSFetchRequest<any NSFetchRequestResult> = Clerk.fetchRequest()
      request.resultType = type
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      if type == .dictionaryResultType { request.propertiesToFetch = ["name"] }
      return try context.fetch(request)
    }
    let objects = try found(.managedObjectResultType)
    #expect(objects.map { ($0 as? Clerk)?.name } == ["A", "B"])
    let ids = try found(.managedObjectIDResultType)
    #expect(ids.map { $0 as? NSManagedObjectID } == objects.map { ($0 as? Clerk)?.objectID })
    let rows = try found(.dictionaryResultType)
    #expect(rows.map { ($0 as? [String: Any])?["name"] as? String } == ["A", "B"])
    #expect(try found(.countResultType).map { ($0 as? NSNumber)?.intValue } == [2])
  }

  @Test("an object that a block comes across lives to the block's end, and no longer (B357)")
  func blocks() async throws {
    let container = makeContainer()
    let seeding = container.viewContext
    Clerk(context: seeding).name = "A"
    try seeding.save()
    let request = NSFetchRequest<Clerk>(entityName: "Clerk")
    let contexts = [
      container.newBackgroundContext(),
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
    ]
    contexts[1].persistentStoreCoordinator = container.persistentStoreCoordinator
    for context in contexts {
      for _ in 0..<2 {
        let ends = try await context.perform { () throws -> [Int] in
          let before = context.registeredObjects.count
          var names: [String?] = []
          do { names += try context.fetch(request).map(\.name) }
          let after = context.registeredObjects.count
          context.performAndWait { names.append("inner") }
          return [before, names.count, after, context.registeredObjects.count]
        }
        #expect(ends == [0, 2, 1, 1])
      }
      try context.performAndWait {
        #expect(context.registeredObjects.isEmpty)
        _ = try context.fetch(request)
        #expect(context.registeredObjects.count == 1)
      }
      context.performAndWait { #expect(context.registeredObjects.isEmpty) }
    }
  }

  @Test("a request that cannot be executed is an error, and changes nothing (B281, B324)")
  func unknownRequests() throws {
    let container = makeContainer()
    let context = container.viewContext
    Clerk(context: context).name = "A"
    do {
      try context.execute(NSFetchRequest<Clerk>(entityName: "Clerk") as NSPersistentStoreRequest)
      Issue.record("The request was to be refused.")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(error.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
    #expect(context.insertedObjects.count == 1)
  }

  @Test("a class is looked for in the module among whose resources the model is, too (B359)")
  func modules() throws {
    func found() -> NSManagedObject.Type? {
      let entity = NSEntityDescription()
      entity.name = "Hooked"
      entity.managedObjectClassName = "HookedObject"
      let model = NSManagedObjectModel()
      model.entities = [entity]
      ClassNames.find(in: model, from: "RoostCoreDataNamesTests/ClassTests.swift")
      return entity.managedObjectClass as? NSManagedObject.Type
    }
    #expect(found() == nil, "nobody has told of the module yet")
    ClassNames.noteModule(
      ofResource: URL(filePath: "/app/Some-Package_RoostConformanceKit.resources/Hooked.momd"))
    #expect(found().map { "\($0)" } == "HookedObject")
  }
}
