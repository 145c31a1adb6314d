// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames

public struct PersistenceController {
  public static let shared = PersistenceController()

  public static var preview: PersistenceController = {
    let result = PersistenceController(inMemory: true)
    let viewContext = result.container.viewContext
    for i in 0..<10 {
      let newItem = Author(context: viewContext)
      newItem.name = "Author \(i)"
      newItem.birthday = Date()
    }
    do {
      try viewContext.save()
    } catch {
      let nsError = error as NSError
      fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
    }
    return result
  }()

  public let container: NSPersistentContainer

  public static let managedObjectModel: NSManagedObjectModel = {
    guard
      let url = Bundle.module.url(forResource: "Library", withExtension: "momd")
        ?? Bundle.module.url(forResource: "Library", withExtension: "xcdatamodeld")
    else { fatalError("no model") }
    guard let model = NSManagedObjectModel(contentsOf: url) else { fatalError("cannot read") }
    return model
  }()

  public init(inMemory: Bool = false) {
    container = NSPersistentContainer(name: "Library", managedObjectModel: Self.managedObjectModel)
    if inMemory {
      container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
    }
    container.loadPersistentStores(completionHandler: { (storeDescription, error) in
      if let error = error as NSError? {
        fatalError("Unresolved error \(error), \(error.userInfo)")
      }
    })
    container.viewContext.automaticallyMergesChangesFromParent = true
    container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    container.viewContext.undoManager = nil
    container.viewContext.shouldDeleteInaccessibleFaults = true
  }
}

open class LibraryStack {
  public let modelName: String
  public init(modelName: String) { self.modelName = modelName }

  public lazy var managedContext: NSManagedObjectContext = {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = self.psc
    return context
  }()

  public lazy var psc: NSPersistentStoreCoordinator = {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: PersistenceController.managedObjectModel)
    do {
      let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
      ]
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: options)
    } catch let error as NSError {
      print("Error adding persistent store: \(error.localizedDescription)")
    }
    return coordinator
  }()

  public func saveContext() {
    guard managedContext.hasChanges else { return }
    managedContext.performAndWait {
      do {
        try managedContext.save()
      } catch let error as NSError {
        fatalError("Could not save. \(error), \(error.userInfo)")
      }
    }
  }
}
