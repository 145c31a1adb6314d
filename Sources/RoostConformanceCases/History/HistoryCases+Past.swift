// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension HistoryCases {
  static let pasts: [ConformanceCase] =
    (1...4).map { seed in
      valued("past.walk-\(seed)", "every request is answered as it was then (L20, L22, L23)") {
        stack in
        var walk = PastWalk(on: stack, seed: UInt64(seed))
        for _ in 0..<24 { try walk.step() }
        for (number, memory) in walk.memories.enumerated() {
          let past = try stack.past(memory.token)
          try expectEqual(
            try PastQuestions.answers(of: past), memory.answers, "the answers after step \(number)")
        }
        // Saves made while the past is read do not show in it.
        let memory = walk.memories[walk.memories.count / 2]
        let past = try stack.past(memory.token)
        for _ in 0..<6 {
          try walk.step()
          try expectEqual(try PastQuestions.answers(of: past), memory.answers, "in one context")
        }
      }
    } + others

  private static let others: [ConformanceCase] = [
    valued("past.objects", "objects of the past have their values and relationships (L22)") {
      stack in
      let sales = try stack.make("Department", "Sales")
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36])
      try ada.set("department", sales)
      try stack.context.save()
      let token = try stack.token()
      let (adaID, salesID) = (ada.objectID, sales.objectID)
      try ada.set("age", 37)
      try sales.set("name", "Trade")
      try stack.save("Bob")
      stack.context.delete(ada)
      try stack.context.save()
      let past = try stack.past(token)
      let then = try past.existingObject(with: adaID)
      try expectEqual(try then.number("age"), 36)
      try expectEqual(try then.one("department")?.text("name"), "Sales")
      try expectEqual(try past.object(with: salesID).names("people"), ["Ada"])
      try expectEqual(try past.names("Person"), ["Ada"])
      try expectEqual(try past.names("Person", "department.name == 'Sales'"), ["Ada"])
      let bob = try stack.context.named("Person", "Bob").objectID
      try expectError(.objectReferentialIntegrity, "who was not there") {
        _ = try past.existingObject(with: bob)
      }
      try then.set("age", 1)
      past.rollback()
      try past.refresh(then, mergeChanges: false)
      try expectEqual(try then.number("age"), 36, "read again")
      past.reset()
      try expectEqual(try past.named("Person", "Ada").number("age"), 36, "after a reset")
      try expectEqual(try stack.context.names("Person"), ["Bob"], "now")
    },
    valued("past.unsaved", "unsaved changes lie over the past, and cannot be saved (L22)") {
      stack in
      try stack.save("Ada")
      let token = try stack.token()
      try stack.save("Bob")
      let past = try stack.past(token)
      try past.save()
      try past.make("Person", ["name": "Cleo"])
      try expectEqual(try past.names("Person"), ["Ada", "Cleo"])
      try expectError(.readOnlyStore, "the save") { try past.save() }
      try expect(past.hasChanges, "the changes are there")
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 1]
      try expectError(.readOnlyStore, "a batch request") { try past.execute(update) }
      let transaction = try require(try stack.history().last, "the transaction")
      try expectError(.readOnlyStore, "a revert") { _ = try past.revert(transaction) }
      try expectError(.invalidRequest, "another moment") { try past.setQueryGenerationFrom(nil) }
      try expectEqual(try stack.context.all("Person", "age == 1").count, 0, "nothing was written")
    },
    valued("past.merging", "what is saved now is not merged into the past (L22)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      let past = try stack.past(try stack.token())
      past.automaticallyMergesChangesFromParent = true
      let then = try past.existingObject(with: ada.objectID)
      try ada.set("age", 2)
      try stack.context.save()
      past.processPendingChanges()
      try expectEqual(try then.number("age"), 1)
      stack.context.delete(ada)
      try stack.context.save()
      past.mergeChanges(
        fromContextDidSave: try require(try stack.history().last, "it").objectIDNotification())
      past.processPendingChanges()
      try expect(then.managedObjectContext === past, "the object stays")
      try expectEqual(try then.number("age"), 1)
      try past.refreshAllObjects()
      try expectEqual(try past.names("Person"), ["Ada"])
    },
    valued("past.requests", "a single request is asked about a moment (L22)") { stack in
      for name in ["Ada", "Bob"] { try stack.save(name) }
      let token = try stack.token()
      stack.context.delete(try stack.context.named("Person", "Ada"))
      try stack.save("Cleo")
      let ids = FetchRequest<ObjectID>(entityName: "Person")
      try expectEqual(try stack.context.fetch(ids.asOf(token)).count, 2)
      try expectEqual(
        Set(try stack.context.fetch(ids)).intersection(try stack.context.fetch(ids.asOf(token)))
          .count, 1)
      let names = FetchRequest<[String: Any]>(entityName: "Person")
      names.propertiesToFetch = ["name"]
      names.sortDescriptors = [SortOrdering("name")]
      try expectEqual(
        try stack.context.fetch(names.asOf(token)).map { $0["name"] as? String }, ["Ada", "Bob"])
      let people = FetchRequest<ManagedObject>(entityName: "Person")
      people.predicate = try FetchPredicate("name < 'B'")
      try expectEqual(try stack.context.count(for: people.asOf(token)), 1)
      try expectEqual(try stack.context.count(for: people), 0)
    },
    valued("past.together", "the past stays as it was while others save (L23)") { stack in
      let people = try (0..<3).map { (age: Int) in
        try stack.context.make("Person", ["name": "p\(age)", "age": age])
      }
      let project = try stack.make("Project", "j1")
      try people[0].add(project, to: "projects")
      try stack.context.save()
      let token = try stack.token()
      let (ids, projectID) = (people.map(\.objectID), project.objectID)
      let expected = try PastQuestions.answers(of: stack.makeContext())
      let coordinator = stack.coordinator
      try Threads.run(4) { number in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        guard number < 3 else {
          for _ in 0..<6 {
            let past = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try PastReading.show(.token(token), of: coordinator, in: past)
            try expectEqual(try PastQuestions.answers(of: past), expected)
          }
          return
        }
        for round in 0..<12 {
          let mine = try context.existingObject(with: ids[number])
          try mine.set("age", round + 10)
          let shared = context.object(with: projectID)
          let has = try mine.many("projects").contains(shared)
          try has ? mine.remove(shared, from: "projects") : mine.add(shared, to: "projects")
          try context.make("Person", ["name": "new \(number)", "age": 3])
          try context.save()
        }
      }
      let past = try stack.past(token)
      try expectEqual(try PastQuestions.answers(of: past), expected, "afterwards")
    },
    valued("past.date", "a moment can be named by its time (L22)") { stack in
      try stack.save("Ada")
      try stack.save("Bob")
      let transactions = try stack.history()
      let last = try require(transactions.last, "the last transaction").timestamp
      try expectEqual(
        try stack.past(last).names("Person"), ["Ada", "Bob"], "after the last transaction")
      if transactions[0].timestamp < last {
        try expectEqual(try stack.past(transactions[0].timestamp).names("Person"), ["Ada"])
      }
      let early = transactions[0].timestamp.addingTimeInterval(-1)
      let past = try stack.past(early)
      try expectEqual(try past.names("Person"), [], "before the first save there was nothing")
      _ = try stack.deleteHistory(before: try stack.token())
      try expectEqual(try past.names("Person"), [], "who has read the history goes on")
      try expectError(.persistentHistoryTokenExpired, "before what is kept") {
        _ = try stack.past(early)
      }
    },
    ConformanceCase(
      .history, "past.date-late", "a history that began late knows no time before (L22, H7)",
      needs: [.history, .reopening]
    ) { stage in
      var store = try stage.makeStore()
      let first = try stage.open(PastModel.make(), on: [store])
      try first.save("Ada")
      first.close()
      try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
      let stack = try stage.open(PastModel.make(), on: [store])
      try expectError(.persistentHistoryTokenExpired, "a history without a transaction") {
        _ = try stack.past(Date.now)
      }
      try stack.save("Bob")
      let time = try require(try stack.history().last, "the transaction").timestamp
      try expectEqual(try stack.past(time).names("Person"), ["Ada", "Bob"])
      try expectError(.persistentHistoryTokenExpired, "before the history") {
        _ = try stack.past(time.addingTimeInterval(-1))
      }
      stack.context.delete(try stack.context.named("Person", "Ada"))
      try stack.context.save()
      try expectError(.persistentHistoryTokenExpired, "also when nobody of then is left") {
        _ = try stack.past(time.addingTimeInterval(-1))
      }
    },
    ConformanceCase(
      .history, "past.date-emptied",
      "a store that was emptied before its history began is not said to have been empty (L22)",
      needs: [.history, .reopening]
    ) { stage in
      var store = try stage.makeStore()
      let first = try stage.open(PastModel.make(), on: [store])
      try first.save("Ada")
      let then = Date.now
      first.context.delete(try first.context.named("Person", "Ada"))
      try first.context.save()
      first.close()
      try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
      let stack = try stage.open(PastModel.make(), on: [store])
      try stack.save("Bob")
      try expectError(.persistentHistoryTokenExpired, "when Ada was there") {
        _ = try stack.past(then)
      }
    },
    valued("past.expired", "a moment that the history does not reach is refused (L22, H10)") {
      stack in
      try stack.save("Ada")
      let token = try stack.token()
      let open = try stack.past(token)
      for name in ["Bob", "Cleo"] { try stack.save(name) }
      try expectEqual(try open.names("Person"), ["Ada"])
      _ = try stack.deleteHistory(before: try stack.token())
      try expectError(.persistentHistoryTokenExpired, "the context") { _ = try stack.past(token) }
      for name in ["Dan", "Eve"] { try stack.save(name) }
      try expectEqual(
        try open.names("Person"), ["Ada"], "who has read the history goes on as long as it can")
      try expectError(.persistentHistoryTokenExpired, "another history") {
        let positions = token.stores.mapValues {
          StorePosition(epoch: $0.epoch &+ 1, place: $0.place)
        }
        _ = try stack.past(PersistentHistoryToken(stores: positions))
      }
      try expectError(.persistentHistoryTokenExpired, "a token without the store") {
        _ = try stack.past(PersistentHistoryToken(stores: [:]))
      }
    },
    ConformanceCase(
      .history, "past.no-values", "the past needs values (L22, H7)", needs: [.history]
    ) { stage in
      let stack = try stage.openTracking(PastModel.make())
      try stack.save("Ada")
      let token = try stack.token()
      try expectError(.persistentHistoryTokenExpired, "the context") { _ = try stack.past(token) }
    },
    ConformanceCase(
      .history, "past.begun-later", "values that were kept later tell of no time before (L22, H7)",
      needs: [.history, .reopening]
    ) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let first = try stage.open(PastModel.make(), on: [store])
      try first.save("Ada")
      let early = try first.token()
      try first.context.named("Person", "Ada").set("age", 1)
      try first.context.save()
      let late = try first.token()
      first.close()
      try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
      let stack = try stage.open(PastModel.make(), on: [store])
      try stack.context.named("Person", "Ada").set("age", 2)
      try stack.context.save()
      try expectEqual(try stack.past(late).all("Person", "age == 1").count, 1)
      try expectError(.persistentHistoryTokenExpired, "the context") { _ = try stack.past(early) }
    },
    ConformanceCase(
      .history, "past.several", "several stores are shown as they were together (L22)",
      needs: [.history]
    ) { stage in
      let stores = try (0..<2).map { _ in
        var store = try stage.makeStore()
        try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
        return store
      }
      let stack = try stage.open(PastModel.make(), on: stores)
      func save(_ name: String, in store: Int) throws {
        let person = try stack.context.make("Person", ["name": name])
        try stack.context.assign(person, to: stack.coordinator.persistentStores[store])
        try stack.context.save()
      }
      try save("Ada", in: 0)
      try save("Bob", in: 1)
      let token = try stack.token()
      try save("Cleo", in: 0)
      try save("Dan", in: 1)
      try stack.context.named("Person", "Bob").set("name", "Zoe")
      try stack.context.save()
      let past = try stack.past(token)
      try expectEqual(try past.names("Person"), ["Ada", "Bob"])
      try expectEqual(try past.names("Person", "name > 'B'"), ["Bob"])
    },
    ConformanceCase(
      .history, "past.date-several", "a store that was never written has no bearing on dates (L22)",
      needs: [.history]
    ) { stage in
      let stores = try (0..<2).map { _ in
        var store = try stage.makeStore()
        try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
        return store
      }
      let stack = try stage.open(PastModel.make(), on: stores)
      func save(_ name: String, in store: Int) throws -> Date {
        let person = try stack.context.make("Person", ["name": name])
        try stack.context.assign(person, to: stack.coordinator.persistentStores[store])
        try stack.context.save()
        return try require(try stack.history().map(\.timestamp).max(), "the time")
      }
      let first = try save("Ada", in: 0)
      try expectEqual(try stack.past(first).names("Person"), ["Ada"])
      let open = try stack.past(first)
      // The clock may not advance between transactions.
      let ticks = stack.coordinator.historyTicks
      let later = first.timeIntervalSinceReferenceDate + 5
      ticks.clock = { later }
      _ = try save("Bob", in: 1)
      for past in [open, try stack.past(first)] {
        try expectEqual(try past.names("Person"), ["Ada"], "the second store was empty then")
      }
      try expectEqual(try stack.past(first.addingTimeInterval(9)).names("Person"), ["Ada", "Bob"])
    },
  ]
}

extension ConformanceStack {
  /// Returns a context of the past.
  func past(_ token: PersistentHistoryToken) throws -> ManagedObjectContext {
    let context = makeContext()
    try PastReading.show(.token(token), of: coordinator, in: context)
    return context
  }

  /// A context of a time.
  func past(_ date: Date) throws -> ManagedObjectContext {
    let context = makeContext()
    try PastReading.show(.date(date), of: coordinator, in: context)
    return context
  }
}
