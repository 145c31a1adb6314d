// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Models with Core Data's dictionaries")
struct ModelDictionaryTests {
  @Test("models are merged to the one with which a store was written, and to no other (B249)")
  func merging() throws {
    let model = ParcelModel.make()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let metadata: [String: Any] = try #require(store.metadata)
    let copy: NSManagedObjectModel = model.copy()
    let merged = NSManagedObjectModel(byMerging: [copy], forStoreMetadata: metadata)
    #expect(merged?.entities.count == 2)
    let other = NSManagedObjectModel()
    other.entities = [NSEntityDescription()]
    other.entities[0].name = "Letter"
    #expect(NSManagedObjectModel(byMerging: [copy, other], forStoreMetadata: metadata) == nil)
    #expect(NSManagedObjectModel.mergedModel(from: [], forStoreMetadata: metadata) == nil)
    #expect(NSManagedObjectModel.mergedModel(from: [], forStoreMetadata: [:]) == nil)
  }

  @Test("a program may change what it keeps with the parts of a model in use, from any thread (B1)")
  func userInfo() async throws {
    let model = ParcelModel.make()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let parcel = try #require(coordinator.managedObjectModel.entitiesByName["Parcel"])
    let label = try #require(parcel.attributesByName["label"])
    parcel.userInfo?["identity"] = "label"
    label.userInfo = ["key": "parcel_label"]
    #expect(parcel.userInfo?["identity"] as? String == "label")
    #expect(label.userInfo?["key"] as? String == "parcel_label")
    parcel.userInfo = nil
    #expect(parcel.userInfo?.isEmpty == true)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask { label.userInfo = ["key": number] }
        group.addTask { _ = label.userInfo?["key"] as? Int }
      }
    }
    #expect(label.userInfo?["key"] is Int)
  }

  @Test("the dictionary keeps values that are no property lists, as classes and functions (B1)")
  func anything() {
    let entity = NSEntityDescription()
    let twice: (Int) -> Int = { $0 * 2 }
    entity.userInfo = ["type": NSManagedObject.self, "function": twice, "set": Set(["a"])]
    let copy: NSEntityDescription = entity.copy()
    for part in [entity, copy] {
      #expect(part.userInfo?["type"] as? AnyClass == NSManagedObject.self)
      #expect((part.userInfo?["function"] as? (Int) -> Int)?(2) == 4)
      #expect(part.userInfo?["set"] as? Set<String> == ["a"])
    }
  }
}
