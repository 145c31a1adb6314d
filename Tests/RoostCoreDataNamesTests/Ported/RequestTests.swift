// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames
import XCTest

class RequestTests: XCTestCase {
  var container: NSPersistentContainer!
  var context: NSManagedObjectContext { container.viewContext }

  override func setUp() {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .appendingPathExtension("sqlite")
    container = NSPersistentContainer(
      name: "Library", managedObjectModel: PersistenceController.managedObjectModel)
    let description = NSPersistentStoreDescription(url: url)
    description.type = NSSQLiteStoreType
    description.shouldMigrateStoreAutomatically = true
    description.shouldInferMappingModelAutomatically = true
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setValue("WAL" as NSObject, forPragmaNamed: "journal_mode")
    container.persistentStoreDescriptions = [description]
    var error: Error?
    container.loadPersistentStores { error = $1 }
    XCTAssertNil(error)
    for index in 0..<10 {
      let book = Book(context: context)
      book.title = "Book \(index)"
      book.pages = Int16(index)
      book.kindRaw = Int16(index % 2)
    }
    try! context.save()
  }

  override func tearDown() {
    for store in container.persistentStoreCoordinator.persistentStores {
      let url = store.url!
      try? container.persistentStoreCoordinator.remove(store)
      try? container.persistentStoreCoordinator.destroyPersistentStore(
        at: url, ofType: NSSQLiteStoreType, options: nil)
    }
    container = nil
  }

  func testAggregates() throws {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    let sum = NSExpressionDescription()
    sum.name = "sum"
    sum.expression = FetchExpression(
      forFunction: "sum:", arguments: [FetchExpression(forKeyPath: "pages")])
    sum.expressionResultType = .integer64AttributeType
    let keyPath = FetchExpression(forKeyPath: \Book.pages)
    let max = NSExpressionDescription()
    max.name = "max"
    max.expression = FetchExpression(forFunction: "max:", arguments: [keyPath])
    max.expressionResultType = .integer16AttributeType
    let count = NSExpressionDescription()
    count.name = "count"
    count.expression = FetchExpression(format: "count:(title)")
    count.resultType = .integer64
    request.propertiesToFetch = [sum, max, count]
    let result = try context.fetch(request).first
    XCTAssertEqual(result?["sum"] as? Int, 45)
    XCTAssertEqual(result?["max"] as? Int16, 9)
    XCTAssertEqual(result?["count"] as? Int, 10)

    let grouped = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    grouped.propertiesToFetch = ["kindRaw", sum]
    grouped.propertiesToGroupBy = ["kindRaw"]
    grouped.havingPredicate = NSPredicate(format: "%K > 20", "sum")
    grouped.resultType = .dictionaryResultType
    grouped.sortDescriptors = [NSSortDescriptor(key: "kindRaw", ascending: true)]
    let rows = try context.fetch(grouped) as? [[String: AnyObject]]
    XCTAssertEqual(rows?.count, 1)
    XCTAssertEqual((rows?.first?["sum"] as? NSNumber)?.intValue, 25)
    let distinct = NSFetchRequest<NSDictionary>(entityName: "Book")
    distinct.resultType = NSFetchRequestResultType.dictionaryResultType
    distinct.propertiesToFetch = [Book.entity().attributesByName["kindRaw"]!]
    distinct.returnsDistinctResults = true
    XCTAssertEqual(try context.fetch(distinct).count, 2)
  }

  func testBatchDelete() throws {
    let fetch: NSFetchRequest<NSFetchRequestResult> = NSFetchRequest(entityName: "Book")
    fetch.predicate = NSPredicate(format: "pages < 4")
    let batch = NSBatchDeleteRequest(fetchRequest: fetch)
    batch.resultType = .resultTypeObjectIDs
    let result: NSBatchDeleteResult = try context.execute(batch)
    let ids = result.result as? [NSManagedObjectID] ?? []
    XCTAssertEqual(ids.count, 4)
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
    XCTAssertEqual(try context.count(for: Book.fetchRequest()), 6)
    let second = NSBatchDeleteRequest(fetchRequest: Book.fetchRequest())
    try container.persistentStoreCoordinator.execute(second, with: context)
    XCTAssertEqual(try context.count(for: Book.fetchRequest()), 0)
    let third = NSBatchDeleteRequest(objectIDs: [])
    _ = third
  }

