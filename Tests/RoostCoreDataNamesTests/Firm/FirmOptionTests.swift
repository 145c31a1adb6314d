// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

/// Tests of store options that programs for Core Data set, known and unknown ones.
final class FirmOptionTests: FirmTestCase {
  /// Unknown options are ignored, as in Core Data; under Roost's own names they are refused (F46).
  func testUnknownOptionsArePassedOver() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    let options: [AnyHashable: Any] = [
      NSPersistentHistoryTrackingKey: true as NSNumber,
      "NSPersistentStoreFileProtectionKey": "none", "ProgramsOwnOption": 7 as NSNumber,
      NSSQLitePragmasOption: ["cache_size": 4000 as NSNumber],
    ]
    for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: FirmModel.make())
      let store = try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url, options: options)
      try coordinator.remove(store)
      try coordinator.destroyPersistentStore(at: url, ofType: type, options: options)
    }
    let description = NSPersistentStoreDescription(url: url)
    for (key, value) in options { description.setOption(value, forKey: key as? String ?? "") }
    let container = NSPersistentContainer(name: "Firms", managedObjectModel: FirmModel.make())
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { XCTAssertNil($1) }
  }

  /// `execute(_:)` takes no fetch requests (B281).
  func testFetchRequestsAreFetchedAndNotExecuted() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Firm")
    let context: NSManagedObjectContext = container.viewContext
    XCTAssertThrowsError(try context.execute(request)) { error in
      XCTAssertEqual((error as NSError).code, 134_091)
    }
    XCTAssertEqual(try context.fetch(request).count, 0)
  }
}
