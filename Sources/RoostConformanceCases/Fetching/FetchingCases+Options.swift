// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  static let options: [ConformanceCase] = [
    company("option.nothing", "without a condition all objects are found (B120)") {
      try expectEqual(try $0.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
    },
    company("option.faults", "a fetch returns faults whose values are at hand (B36)") { context in
      let found = try context.all("Person")
      try expect(found.allSatisfy(\.isFault), "the objects are faults")
      let before = try require(context.persistentStoreCoordinator).counters.roundTrips
      for object in found { _ = try object.get("name") }
      try expect(found.allSatisfy { !$0.isFault }, "reading a value realises an object")
      let after = try require(context.persistentStoreCoordinator).counters.roundTrips
      try expectEqual(after - before, 0, "the round trips of reading")
    },
    company("option.realised", "objects come realised when they are asked for so (B129)") {
      let request = try $0.request("Person", nil, [])
      request.returnsObjectsAsFaults = false
      try expect(try $0.fetch(request).allSatisfy { !$0.isFault }, "the objects are no faults")
    },
    company("option.clean", "a fetch changes nothing (B98)") {
      _ = try $0.all("Person", "ANY projects.name == 'Engine'")
      try expect(!$0.hasChanges, "the context has no changes")
    },
    company("option.always-asks", "a fetch asks the store even when all objects are known (B146)") {
      context in
      let found = try context.all("Person")
      let coordinator = try require(context.persistentStoreCoordinator)
      let before = coordinator.counters.fetches
      try expectEqual(try context.all("Person").count, found.count)
      try expectEqual(coordinator.counters.fetches - before, 1, "the fetches")
    },
    company(
      "option.keeps-values", "a fetch leaves the values of realised objects (B49)"
    ) { context in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      let other = ManagedObjectContext(
        .privateQueue, coordinator: try require(context.persistentStoreCoordinator))
      try other.named("Person", "Ada").set("age", 37)
      try other.save()
      let again = try context.named("Person", "Ada")
      try expect(again === ada, "the object is the same")
      try expectEqual(try again.number("age"), 36, "the age in this context")
    },
    company("option.refreshes", "a fetch can refresh clean objects, not dirty ones (B145)") {
      context in
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      _ = try ada.get("age")
      try bob.set("age", 26)
      let other = ManagedObjectContext(
        .privateQueue, coordinator: try require(context.persistentStoreCoordinator))
      try other.named("Person", "Ada").set("age", 37)
      try other.named("Person", "Bob").set("salary", 1)
      try other.save()
      let request = try context.request("Person", nil, [])
      request.shouldRefreshRefetchedObjects = true
      _ = try context.fetch(request)
      try expectEqual(try ada.number("age"), 37, "the clean object's age")
      try expectEqual(try bob.number("age"), 26, "the dirty object's age")
      try expectExact(try bob.get("salary"), .double(1), "the dirty object's other value")
    },
    company(
      "option.batch", "a fetch in batches has the same objects, and reads a batch at a time (B126)"
    ) { context in
      context.stalenessInterval = 0
      let request = try context.request("Person", nil, [])
      request.fetchBatchSize = 2
      let before = context.counters.rowsFetched
      let people = try context.fetch(request)
      try expectEqual(context.counters.rowsFetched - before, 0, "the rows of the fetch")
      try expectEqual(try people[1].text("name"), "Bob", "the second")
      try expectEqual(context.counters.rowsFetched - before, 2, "the rows of its batch")
      let names = try people.map { try $0.text("name") ?? "" }
      try expectEqual(names, ["Ada", "Bob", "Cleo", "Dan", "Eve"])
    },
    company(
      "option.reuse", "a request can be used again, and by another context (B18)"
    ) { context in
      let request = try context.request("Person", "age == 25", [])
      let other = ManagedObjectContext(
        .privateQueue, coordinator: try require(context.persistentStoreCoordinator))
      try expectEqual(try context.fetch(request).count, 2)
      try expectEqual(try other.fetch(request).count, 2)
      try expectEqual(try context.fetch(request).count, 2)
    },
    company(
      "option.explain",
      "explain tells the store, what it does and what it leaves, and asks for nothing (B140)"
    ) { context in
      let coordinator = try require(context.persistentStoreCoordinator)
      let store = try require(coordinator.persistentStores.first).identity
      let before = coordinator.counters.fetches
      let plain = try context.explain(try context.request("Person", "age == 25", []))
      // The order that a person expects depends on where the program runs: few stores know it.
      let request = try context.request("Person", nil, [])
      request.sortDescriptors = [SortOrdering("name", comparator: .localizedStandard)]
      let ordered = try context.explain(request)
      try expectEqual(coordinator.counters.fetches, before, "the fetches")
      for plan in [plain, ordered] {
        let lines = plan.description.split(separator: "\n")
        try expectEqual(lines.first, "\(store.type) \(store.identifier)", "the store")
        try expect(
          lines.contains { $0.hasPrefix("store: ") }, "what the store does is told: \(plan)")
      }
      context.allowsInMemoryEvaluation = false
      var isForbidden = false
      do {
        _ = try context.fetch(request)
      } catch let error as PersistenceError where error.code == .forbiddenByPolicy {
        isForbidden = true
      }
      try expectEqual(!ordered.inMemory.isEmpty, isForbidden, "whether something is left")
    },
  ]

  static let results: [ConformanceCase] = [
    company("result.ids", "IDs come in order and register nothing (B130)") { context in
      let request = FetchRequest<ObjectID>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("name", ascending: false)]
      let ids = try context.fetch(request)
      try expect(context.registeredObjects.isEmpty, "no object is registered")
      let names = try ids.map { try context.existingObject(with: $0).text("name") ?? "" }
      try expectEqual(names, ["Eve", "Dan", "Cleo", "Bob", "Ada"])
    },
    company("result.count", "the count is the number of objects (B130)") { context in
      for (format, wanted) in [
        ("TRUEPREDICATE", 5), ("age == 25", 2), ("name MATCHES '.*a.*'", 2), ("FALSEPREDICATE", 0),
      ] {
        let request = try context.request("Person", format, [])
        try expectEqual(try context.count(for: request), wanted, "the count of \(format)")
      }
      try expect(context.registeredObjects.isEmpty, "no object is registered")
    },
    company("result.dictionary", "a dictionary has the properties that are asked for (B131)") {
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name", "age"]
      request.sortDescriptors = [SortOrdering("name")]
      let found = try $0.fetch(request)
      try expectEqual(found.count, 5, "the number of dictionaries")
      try expectEqual(found[0]["name"] as? String, "Ada", "the name")
      try expectEqual(whole(found[0]["age"]), 36, "the age")
      try expectEqual(Set(found[0].keys), ["name", "age"], "the keys")
    },
    company("result.dictionary-nil", "what is nil is absent from a dictionary (B131)") {
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name", "age"]
      request.predicate = try FetchPredicate("age == nil")
      try expectEqual(try $0.fetch(request).map { Set($0.keys) }, [["name"]], "the keys")
    },
    company("result.dictionary-path", "a column may be a key path (B131)") {
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name", "department.name"]
      request.sortDescriptors = [SortOrdering("name")]
      let found = try $0.fetch(request).map { $0["department.name"] as? String }
      try expectEqual(found, ["Research", "Research", "Sales", "Sales", nil])
    },
    company(
      "result.dictionary-to-one", "a to-one column is the destination's ID (B131)"
    ) { context in
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name", "department"]
      request.sortDescriptors = [SortOrdering("name")]
      let found = try context.fetch(request).map { $0["department"] as? ObjectID }
      let research = try context.named("Department", "Research").objectID
      try expectEqual(found[0], research, "the department's ID")
      try expectEqual(found[4], nil, "no department")
    },
    company("result.distinct", "equal dictionaries are returned once when wanted (B135)") {
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["age"]
      request.sortDescriptors = [SortOrdering("age")]
      try expectEqual(try $0.fetch(request).count, 5, "all dictionaries")
      request.returnsDistinctResults = true
      let found = try $0.fetch(request).map { whole($0["age"]) }
      try expectEqual(found, [nil, 25, 36, 40], "the distinct ages")
    },
    company("result.distinct-objects", "distinct concerns dictionaries only (B135)") {
      let people = try $0.request("Person", nil, [])
      people.returnsDistinctResults = true
      people.propertiesToFetch = ["age"]
      let found = try $0.fetch(people).map { try $0.text("name") }
      try expectEqual(found, ["Ada", "Bob", "Cleo", "Dan", "Eve"], "the objects")
      let ids = FetchRequest<ObjectID>(entityName: "Person")
      ids.returnsDistinctResults = true
      try expectEqual(try $0.fetch(ids).count, 5, "the IDs")
      try expectEqual(try $0.count(for: ids), 5, "their number")
    },
    company("batch.prefetching", "batches load the relationships to prefetch (B126, B127)") {
      context in
      let request = try context.request("Person", nil, [])
      request.sortDescriptors = [SortOrdering("name")]
      request.fetchBatchSize = 3
      request.relationshipKeyPathsForPrefetching = ["department", "projects"]
      let found = try context.fetch(request)
      _ = try found[0].text("name")
      context.allowsImplicitRoundTrips = false
      try expectEqual(try found[0].one("department")?.text("name"), "Research")
      try expectEqual(try found[0].names("projects"), ["Engine", "Notes"])
      try expectEqual(try found[2].one("department")?.text("name"), "Sales")
      context.allowsImplicitRoundTrips = true
      request.relationshipKeyPathsForPrefetching = ["nothing"]
      try expectError(.unknownKey, "the request") { _ = try context.fetch(request) }
    },
    company("result.dictionary-window", "limit and offset apply to dictionaries (B125)") {
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name"]
      request.sortDescriptors = [SortOrdering("name")]
      request.fetchOffset = 1
      request.fetchLimit = 2
      try expectEqual(try $0.fetch(request).map { $0["name"] as? String }, ["Bob", "Cleo"])
    },
    company("result.dictionary-unsaved", "dictionaries show the store, not the context (B123)") {
      try $0.named("Person", "Ada").set("name", "Adele")
      try $0.make("Person", ["name": "Zoe"])
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["name"]
      request.sortDescriptors = [SortOrdering("name")]
      let found = try $0.fetch(request).map { $0["name"] as? String }
      try expectEqual(found, ["Ada", "Bob", "Cleo", "Dan", "Eve"])
    },
  ]
}
