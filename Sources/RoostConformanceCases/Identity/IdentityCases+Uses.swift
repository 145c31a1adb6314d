// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// Uses of an ID before it is permanent, and outside its context.
extension IdentityCases {
  static let uses: [ConformanceCase] = [
    ConformanceCase(
      .identity, "assigned", "an unsaved object has a store once it is assigned to one (B24, B230)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      let store = try require(stack.coordinator.persistentStores.first)
      try expect(person.objectID.persistentStore == nil, "the ID names no store before")
      try stack.context.assign(person, to: store)
      try expect(person.objectID.persistentStore === store, "the ID names the store")
      try expect(person.objectID.isTemporaryID, "the ID is still temporary")
      let old = person.objectID
      try stack.context.save()
      try expect(!person.objectID.isTemporaryID, "the ID is permanent after the save")
      try expect(person.objectID != old, "it is another one")
      try expect(person.objectID.persistentStore === store, "of the same store")
    },
    ConformanceCase(
      .identity, "any-thread", "an ID is good on any thread, also while its object is saved (B30)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let ids = try stack.context.all("Person").map(\.objectID)
      let new = try stack.context.make("Person", ["name": "Zoe"])
      let temporary = new.objectID
      let uris = ids.map { $0.uriRepresentation() }
      let coordinator = stack.coordinator
      let wrong = Mutex<[String]>([])
      let threads = DispatchGroup()
      for _ in 0..<4 {
        DispatchQueue.global().async(group: threads) {
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          for (place, id) in ids.enumerated() {
            let name = context.performAndWait { try? context.existingObject(with: id).text("name") }
            let isSame = id.uriRepresentation() == uris[place] && !id.isTemporaryID
            if name == nil || !isSame { wrong.withLock { $0.append("\(id)") } }
          }
          let isSame = Set([temporary]).contains(temporary) && temporary.isTemporaryID
          if !isSame {
            wrong.withLock { $0.append("\(temporary)") }
          }
        }
      }
      try stack.context.save()
      threads.wait()
      try expectEqual(wrong.withLock { $0 }, [], "what other threads read")
      try expect(temporary.isTemporaryID, "the ID that the object had does not change")
    },
    ConformanceCase(
      .identity, "fetched-by-store",
      "what a store finds are the objects that the context has for these IDs (B32, B329)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      let ids = try stack.context.all("Person").map(\.objectID)
      // Faults made from IDs, and a changed object: a fetch returns these and no others.
      let known = Dictionary(uniqueKeysWithValues: ids.map { ($0, context.object(with: $0)) })
      try require(known[ids[0]]).set("age", 99)
      for predicate in [nil, try FetchPredicate("age > 30")] {
        let request = FetchRequest<ManagedObject>(entityName: "Person")
        request.predicate = predicate
        let found = try context.fetch(request)
        try expect(!found.isEmpty, "objects are found")
        for object in found {
          try expect(known[object.objectID] === object, "the object is the one of its ID")
        }
      }
      let dan = try context.named("Person", "Dan")
      let boss = try require(try dan.one("manager"))
      try expect(known[boss.objectID] === boss, "a destination is the object of its ID")
      try expectEqual(context.registeredObjects.filter { $0.entity.name == "Person" }.count, 5)
    },
  ]
}
