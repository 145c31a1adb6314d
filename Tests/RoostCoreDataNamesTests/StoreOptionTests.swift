// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("What stores were added with, with Core Data's names")
struct StoreOptionTests {
  private func withFile(_ body: (NSPersistentStoreCoordinator, URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ParcelModel.make())
    try body(coordinator, folder.appending(path: "Parcels.sqlite"))
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  @Test("a store has the options with which it was added, also those that mean nothing to it (F45)")
  func options() throws {
    try withFile { coordinator, url in
      let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        NSSQLitePragmasOption: ["journal_mode": "WAL"],
      ]
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
      #expect(store.options?[NSMigratePersistentStoresAutomaticallyOption] as? Bool == true)
      #expect(store.options?[NSInferMappingModelAutomaticallyOption] as? Bool == true)
      let pragmas = store.options?[NSSQLitePragmasOption] as? [String: String]
      #expect(pragmas == ["journal_mode": "WAL"])
      #expect(coordinator.persistentStores.first?.options?.count == 3)
    }
  }

  @Test("a store of a container has the options of its description (F45)")
  func container() throws {
    let container = NSPersistentContainer(name: "Parcels", managedObjectModel: ParcelModel.make())
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    description.shouldInferMappingModelAutomatically = false
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { #expect($1 == nil) }
    let options = container.persistentStoreCoordinator.persistentStores.first?.options
    #expect(options?[NSMigratePersistentStoresAutomaticallyOption] as? Bool == true)
    #expect(options?[NSInferMappingModelAutomaticallyOption] as? Bool == false)
  }

  @Test("metadata of a file that is not there throw 260, whoever asks, and make no file (B245)")
  func missing() throws {
    try withFile { _, url in
      let asked: [() throws -> Void] = [
        {
          _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: nil)
        },
        {
          _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        },
        {
          try NSPersistentStoreCoordinator.setMetadata(
            ["a": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
        },
        { _ = try NSPersistentStore.metadataForPersistentStore(with: url) },
        { try NSPersistentStore.setMetadata(["a": 1], forPersistentStoreAt: url) },
      ]
      for ask in asked {
        let error = #expect(throws: NSError.self, performing: ask)
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSFileReadNoSuchFileError)
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == url.path)
      }
      #expect(!FileManager.default.fileExists(atPath: url.path))
    }
  }
}
