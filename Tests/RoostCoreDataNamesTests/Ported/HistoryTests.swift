// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames
import TestWaiting
import XCTest

/// The flow that Core Data's documentation shows for an app and its extension, as it would be typed there.
class HistoryTests: XCTestCase {
  private var url: URL!
  private var app: NSPersistentContainer!
  private var shareExtension: NSPersistentContainer!

  override func setUpWithError() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .appendingPathExtension("sqlite")
    app = try container()
    shareExtension = try container()
  }

  override func tearDown() {
    for container in [app, shareExtension] {
      let coordinator = container!.persistentStoreCoordinator
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  /// The model, with a title that is preserved after a deletion, as the model editor's check box does it.
  private static let model: NSManagedObjectModel = {
    let model = PersistenceController.managedObjectModel.copy()
    model.entitiesByName["Book"]?.attributesByName["title"]?.preservesValueInHistoryOnDeletion =
      true
    return model
  }()

  private func container() throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Self.model)
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    container.persistentStoreDescriptions = [description]
    var failure: Error?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
  }

  /// The app merges what the extension saved, keeps the token, and purges (H15, B285, B286, B287).
  func testAppFollowsExtension() throws {
    let viewContext = app.viewContext
    var lastToken: NSPersistentHistoryToken? = app.persistentStoreCoordinator
      .currentPersistentHistoryToken(fromStores: nil)
    XCTAssertNotNil(lastToken)

    let background = shareExtension.newBackgroundContext()
    background.transactionAuthor = "extension"
    background.name = "share"
    try background.performAndWait {
      let book = Book(context: background)
      book.title = "Shared"
      try background.save()
      book.pages = 7
      try background.save()
    }

    let fetchHistory = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
    let result = try viewContext.execute(fetchHistory) as? NSPersistentHistoryResult
    let history = result?.result as? [NSPersistentHistoryTransaction] ?? []
    XCTAssertEqual(history.map(\.author), ["extension", "extension"])
    XCTAssertEqual(history.map(\.contextName), ["share", "share"])
    XCTAssertEqual(history.first?.changes?.first?.changeType, .insert)
    XCTAssertEqual(
      history.last?.changes?.first?.updatedProperties?.map(\.name), ["pages"])
    for transaction in history {
      viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      lastToken = transaction.token
    }
    let request = NSFetchRequest<Book>(entityName: "Book")
    XCTAssertEqual(try viewContext.fetch(request).map(\.pages), [7])

    let data = try JSONEncoder().encode(lastToken)
    let kept = try JSONDecoder().decode(NSPersistentHistoryToken.self, from: data)
    let purge = NSPersistentHistoryChangeRequest.deleteHistory(before: kept)
    try viewContext.execute(purge)
    let rest = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    rest.resultType = .count
    let count = try viewContext.execute(rest) as? NSPersistentHistoryResult
    XCTAssertEqual(count?.result as? Int, 1)
  }

  /// The app is notified of the extension's saves, reads the history after its token, and takes a deleted book from
  /// its index by the tombstone (H6, H15, B284, B289).
  func testAppIsToldOfExtension() throws {
    let index = TitleIndex(of: app)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: app.persistentStoreCoordinator, queue: nil
    ) { index.storeRemoteChange($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let background = shareExtension.newBackgroundContext()
    try background.performAndWait {
      for title in ["deleted", "kept"] { Book(context: background).title = title }
      try background.save()
    }
    try waitUntil(index.titles == ["deleted", "kept"])
    try background.performAndWait {
      let request = NSFetchRequest<Book>(entityName: "Book")
      request.predicate = NSPredicate(format: "title == %@", "deleted")
      for book in try background.fetch(request) { background.delete(book) }
      try background.save()
    }
    try waitUntil(index.titles == ["kept"])
    XCTAssertEqual(index.urls, [url.path])
  }

  /// A long history is read in batches (H14).
  func testBatches() throws {
    let context = app.viewContext
    for number in 0..<5 {
      Book(context: context).title = "book \(number)"
      try context.save()
    }
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
    request.fetchRequest?.fetchBatchSize = 2
    let result = try context.execute(request) as? NSPersistentHistoryResult
    XCTAssertEqual((result?.result as? [NSPersistentHistoryTransaction])?.count, 5)
  }

  /// The token is kept as in Core Data's documentation, by a keyed archive (H11).
  func testArchivedToken() throws {
    let context = app.viewContext
    Book(context: context).title = "one"
    try context.save()
    let token = try XCTUnwrap(
      app.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let kept = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self, from: data)
    XCTAssertEqual(kept, token)
    Book(context: context).title = "two"
    try context.save()
    let later = NSPersistentHistoryChangeRequest.fetchHistory(after: kept)
    let result = try context.execute(later) as? NSPersistentHistoryResult
    XCTAssertEqual((result?.result as? [NSPersistentHistoryTransaction])?.count, 1)
    let foreign = try NSKeyedArchiver.archivedData(
      withRootObject: NSString("token"), requiringSecureCoding: true)
    for damaged in [Data(), data.dropLast(9), foreign, Data([1, 2, 3])] {
      do {
        _ = try NSKeyedUnarchiver.unarchivedObject(
          ofClass: NSPersistentHistoryToken.self, from: damaged)
        XCTFail("a damaged token was read")
      } catch let error as NSError {
        XCTAssertEqual(error.code, NSPersistentHistoryTokenExpiredError)
      }
    }
  }

  /// Transactions of other authors, and the changes of one object, are found by fetch requests (H14).
  func testFetchRequests() throws {
    let context = app.viewContext
    let book = Book(context: context)
    for author in ["app", "import", "app"] {
      context.transactionAuthor = author
      book.title = author
      book.pages += 1
      try context.save()
    }
    let start = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    guard let fetchRequest = NSPersistentHistoryTransaction.fetchRequest else {
      return XCTFail("there is no request")
    }
    fetchRequest.predicate = NSPredicate(format: "author != %@", "import")
    start.fetchRequest = fetchRequest
    let result = try context.execute(start) as? NSPersistentHistoryResult
    let history = result?.result as? [NSPersistentHistoryTransaction] ?? []
    XCTAssertEqual(history.map(\.author), ["app", "app"])

    let changes = NSFetchRequest<NSFetchRequestResult>()
    changes.entity = NSPersistentHistoryChange.entityDescription(with: context)
    changes.predicate = NSPredicate(
      format: "%K == %@ AND changeType == %d", "changedObjectID", book.objectID,
      NSPersistentHistoryChangeType.update.rawValue)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
    request.resultType = .changesOnly
    let found = try context.execute(request) as? NSPersistentHistoryResult
    XCTAssertEqual((found?.result as? [NSPersistentHistoryChange])?.count, 2)

    fetchRequest.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: true)]
    XCTAssertThrowsError(
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetchRequest)))
  }

  /// A token whose transactions were purged is reported by its error code (B286).
  func testExpiredToken() throws {
    let context = app.viewContext
    for title in ["one", "two", "three"] {
      Book(context: context).title = title
      try context.save()
    }
    let all = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
    let result = try context.execute(all) as? NSPersistentHistoryResult
    let history = try XCTUnwrap(result?.result as? [NSPersistentHistoryTransaction])
    let first = try XCTUnwrap(history.first?.token)
    try context.execute(
      NSPersistentHistoryChangeRequest.deleteHistory(before: history.last?.token))
    do {
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: first))
      XCTFail("an expired token was accepted")
    } catch let error as NSError {
      XCTAssertEqual(error.code, NSPersistentHistoryTokenExpiredError)
    }
  }
}

