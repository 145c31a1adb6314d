// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Requests of code that is generic over their results")
struct GenericRequestTests {
  private func results<R: NSFetchRequestResult>(_ request: NSFetchRequest<R>) throws -> [R] {
    try request.execute()
  }

  private func makeContext() throws -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ParcelModel.make())
    context.persistentStoreCoordinator = coordinator
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return context
  }

  @Test("execute() gives objects, identifiers, dictionaries and counts (B139)")
  func execute() throws {
    let context = try makeContext()
    try context.performAndWait {
      let parcel = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
      parcel.setValue("fragile", forKey: "label")
      try context.save()
      #expect(try results(NSFetchRequest<NSManagedObject>(entityName: "Parcel")) == [parcel])
      let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Parcel")
      identifiers.resultType = .managedObjectIDResultType
      #expect(try results(identifiers) == [parcel.objectID])
      let rows = NSFetchRequest<NSDictionary>(entityName: "Parcel")
      rows.resultType = .dictionaryResultType
      #expect(try results(rows).first?["label"] as? String == "fragile")
      let count = NSFetchRequest<NSNumber>(entityName: "Parcel")
      count.resultType = .countResultType
      #expect(try results(count) == [1])
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Parcel")
    #expect(throws: NSError.self) { try results(request) }
  }

  @Test("a fetched results controller refuses dictionaries and identifiers with an error (F21)")
  func controllerOfDictionaries() throws {
    let context = try makeContext()
    try context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
      try context.save()
      let rows = NSFetchRequest<NSDictionary>(entityName: "Parcel")
      rows.resultType = .dictionaryResultType
      rows.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: rows, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(controller.fetchedObjects == nil)
    }
  }

  @Test("a copy of a store's description says the same and is changed separately (B332)")
  func copiedDescription() {
    let file = FileManager.default.temporaryDirectory.appending(path: "Parcels.sqlite")
    let description = NSPersistentStoreDescription(url: file)
    description.configuration = "Parcels"
    description.isReadOnly = true
    description.timeout = 3
    description.shouldAddStoreAsynchronously = true
    description.shouldMigrateStoreAutomatically = false
    description.shouldInferMappingModelAutomatically = false
    description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
    description.setValue(NSNumber(value: 9), forPragmaNamed: "cache_size")
    let copy = description.copy()
    #expect(copy !== description)
    #expect(copy.type == description.type && copy.url == description.url)
    #expect(copy.configuration == "Parcels" && copy.isReadOnly && copy.timeout == 3)
    #expect(copy.shouldAddStoreAsynchronously && !copy.shouldMigrateStoreAutomatically)
    #expect(!copy.shouldInferMappingModelAutomatically)
    #expect(copy.options[NSPersistentHistoryTrackingKey] as? Bool == true)
    #expect(copy.sqlitePragmas["cache_size"] as? Int == 9)
    copy.setOption(nil, forKey: NSPersistentHistoryTrackingKey)
    copy.url = nil
    #expect(description.options[NSPersistentHistoryTrackingKey] as? Bool == true)
    #expect(description.url != nil)
  }
}
