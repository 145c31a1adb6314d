// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

// Code as in libraries for Core Data: extensions that name a type's generic parameter, methods passed as values.

extension NSFetchRequest where ResultType == any NSFetchRequestResult {
  fileprivate convenience init(of entity: NSEntityDescription) {
    self.init()
    self.entity = entity
  }
}

extension NSManagedObjectContext {
  fileprivate func result<T>(
    of work: (NSManagedObjectContext) throws -> T, by run: (() -> Void) -> Void
  ) throws -> T {
    var result: Result<T, any Error>?
    withoutActuallyEscaping(work) { work in run { result = Result { try work(self) } } }
    return try #require(try result?.get())
  }
}

@Suite("Code of libraries with Core Data's names")
struct GenericCodeTests {
  @Test("a request is extended by the name of its parameter (F45)")
  func parameterName() throws {
    let context = try CoreDataStack(inMemory: true).mainContext
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Tag", in: context))
    let request = NSFetchRequest<any NSFetchRequestResult>(of: entity)
    request.resultType = .countResultType
    #expect(try context.count(for: request) == 0)
  }

  @Test("performAndWait is handed on as a function that neither throws nor returns (F45, B223)")
  func handedOn() throws {
    let stack = try CoreDataStack(inMemory: true)
    let context = stack.newDerivedContext()
    let count = try context.result(
      of: { try $0.count(for: Recipe.sortedFetchRequest()) }, by: context.performAndWait)
    #expect(count == 0)
    let coordinator = stack.container.persistentStoreCoordinator
    #expect(
      try context.result(
        of: { _ in coordinator.persistentStores.count }, by: coordinator.performAndWait)
        == 1)
  }

  @Test("an object made by its class alone has no context, and can be inserted later (B20, F45)")
  func plainObject() throws {
    let stack = try CoreDataStack(inMemory: true)
    let tag = withExtendedLifetime(stack) { Tag() }
    #expect(tag.managedObjectContext == nil)
    tag.name = "Hot"
    // Several models of this process have the class: it represents the entity of one of them.
    let model = try #require(tag.entity.managedObjectModel)
    let container = NSPersistentContainer(name: "Plain", managedObjectModel: model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    context.insert(tag)
    try context.save()
    #expect(try context.count(for: NSFetchRequest<Tag>(entityName: "Tag")) == 1)
  }

  @Test("the progress of an asynchronous fetch is an optional, as the names have it (F45)")
  func progress() throws {
    let context = try CoreDataStack(inMemory: true).mainContext
    let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<Tag>(entityName: "Tag"))
    let result = try #require(try context.execute(request) as? NSAsynchronousFetchResult<Tag>)
    #expect(result.progress?.totalUnitCount == 1)
    result.cancel()
    #expect(result.progress?.isCancelled == true)
  }
}