/// The titles of all books, as an app keeps them for a search, from the history alone.
private final class TitleIndex: @unchecked Sendable {
  // Sendable: the state is used under the lock.
  private let lock = NSLock()
  private let container: NSPersistentContainer
  private var lastToken: NSPersistentHistoryToken?
  private var found: Set<String> = []
  private var paths: Set<String> = []

  init(of container: NSPersistentContainer) {
    self.container = container
    lastToken = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
  }

  var titles: Set<String> { lock.withLock { found } }
  var urls: Set<String> { lock.withLock { paths } }

  func storeRemoteChange(_ notification: Notification) {
    let userInfo = notification.userInfo ?? [:]
    guard userInfo[NSStoreUUIDKey] is String,
      userInfo[NSPersistentHistoryTokenKey] is NSPersistentHistoryToken,
      let url = userInfo[NSPersistentStoreURLKey] as? URL
    else { return }
    lock.withLock {
      paths.insert(url.path)
      let context = container.newBackgroundContext()
      context.performAndWait { read(in: context) }
    }
  }

  private func read(in context: NSManagedObjectContext) {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
    let result = try? context.execute(request) as? NSPersistentHistoryResult
    for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
      for change in transaction.changes ?? [] {
        if change.changeType == .delete {
          if let title = change.tombstone?["title"] as? String { found.remove(title) }
        } else if let book = try? context.existingObject(with: change.changedObjectID) as? Book {
          found.insert(book.title ?? "")
        }
      }
      lastToken = transaction.token
    }
  }
}
