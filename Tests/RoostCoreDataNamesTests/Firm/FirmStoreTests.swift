// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

/// Descriptions, stores and models as programs for Core Data see them.
final class FirmStoreTests: FirmTestCase {
  private func load(
    _ url: URL?, _ edit: (NSPersistentStoreDescription) -> Void
  ) -> (container: NSPersistentContainer, error: NSError?) {
    let container = NSPersistentContainer(name: "Firms", managedObjectModel: FirmModel.make())
    let description = NSPersistentStoreDescription()
    if let url { description.url = url }
    edit(description)
    container.persistentStoreDescriptions = [description]
    var failure: NSError?
    container.loadPersistentStores { failure = $1 as NSError? }
    return (container, failure)
  }

  private func temporaryURL() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
  }

  /// A new description describes a SQLite store in memory (B331).
  func testDefaultsOfADescription() throws {
    let description = NSPersistentStoreDescription()
    XCTAssertEqual(description.type, NSSQLiteStoreType)
    XCTAssertEqual(description.url?.path, "/dev/null")
    XCTAssertEqual(description.timeout, 240)
    XCTAssertEqual(
      Set(description.options.keys),
      [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption])
    description.shouldInferMappingModelAutomatically = false
    let option = description.options[NSInferMappingModelAutomaticallyOption]
    XCTAssertEqual(option as? NSNumber, false)
    XCTAssertNil(load(nil) { _ in }.error)
  }

  /// In-memory stores share no data, whatever their URL.
  func testStoresInMemoryAreApart() throws {
    let first = load(temporaryURL()) { $0.type = NSInMemoryStoreType }
    let url = try XCTUnwrap(first.container.persistentStoreDescriptions.first?.url)
    let second = load(url) { $0.type = NSInMemoryStoreType }
    Firm(context: first.container.viewContext).name = "A"
    try first.container.viewContext.save()
    XCTAssertEqual(try second.container.viewContext.count(for: Firm.fetchRequest()), 0)
    XCTAssertNil(first.error ?? second.error)
  }

  func testReadOnlyStores() throws {
    let url = temporaryURL()
    XCTAssertEqual(
      load(url) { $0.isReadOnly = true }.error?.code,
      CocoaError.Code.fileReadNoSuchFile.rawValue)
    let written = load(url) { _ in }
    Firm(context: written.container.viewContext).name = "A"
    try written.container.viewContext.save()
    let read = load(url) { $0.isReadOnly = true }
    XCTAssertEqual(try read.container.viewContext.count(for: Firm.fetchRequest()), 1)
    Firm(context: read.container.viewContext).name = "B"
    XCTAssertThrowsError(try read.container.viewContext.save()) {
      XCTAssertEqual(($0 as NSError).code, CocoaError.Code.fileWriteNoPermission.rawValue)
    }
    for coordinator in [written, read].map(\.container.persistentStoreCoordinator) {
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    try container.persistentStoreCoordinator.destroyPersistentStore(
      at: url, ofType: NSSQLiteStoreType)
  }

  /// An ID of another store has no object here (B42).
  func testIDsOfAnotherStore() throws {
    let other = load(nil) { _ in }.container
    let stranger = Firm(context: other.viewContext)
    stranger.name = "A"
    try other.viewContext.save()
    XCTAssertThrowsError(try context.existingObject(with: stranger.objectID)) {
      XCTAssertEqual(($0 as NSError).code, NSManagedObjectReferentialIntegrityError)
    }
  }

  /// An option that switches the WAL off is accepted, but the store keeps its WAL.
  func testPragmasOfTheLog() throws {
    let url = temporaryURL()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: FirmModel.make())
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE", "synchronous": "OFF"]])
    XCTAssertTrue(FileManager.default.fileExists(atPath: url.path + "-wal"))
    XCTAssertEqual(coordinator.persistentStore(for: url)?.identifier, store.identifier)
    try coordinator.remove(store)
    let described = load(url) { $0.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode") }
    XCTAssertNil(described.error)
    let again = described.container.persistentStoreCoordinator
    try again.remove(again.persistentStores[0])
    try again.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
  }

  func testStoresWithoutAPlaceAreFound() throws {
    let coordinator = container.persistentStoreCoordinator
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    let url = try XCTUnwrap(store.url)
    XCTAssertEqual(coordinator.persistentStore(for: url)?.identifier, store.identifier)
    XCTAssertEqual(store.metadata[NSStoreTypeKey] as? String, NSSQLiteStoreType)
    XCTAssertEqual(store.metadata[NSStoreUUIDKey] as? String, store.identifier)
    XCTAssertNil(store.options?[NSReadOnlyPersistentStoreOption])
  }

  /// A store can be extended, compared and read for its metadata like an object of Core Data's class (F42).
  func testStoresAreUsedAsAClass() throws {
    let coordinator = container.persistentStoreCoordinator
    let store: NSPersistentStore = try XCTUnwrap(coordinator.persistentStores.first)
    XCTAssertTrue(store == store && coordinator.persistentStores.first == store)
    XCTAssertFalse(store != store || coordinator.persistentStores.first != store)
    XCTAssertTrue(coordinator.persistentStores.contains(store) && store.isFirst)
    XCTAssertEqual(coordinator.persistentStores.firstIndex(of: store), 0)
    let none: NSPersistentStore? = nil
    XCTAssertTrue(none == nil && none != store)
    var metadata = store.metadata
    metadata?["imported"] = "today"
    coordinator.setMetadata(metadata, for: store)
    XCTAssertEqual(coordinator.metadata(for: store)["imported"] as? String, "today")
    try container.viewContext.save()
    let saved: [String: Any] = store.metadata
    XCTAssertEqual(saved["imported"] as? String, "today")
    XCTAssertEqual(saved[NSStoreTypeKey] as? String, NSSQLiteStoreType)
    XCTAssertTrue(store.metadata.keys.contains(NSStoreUUIDKey))
    metadata?["imported"] = nil
    coordinator.setMetadata(metadata, for: store)
    XCTAssertNil(coordinator.metadata(for: store)["imported"])
  }

  func testUserInfoOfAModel() throws {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    let attribute = FirmModel.attribute("name", .stringAttributeType)
    entity.properties = [attribute]
    entity.userInfo = ["table": "things"]
    attribute.userInfo?["json"] = "the_name"
    XCTAssertEqual(entity.userInfo?["table"] as? String, "things")
    XCTAssertEqual(entity.attributesByName["name"]?.userInfo?["json"] as? String, "the_name")
    let copy: NSEntityDescription = entity.copy()
    XCTAssertEqual(copy.userInfo?["table"] as? String, "things")
    entity.userInfo = nil
    XCTAssertEqual(entity.userInfo?.count, 0)
  }
}

extension NSPersistentStore {
  fileprivate var isFirst: Bool { persistentStoreCoordinator?.persistentStores.first == self }
}
