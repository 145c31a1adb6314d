// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames
import XCTest

/// The notifications that observers received.
private final class Heard: @unchecked Sendable {
  // Sendable: all observers are called on the thread of the test.
  var inserted: Set<NSManagedObject> = []
  var willSave = 0
  var changed = 0
}

final class ContextTests: XCTestCase {

  private var stack: LibraryStack!
  private var context: NSManagedObjectContext { stack.managedContext }

  override func setUpWithError() throws {
    try super.setUpWithError()
    stack = LibraryStack(modelName: "Library")
  }

  func testChildContext() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    let expectation = self.expectation(description: "saved")
    child.perform {
      let author = Author(context: child)
      author.name = "Child"
      do { try child.save() } catch { XCTFail("\(error)") }
      expectation.fulfill()
    }
    waitForExpectations(timeout: 60)
    XCTAssertTrue(context.hasChanges)
    XCTAssertEqual(context.insertedObjects.count, 1)
    let fetched = try context.fetch(Author.fetchRequest() as NSFetchRequest<Author>)
    XCTAssertEqual(fetched.first?.name, "Child")
    stack.saveContext()
    XCTAssertFalse(context.hasChanges)
  }

  func testNotifications() throws {
    let center = NotificationCenter.default
    let heard = Heard()
    let saveExpectation = expectation(
      forNotification: .NSManagedObjectContextDidSave, object: context
    ) { notification in
      heard.inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
      return true
    }
    let token = center.addObserver(
      forName: NSNotification.Name.NSManagedObjectContextWillSave, object: context, queue: nil
    ) { note in
      XCTAssertTrue((note.object as? NSManagedObjectContext) === self.context)
      heard.willSave += 1
    }
    let changeToken = center.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: .none
    ) { note in
      if let objects = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>,
        !objects.isEmpty
      {
        heard.changed += 1
      }
    }
    let author = Author(context: context)
    author.name = "Dora"
    try context.save()
    wait(for: [saveExpectation], timeout: 60)
    XCTAssertEqual(heard.inserted, [author])
    author.name = "Dorothy"
    context.processPendingChanges()
    XCTAssertEqual(heard.changed, 1)
    try context.save()
    XCTAssertEqual(heard.willSave, 2)
    center.removeObserver(token)
    center.removeObserver(changeToken)
  }

  func testMergeFromBackground() throws {
    let author = Author(context: context)
    author.name = "Eve"
    try context.save()
    let background = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    background.persistentStoreCoordinator = stack.psc
    background.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: background, queue: nil
    ) { [unowned self] notification in
      self.context.perform { self.context.mergeChanges(fromContextDidSave: notification) }
    }
    let id = author.objectID
    background.performAndWait {
      let same = background.object(with: id) as! Author
      same.name = "Eva"
      try! background.save()
    }
    let merged = expectation(description: "merged")
    context.perform { merged.fulfill() }
    wait(for: [merged], timeout: 60)
    NotificationCenter.default.removeObserver(token)
    context.performAndWait { XCTAssertEqual(author.name, "Eva") }
    XCTAssertNotNil(context.registeredObject(for: id))
    XCTAssertEqual(try context.existingObject(with: id) as? Author, author)
    let uri = id.uriRepresentation()
    XCTAssertEqual(stack.psc.managedObjectID(forURIRepresentation: uri), id)
  }

  func testConflict() throws {
    let author = Author(context: context)
    author.name = "Fay"
    author.rating = 1
    try context.save()
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = stack.psc
    other.performAndWait {
      let same = try! other.existingObject(with: author.objectID) as! Author
      same.rating = 2
      try! other.save()
    }
    author.rating = 3
    XCTAssertThrowsError(try context.save()) { error in
      let error = error as NSError
      XCTAssertEqual(error.code, NSManagedObjectMergeError)
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      XCTAssertEqual(conflicts?.count, 1)
      XCTAssertEqual(conflicts?.first?.sourceObject, author)
      XCTAssertEqual(conflicts?.first?.newVersionNumber, 2)
    }
    context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    try context.save()
    other.performAndWait {
      other.refreshAllObjects()
      let same = try! other.existingObject(with: author.objectID) as! Author
      XCTAssertEqual(same.rating, 3)
    }
  }

  final class CountingPolicy: NSMergePolicy, @unchecked Sendable {
    // Sendable: the test saves on one thread.
    var count = 0
    init() { super.init(merge: .overwriteMergePolicyType) }
    override func resolve(mergeConflicts list: [Any]) throws {
      count += list.count
      try super.resolve(mergeConflicts: list)
    }
  }

  func testMergePolicySubclass() throws {
    let author = Author(context: context)
    author.name = "Gil"
    try context.save()
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = stack.psc
    other.performAndWait {
      let same = try! other.existingObject(with: author.objectID) as! Author
      same.rating = 2
      try! other.save()
    }
    let policy = CountingPolicy()
    context.mergePolicy = policy
    author.rating = 3
    try context.save()
    XCTAssertEqual(policy.count, 1)
  }

  func testUndo() throws {
    context.undoManager = UndoManager()
    let author = Author(context: context)
    author.name = "Hal"
    context.processPendingChanges()
    try context.save()
    context.undoManager?.removeAllActions()
    context.undoManager?.beginUndoGrouping()
    author.name = "Hank"
    context.processPendingChanges()
    context.undoManager?.endUndoGrouping()
    context.undo()
    XCTAssertEqual(author.name, "Hal")
    XCTAssertTrue(context.undoManager!.canRedo)
    context.redo()
    XCTAssertEqual(author.name, "Hank")
    context.undoManager?.undo()
    XCTAssertEqual(author.name, "Hal")
    context.undoManager?.disableUndoRegistration()
    context.undoManager?.enableUndoRegistration()
    let manager: UndoManager? = context.undoManager as? UndoManager
    XCTAssertNotNil(manager)
    manager?.levelsOfUndo = 10
    manager?.setActionName("x")
  }

  func testResetRollbackDelete() throws {
    let author = Author(context: context)
    author.name = "Ida"
    let book = Book(context: context)
    book.author = author
    try context.save()
    context.delete(author)
    XCTAssertTrue(author.isDeleted)
    XCTAssertEqual(context.deletedObjects, [author])
    context.rollback()
    XCTAssertFalse(author.isDeleted)
    context.delete(author)
    try context.save()
    XCTAssertNil(author.managedObjectContext)
    XCTAssertEqual(try context.count(for: Book.fetchRequest()), 0)
    context.reset()
    XCTAssertTrue(context.registeredObjects.isEmpty)
  }

  func testAsync() async throws {
    let container = PersistenceController(inMemory: true).container
    let context = container.newBackgroundContext()
    try await context.perform {
      let author = Author(context: context)
      author.name = "Jon"
      try context.save()
    }
    let count = try await context.perform { try context.count(for: Author.fetchRequest()) }
    XCTAssertEqual(count, 1)
    let names = try await container.performBackgroundTask { context in
      try context.fetch(Author.fetchRequest() as NSFetchRequest<Author>).compactMap { $0.name }
    }
    XCTAssertEqual(names, ["Jon"])
    await container.viewContext.perform(schedule: .immediate) {
      XCTAssertTrue(container.viewContext.registeredObjects.isEmpty)
    }
  }

  func testBackgroundTask() throws {
    let container = PersistenceController.preview.container
    let done = expectation(description: "task")
    container.performBackgroundTask { context in
      XCTAssertEqual(context.concurrencyType, .privateQueueConcurrencyType)
      let fetched = try? context.fetch(Author.fetchRequest() as NSFetchRequest<Author>)
      fetched?.first?.name = "Jonas"
      XCTAssertEqual(context.updatedObjects.count, 1)
      try? context.save()
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }

  func testObtainPermanentIDs() throws {
    let author = Author(context: context)
    author.name = "Kim"
    XCTAssertTrue(author.objectID.isTemporaryID)
    try context.obtainPermanentIDs(for: [author])
    XCTAssertFalse(author.objectID.isTemporaryID)
    XCTAssertEqual(author.objectID.entity.name, "Author")
    XCTAssertEqual(author.objectID.persistentStore?.type, NSInMemoryStoreType)
    let missing = author.objectID
    context.delete(author)
    try context.save()
    XCTAssertThrowsError(try context.existingObject(with: missing)) {
      XCTAssertEqual(($0 as NSError).code, NSManagedObjectReferentialIntegrityError)
    }
  }
}
