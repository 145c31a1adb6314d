// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// A protocol for a program's classes that inherits from `NSObjectProtocol`, as many do.
protocol Labelled: NSObjectProtocol {
  var label: String { get }
}

final class LabelledParcel: NSManagedObject, Labelled {
  var label: String { value(forKey: "label") as? String ?? "" }
}

@Suite("Core Data's classes as objects of Foundation's protocol")
struct ObjectProtocolTests {
  private func isSame<T: NSObjectProtocol>(_ object: T) -> Bool {
    object.isEqual(object) && object.`self`() === object && !object.isProxy()
      && object.hash == object.hash && !object.debugDescription.isEmpty
  }

  private func context() throws -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(
      managedObjectModel: ParcelModel.make())
    try context.persistentStoreCoordinator?.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return context
  }

  @Test("a class of managed objects conforms to a protocol that inherits from it (F45)")
  func conformance() throws {
    let model = ParcelModel.make()
    model.entitiesByName["Parcel"]?.managedObjectClassName = NSStringFromClass(LabelledParcel.self)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let parcel = LabelledParcel(context: context)
    parcel.setValue("fragile", forKey: "label")
    let labelled: any Labelled = parcel
    #expect(labelled.label == "fragile")
    #expect(labelled.isEqual(parcel))
  }

  @Test("objects, contexts, models, coordinators, requests and descriptions conform (F45)")
  func all() throws {
    let context = try context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Stamp"])
    let stamp = NSManagedObject(entity: entity, insertInto: context)
    #expect(isSame(stamp))
    #expect(!stamp.isEqual(context))
    #expect(isSame(context))
    #expect(isSame(coordinator))
    #expect(isSame(coordinator.managedObjectModel))
    #expect(isSame(NSMergePolicy.rollback))
    #expect(isSame(NSFetchRequest<NSManagedObject>(entityName: "Stamp")))
    #expect(isSame(NSPersistentStoreDescription()))
    #expect(isSame(entity))
    let label = try #require(entity.attributesByName["label"])
    #expect(isSame(label))
  }

  @Test("they print Core Data's class and what they are called (F45)")
  func printing() throws {
    let context = try context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Stamp"])
    let label = try #require(entity.attributesByName["label"])
    #expect("\(coordinator)".hasPrefix("<NSPersistentStoreCoordinator: 0x"))
    #expect("\(context)".hasPrefix("<NSManagedObjectContext: 0x"))
    context.name = "stamps"
    #expect("\(context)" == "<NSManagedObjectContext: stamps>")
    #expect(entity.description.hasPrefix("(<NSEntityDescription: 0x"))
    #expect(entity.description.contains("name Stamp, managedObjectClassName NSManagedObject"))
    #expect("\(label)".hasPrefix("(<NSAttributeDescription: 0x"))
    #expect(label.debugDescription.contains("name label"))
    #expect(label.debugDescription.contains("entity Stamp"))
  }

  @Test("the dictionary of a context keeps objects of any kind, and is the context's own (B227)")
  func userInfo() throws {
    final class Counter { var count = 0 }
    let context = try context()
    context.userInfo["counter"] = Counter()
    context.userInfo.setObject("sync", forKey: "purpose" as NSString)
    (context.userInfo["counter"] as? Counter)?.count += 1
    #expect((context.userInfo["counter"] as? Counter)?.count == 1)
    #expect(context.userInfo.object(forKey: "purpose") as? String == "sync")
    let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    child.parent = context
    #expect(child.userInfo.count == 0)
    context.reset()
    #expect(context.userInfo.count == 2)
    context.userInfo.removeAllObjects()
    #expect(context.userInfo["purpose"] == nil)
  }
}
