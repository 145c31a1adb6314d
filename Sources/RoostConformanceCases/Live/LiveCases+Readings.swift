// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// The readings of a container, which hand over values in any task, and a store that cannot be read.
extension LiveCases {
  static let readings: [ConformanceCase] = [
    reading(
      "waits", "readings that begin while a store cannot be read wait until it can be (L10)"
    ) { container, faults in
      let before = faults.fired
      faults.cutOff()
      let names = LiveReader(
        container.live(try people(), options: atOnce) { $0["name"] as? String })
      let ids = LiveReader(container.liveIDs(try people(), options: atOnce))
      let count = LiveReader(container.liveCount(try people(), options: atOnce))
      let value = LiveReader(
        container.liveValue(of: HookedObject.self, options: atOnce) { context in
          try context.names("Person", "age >= 30")
        })
      try awaitCondition("each one has tried") { faults.fired >= before + 4 }
      try expect(
        names.isWaiting && ids.isWaiting && count.isWaiting && value.isWaiting, "they wait")
      // Nothing else happens: they come back by themselves.
      faults.clear()
      let first = try require(try names.next(), "the names")
      try expectEqual(first.elements, ["Ada", "Dan"])
      try expectEqual(first.update.difference.insertions.count, 2, "both are insertions")
      try expect(!first.isStale, "it is current")
      try expectEqual(try ids.next()?.ids.count, 2)
      try expectEqual(try count.next(), 2)
      try expectEqual(try value.next(), ["Ada", "Dan"])
      try changed(container, "Person", "Eve", "age", 30).save()
      try expectEqual(try names.next()?.elements, ["Ada", "Dan", "Eve"])
      try expectEqual(try count.next(), 3)
    },
    reading(
      "waits-joined", "a reading that joins one of results that are stale waits with it (L7, L10)"
    ) { container, faults in
      let request = try people("department.budget >= 1000")
      let first = LiveReader(container.liveIDs(request, options: atOnce))
      try expectEqual(try first.next()?.ids.count, 2)
      let saving = try changed(container, "Department", "Sales", "budget", Decimal(5000))
      faults.cutOff(reads)
      try saving.save()
      try expect(try first.next()?.isStale == true, "the first one says that it is stale")
      let before = faults.fired
      let second = LiveReader(container.liveIDs(request, options: atOnce))
      try awaitCondition("the second one has tried") { faults.fired > before }
      try expect(second.isWaiting, "the second one waits")
      faults.clear()
      for reader in [first, second] {
        let next = try require(try reader.next(), "the results")
        try expectEqual(next.ids.count, 4)
        try expect(!next.isStale, "they are current")
      }
    },
    reading("stale", "a snapshot says that it is stale, and the next one that it is not (L10)") {
      container, faults in
      let reader = LiveReader(
        container.live(try people("department.budget >= 1000"), options: atOnce) {
          $0["name"] as? String
        })
      try expectEqual(try reader.next()?.elements, ["Ada", "Bob"])
      // It does not change the results in the end.
      let saving = try changed(container, "Department", "Sales", "budget", Decimal(600))
      faults.cutOff(reads)
      try saving.save()
      let stale = try require(try reader.next(), "the stale snapshot")
      try expect(stale.isStale, "it is stale")
      try expectEqual(stale.elements, ["Ada", "Bob"], "what it shows")
      try expect(stale.difference.isEmpty, "nothing has moved")
      faults.clear()
      let current = try require(try reader.next(), "the current snapshot")
      try expect(!current.isStale, "it is current")
      try expectEqual(current.elements, ["Ada", "Bob"])
    },
    reading(
      "unread-first",
      "a value of related objects that could not be read is not handed over (L3, L10)"
    ) { container, faults in
      faults.fail(.destinations)
      let reader = LiveReader(container.live(departments, options: atOnce) { sizeText($0) })
      let first = try require(try reader.next(), "the first snapshot")
      try expectEqual(first.elements, ["Research 2", "Sales 2", "Void 0"])
      try expect(!first.isStale, "it is current")
      try expectEqual(faults.fired, 1, "the reads that failed")
    },
    reading(
      "unread-later",
      "what a closure cannot read after a change is handed over when it can be read (L3, L10)"
    ) { container, faults in
      let request = departments
      request.relationshipKeyPathsForPrefetching = ["people"]
      let reader = LiveReader(container.live(request, options: atOnce) { sizeText($0) })
      try expectEqual(try reader.next()?.elements, ["Research 2", "Sales 2", "Void 0"])
      let saving = ManagedObjectContext(
        .privateQueue, coordinator: container.persistentStoreCoordinator)
      let void = try saving.named("Department", "Void")
      try saving.named("Person", "Eve").set("department", void)
      faults.cutOff([.destinations])
      try saving.save()
      let stale = try require(try reader.next(), "the stale snapshot")
      try expectEqual(stale.elements, ["Research 2", "Sales 2", "Void 0"])
      try expect(stale.isStale, "it is stale")
      faults.clear()
      let current = try require(try reader.next(), "the current snapshot")
      try expectEqual(current.elements, ["Research 2", "Sales 2", "Void 1"])
      try expect(!current.isStale, "it is current")
    },
    reading("unread-value", "a value computed from what could not be read is not told (L3, L10)") {
      container, faults in
      faults.fail(.destinations)
      let reader = LiveReader(
        container.liveValue(of: HookedObject.self, options: atOnce) { context in
          try context.all("Department").map { sizeText($0) }
        })
      try expectEqual(try reader.next(), ["Research 2", "Sales 2", "Void 0"])
      try expectEqual(faults.fired, 1, "the reads that failed")
    },
    reading(
      "value-snapshot",
      "with the consistency snapshot a value is computed from one state of the stores (L3)"
    ) { container, _ in
      let coordinator = container.persistentStoreCoordinator
      guard coordinator.persistentStores.allSatisfy({ $0.snapshots != nil }) else { return }
      var options = atOnce
      options.consistency = .snapshot
      options.buffering = .everyUpdate(maximum: 10)
      let hasSaved = Mutex(false)
      let reader = LiveReader(
        container.liveValue(of: HookedObject.self, options: options) { context in
          let before = try context.names("Person").count
          let isFirst = hasSaved.withLock { saved in
            defer { saved = true }
            return !saved
          }
          if isFirst {
            let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try other.make("Person", ["name": "Zoe"])
            try other.save()
          }
          return [before, try context.names("Person").count]
        })
      try expectEqual(try reader.next(), [5, 5], "what the first one counts twice")
      try expectEqual(try reader.next(), [6, 6], "what the next one counts")
    },
  ]