  func testBatchUpdate() throws {
    let batch = NSBatchUpdateRequest(entityName: "Book")
    batch.predicate = NSPredicate(format: "pages >= %d", 5)
    batch.propertiesToUpdate = ["isRead": true, "price": NSDecimalNumber(value: 3)]
    batch.resultType = .updatedObjectIDsResultType
    let result: NSBatchUpdateResult = try context.execute(batch)
    let changes: [AnyHashable: Any] = [NSUpdatedObjectsKey: result.result as! [NSManagedObjectID]]
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.predicate = NSPredicate(format: "isRead = true")
    XCTAssertEqual(try context.fetch(request).map { $0.price! }, Array(repeating: 3, count: 5))
    let other = NSBatchUpdateRequest(entity: Book.entity())
    other.propertiesToUpdate = ["pages": FetchExpression(format: "pages + 1")]
    other.resultType = .updatedObjectsCountResultType
    XCTAssertEqual(try context.execute(other).result as? Int, 10)
  }

  func testBatchInsert() throws {
    let rows: [[String: Any]] = (0..<3).map { ["title": "New \($0)", "pages": $0] }
    let batch = NSBatchInsertRequest(entity: Book.entity(), objects: rows)
    batch.resultType = .count
    let result: NSBatchInsertResult = try context.execute(batch)
    XCTAssertEqual(result.result as? Int, 3)
    var index = 0
    let handler = NSBatchInsertRequest(
      entity: Book.entity(),
      managedObjectHandler: { object in
        guard index < 5 else { return true }
        (object as! Book).title = "Handled \(index)"
        index += 1
        return false
      })
    handler.resultType = .objectIDs
    let inserted: NSBatchInsertResult = try context.execute(handler)
    XCTAssertEqual((inserted.result as? [NSManagedObjectID])?.count, 5)
    var n = 0
    let dictionaries = NSBatchInsertRequest(
      entityName: "Book",
      dictionaryHandler: { (dictionary: inout [String: Any]) -> Bool in
        guard n < 2 else { return true }
        dictionary["title"] = "D\(n)"
        n += 1
        return false
      })
    try context.execute(dictionaries)
    XCTAssertEqual(try context.count(for: Book.fetchRequest()), 20)
  }

  func testAsynchronousFetch() throws {
    let expectation = self.expectation(description: "async")
    let fetch: NSFetchRequest<Book> = Book.fetchRequest()
    let request = NSAsynchronousFetchRequest<Book>(fetchRequest: fetch) {
      (result: NSAsynchronousFetchResult<Book>) in
      XCTAssertEqual(result.finalResult?.count, 10)
      expectation.fulfill()
    }
    try context.execute(request)
    waitForExpectations(timeout: 60)
  }

  func testTemplates() throws {
    let model = container.managedObjectModel
    let request = model.fetchRequestFromTemplate(
      withName: "BooksByTitle", substitutionVariables: ["TITLE": "Book 3"])!
    let books = try context.fetch(request) as! [Book]
    XCTAssertEqual(books.count, 1)
    XCTAssertNotNil(model.fetchRequestTemplate(forName: "AllBooks"))
    XCTAssertNil(model.fetchRequestTemplate(forName: "nothing"))
    XCTAssertEqual(model.entities.count, 4)
    XCTAssertNotNil(model.entitiesByName["Topic"])
    XCTAssertEqual(model.versionIdentifiers, ["1.0"])
  }

  func testMetadata() throws {
    let coordinator = container.persistentStoreCoordinator
    let store = coordinator.persistentStores.first!
    XCTAssertEqual(store.type, NSSQLiteStoreType)
    var metadata = coordinator.metadata(for: store)
    XCTAssertEqual(metadata[NSStoreTypeKey] as? String, NSSQLiteStoreType)
    XCTAssertEqual(metadata[NSStoreUUIDKey] as? String, store.identifier)
    metadata["lastSync"] = "yesterday"
    coordinator.setMetadata(metadata, for: store)
    Book(context: context).title = "x"
    try context.save()
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: store.url!, options: nil)
    XCTAssertEqual(read["lastSync"] as? String, "yesterday")
    XCTAssertTrue(
      container.managedObjectModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: read)
    )
    XCTAssertEqual(store.isReadOnly, false)
    XCTAssertNotNil(coordinator.persistentStore(for: store.url!))
    let copy = store.url!.deletingLastPathComponent().appendingPathComponent(
      UUID().uuidString + ".sqlite")
    let migrated = try coordinator.migratePersistentStore(
      store, to: copy, options: nil, withType: NSSQLiteStoreType)
    XCTAssertEqual(migrated.url, copy)
  }

  func testBatchSizeAndPrefetching() throws {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.fetchBatchSize = 3
    request.relationshipKeyPathsForPrefetching = ["author", "chapters"]
    request.returnsObjectsAsFaults = false
    request.includesSubentities = false
    request.shouldRefreshRefetchedObjects = true
    request.includesPendingChanges = false
    request.fetchOffset = 2
    XCTAssertEqual(try context.fetch(request).count, 8)
    XCTAssertEqual(request.entityName, "Book")
    let copy = request.copy()
    XCTAssertEqual(copy.fetchOffset, 2)
  }
}
