// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames
import XCTest

class ListModel: NSObject, NSFetchedResultsControllerDelegate {
  let controller: NSFetchedResultsController<Book>
  var log: [String] = []
  var objects: [Any] = []

  init(context: NSManagedObjectContext, section: String? = nil) {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "kindRaw", ascending: true),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    super.init()
    controller.delegate = self
  }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    log.append("will")
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: log.append("section+\(sectionIndex)")
    case .delete: log.append("section-\(sectionIndex)")
    default: break
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    XCTAssertTrue(controller == self.controller)
    objects.append(anObject)
    switch type {
    case .insert: log.append("insert \(newIndexPath!.section),\(newIndexPath!.row)")
    case .delete: log.append("delete \(indexPath!.section),\(indexPath!.item)")
    case .update: log.append("update \((anObject as! Book).title!)")
    case .move: log.append("move")
    @unknown default: fatalError()
    }
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    log.append("did")
  }
}

class ControllerTests: XCTestCase {
  func testList() throws {
    let container = PersistenceController(inMemory: true).container
    let context = container.viewContext
    let list = ListModel(context: context, section: "kindRaw")
    try list.controller.performFetch()
    XCTAssertEqual(list.controller.fetchedObjects?.count, 0)
    let book = Book(context: context)
    book.title = "A"
    context.processPendingChanges()
    XCTAssertEqual(list.log, ["will", "section+0", "insert 0,0", "did"])
    list.log = []
    book.title = "B"
    try context.save()
    XCTAssertEqual(list.log, ["will", "update B", "did"])
    XCTAssertEqual(list.controller.sections?.count, 1)
    XCTAssertEqual(list.controller.sections?[0].numberOfObjects, 1)
    XCTAssertEqual(list.controller.sections?.first?.name, "0")
    XCTAssertEqual(list.controller.object(at: IndexPath(row: 0, section: 0)), book)
    XCTAssertEqual(list.controller.indexPath(forObject: book), IndexPath(item: 0, section: 0))
    list.log = []
    context.delete(book)
    context.processPendingChanges()
    XCTAssertEqual(list.log, ["will", "section-0", "delete 0,0", "did"])
    list.controller.fetchRequest.predicate = NSPredicate(format: "title == 'none'")
    try list.controller.performFetch()
    XCTAssertEqual(list.controller.fetchedObjects, [])
    XCTAssertEqual(list.objects.count, 3)
  }

  // Without a delegate changes are not tracked (B315).
  func testWithoutDelegate() throws {
    let context = PersistenceController(inMemory: true).container.viewContext
    let list = ListModel(context: context)
    list.controller.delegate = nil
    try list.controller.performFetch()
    Book(context: context).title = "A"
    context.processPendingChanges()
    XCTAssertEqual(list.controller.fetchedObjects?.count, 0)
    try list.controller.performFetch()
    XCTAssertEqual(list.controller.fetchedObjects?.count, 1)
  }
}