  private static func reading(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (PersistentContainer, FaultSwitch) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.live, "reading-\(name)", title) { stage in
      let faults = FaultSwitch()
      let store = try stage.makeStore().interposed(faults)
      let container = try PersistentContainer(
        name: "Company", model: model(), stores: [store])
      try container.loadPersistentStores()
      let coordinator = container.persistentStoreCoordinator
      defer {
        faults.clear()
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
      }
      try CompanyModel.fill(ManagedObjectContext(.privateQueue, coordinator: coordinator))
      try body(container, faults)
    }
  }

  /// The company, with a class for people.
  private static func model() -> ManagedObjectModel {
    let sketch = CompanyModel.sketch()
    sketch["Person"].managedObjectClass = HookedObject.self
    return sketch.make()
  }

  /// Every update is handed over as soon as it is there.
  private static var atOnce: LiveOptions {
    var options = own
    options.minimumInterval = .zero
    return options
  }

  private static func people(_ format: String = "age >= 30") throws -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    request.predicate = try FetchPredicate(format)
    request.sortDescriptors = [SortOrdering("name")]
    return request
  }

  private static let reads: Set<StoreCall> = [.fetch, .rows, .destinations]

  /// Another context, in which an object was changed and not saved.
  private static func changed(
    _ container: PersistentContainer, _ entityName: String, _ name: String, _ key: String,
    _ value: Any
  ) throws -> ManagedObjectContext {
    let context = ManagedObjectContext(
      .privateQueue, coordinator: container.persistentStoreCoordinator)
    try context.named(entityName, name).set(key, value)
    return context
  }

  private static var departments: FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: "Department")
    request.sortDescriptors = [SortOrdering("name")]
    return request
  }

  /// The name of a department and the number of its people, read where nothing can be thrown.
  private static func sizeText(_ department: ManagedObject) -> String {
    let people = department["people"] as? Set<ManagedObject>
    return "\(department["name"] as? String ?? "-") \(people?.count ?? -1)"
  }
}
