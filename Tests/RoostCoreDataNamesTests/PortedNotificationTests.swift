// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("What ported suites hear of a context, and find in it")
struct PortedNotificationTests {
  private func listen(
    _ name: Notification.Name, _ context: NSManagedObjectContext,
    _ body: @escaping (Notification) -> Void
  ) -> any NSObjectProtocol {
    // Unsafe: it is called where the notification is posted, on the thread of the test that waits for it.
    nonisolated(unsafe) let body = body
    return NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
      body($0)
    }
  }

  @Test("a reset names the new objects that only the context held (F39, B350)")
  func resetOfNewObjects() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    func insert() { Recipe(context: context).title = "Soup" }
    insert()
    context.processPendingChanges()
    var named: [Int] = []
    let token = listen(.NSManagedObjectContextObjectsDidChange, context) {
      let ids = $0.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
      named.append(ids?.count ?? -1)
    }
    context.reset()
    NotificationCenter.default.removeObserver(token)
    #expect(named == [1])
  }

  @Test("a save without changes is told under Core Data's names, with empty sets (F45)")
  func emptySave() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    var heard: [String] = []
    let tokens = [
      listen(.NSManagedObjectContextWillSave, context) { _ in heard.append("will") },
      listen(.NSManagedObjectContextDidSave, context) {
        let inserted = $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
        heard.append("did \(inserted?.count ?? 0)")
      },
    ]
    try context.save()
    for token in tokens { NotificationCenter.default.removeObserver(token) }
    #expect(heard == ["will", "did 0"])
  }

  @Test("what observers change before a save without changes belongs to it (B101)")
  func changeBeforeEmptySave() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    var isFirst = true
    let token = listen(.NSManagedObjectContextWillSave, context) { _ in
      if isFirst { Recipe(context: context).title = "Soup" }
      isFirst = false
    }
    try context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(!context.hasChanges)
    #expect(try context.count(for: Recipe.fetchRequest()) == 1)
  }

  @Test("an object that a merge deleted is registered until changes are processed (F35)")
  func mergedDeletion() throws {
    let container = try CoreDataStack(inMemory: true).container
    let context = container.newBackgroundContext()
    let soup = Recipe(context: context)
    soup.title = "Soup"
    try context.save()
    let other = container.newBackgroundContext()
    let token = listen(.NSManagedObjectContextDidSave, other) {
      context.mergeChanges(fromContextDidSave: $0)
    }
    try other.performAndWait {
      other.delete(other.object(with: soup.objectID))
      try other.save()
    }
    NotificationCenter.default.removeObserver(token)
    #expect(context.registeredObjects == [soup])
    #expect(context.deletedObjects == [soup])
    context.processPendingChanges()
    #expect(context.registeredObjects.isEmpty)
  }

  @Test("a save of a context that reads one moment tells the next one (F45, B294)")
  func generationOfSave() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try CoreDataStack(folder: folder).container
    let context = container.newBackgroundContext()
    var tokens: [NSQueryGenerationToken?] = []
    let token = listen(.NSManagedObjectContextDidSave, context) {
      let key = NSManagedObjectContext.NotificationKey.queryGeneration.rawValue
      tokens.append($0.userInfo?[key] as? NSQueryGenerationToken)
    }
    Recipe(context: context).title = "Soup"
    try context.save()
    try context.setQueryGenerationFrom(.current)
    Recipe(context: context).title = "Stew"
    try context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(tokens.count == 2)
    #expect(tokens.first == .some(nil))
    #expect(tokens.last == context.queryGenerationToken && tokens.last != .some(nil))
  }

  @Test("a new object that became a fault stays to be inserted when a fetch reads it (B344)")
  func fetchOfNewFault() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    let soup = Recipe(context: context)
    soup.title = "Soup"
    context.refresh(soup, mergeChanges: false)
    #expect(soup.isFault)
    let request = NSFetchRequest<Recipe>(entityName: "Recipe")
    request.returnsObjectsAsFaults = false
    #expect(try context.fetch(request) == [soup])
    #expect(!soup.isFault)
    #expect(soup.isInserted)
    #expect(context.insertedObjects == [soup])
    context.refresh(soup, mergeChanges: false)
    #expect(try context.existingObject(with: soup.objectID) === soup)
    try context.save()
    #expect(try context.count(for: request) == 1)
  }

  @Test("an object of a context that was reset is a fault with what was saved last (F45)")
  func objectsOfResetContext() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    let soup = Recipe(context: context)
    soup.title = "Soup"
    try context.save()
    soup.title = "Stew"
    context.reset()
    #expect(soup.managedObjectContext == nil)
    #expect(soup.isFault)
    soup.willAccessValue(forKey: nil)
    #expect(!soup.isFault)
    #expect(soup.title == "Soup")
  }

  @Test("a column without an expression is the property of its name (F45)")
  func columnOfName() throws {
    let context = try CoreDataStack(inMemory: true).container.newBackgroundContext()
    Recipe(context: context).title = "Soup"
    try context.save()
    let column = NSExpressionDescription()
    column.name = "title"
    let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    #expect(try context.fetch(request) as? [[String: String]] == [["title": "Soup"]])
    column.name = "nothing"
    #expect(throws: NSError.self) { try context.fetch(request) }
  }

  @Test("a switch over all concurrency types compiles as it is (F45)")
  func concurrencyTypes() {
    func name(_ type: NSManagedObjectContextConcurrencyType) -> String {
      switch type {
      case .confinementConcurrencyType: "none"
      case .privateQueueConcurrencyType: "own"
      case .mainQueueConcurrencyType: "main"
      }
    }
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    #expect(name(context.concurrencyType) == "main")
    #expect(name(.privateQueueConcurrencyType) == "own")
  }
}
