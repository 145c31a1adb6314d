// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames

/// A Core Data stack as in most apps.
class CoreDataStack {
  let container: NSPersistentContainer

  lazy var mainContext: NSManagedObjectContext = {
    self.container.viewContext
  }()

  init(inMemory: Bool = false, folder: URL? = nil) throws {
    let model = try NSManagedObjectModel(Recipe.self, Step.self, Tag.self)
    container = NSPersistentContainer(name: "Cookbook", managedObjectModel: model)
    if inMemory {
      container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
    } else if let folder {
      let url = folder.appendingPathComponent("Cookbook.sqlite")
      let description = NSPersistentStoreDescription(url: url)
      description.shouldInferMappingModelAutomatically = true
      description.setOption(true as NSNumber, forKey: NSMigratePersistentStoresAutomaticallyOption)
      container.persistentStoreDescriptions = [description]
    }
    container.loadPersistentStores(completionHandler: { (storeDescription, error) in
      if let error = error as NSError? {
        fatalError("Unresolved error \(error), \(error.userInfo) in \(storeDescription.type)")
      }
    })
  }

  func saveContext() {
    guard mainContext.hasChanges else { return }
    do {
      try mainContext.save()
    } catch let nserror as NSError {
      fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
    }
  }

  func newDerivedContext() -> NSManagedObjectContext {
    container.newBackgroundContext()
  }
}
