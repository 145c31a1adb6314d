// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// A request shows one snapshot of its store: the objects have the values that the request read, even if others save
// before the objects are accessed (B363).
extension FetchingCases {
  /// A way to fetch all people, and to add up their ages.
  private struct Reading {
    let name: String
    let words: String
    let ages: @Sendable (ManagedObjectContext) throws -> [Int64]
  }

  private static func ages(
    _ name: String, _ words: String,
    _ change: @escaping @Sendable (FetchRequest<ManagedObject>) throws -> Void
  ) -> Reading {
    Reading(name: name, words: words) { context in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      try change(request)
      return try context.fetch(request).map { try $0.number("age") ?? 0 }
    }
  }

  private static let readings: [Reading] = [
    ages("values", "objects with values") { $0.returnsObjectsAsFaults = false },
    ages("faults", "faults with their rows at hand") { _ in },
    ages("sorted", "sorted objects") { request in
      request.returnsObjectsAsFaults = false
      request.sortDescriptors = [SortOrdering("age"), SortOrdering("name", ascending: false)]
    },
    ages("matched", "objects that match a condition") { request in
      request.predicate = try FetchPredicate(format: "age >= %@", argumentArray: [0])
    },
    ages("refreshed", "refreshed objects") { $0.shouldRefreshRefetchedObjects = true },
    ages("prefetched", "objects whose departments are read with them") { request in
      request.relationshipKeyPathsForPrefetching = ["department"]
    },
    Reading(name: "pending", words: "objects under unsaved changes") { context in
      let more = try context.make("Person", ["name": "Zoe", "age": 0])
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("name")]
      defer { context.delete(more) }
      return try context.fetch(request).map { try $0.number("age") ?? 0 }
    },
    Reading(name: "stale", words: "objects of a context that trusts no cached row") { context in
      context.stalenessInterval = 0
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.returnsObjectsAsFaults = false
      return try context.fetch(request).map { try $0.number("age") ?? 0 }
    },
    Reading(name: "child", words: "objects of a child") { context in
      let child = ManagedObjectContext(.privateQueue, parent: context)
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.returnsObjectsAsFaults = false
      return try child.fetch(request).map { try $0.number("age") ?? 0 }
    },
  ]

  static let oneState: [ConformanceCase] =
    readings.map { overtaken($0, elsewhere: false) }
    + readings.map { overtaken($0, elsewhere: true) } + [batches, untilRefreshed, destinations]

  /// Five people whose ages add up to 50.
  private static func fill(_ context: ManagedObjectContext) throws {
    let department = try context.make("Department", ["name": "d"])
    for name in ["Ada", "Bob", "Cleo", "Dan", "Eve"] {
      try context.make("Person", ["name": name, "age": 10, "department": department])
    }
    try context.save()
  }

  /// Moves years between people in one save; they still add up to 50.
  private static func move(_ years: Int64, _ context: ManagedObjectContext) throws {
    for (name, difference) in [("Ada", -years), ("Eve", years)] {
      let person = try context.named("Person", name)
      try person.set("age", (try person.number("age") ?? 0) + difference)
    }
    try context.save()
  }

  /// Another save comes between the reading of the rows and the making of the objects, and all its rows are cached.
  private static func overtaken(_ reading: Reading, elsewhere: Bool) -> ConformanceCase {
    ConformanceCase(
      .fetching, "one-state.\(elsewhere ? "elsewhere." : "")\(reading.name)",
      "\(reading.words) show one state when "
        + "\(elsewhere ? "another coordinator" : "another context") saves meanwhile (B363)",
      needs: elsewhere ? [.secondHandle] : []
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try fill(stack.context)
      let other = elsewhere ? try stage.open(stack.model, on: stack.stores) : stack
      let (writer, cached) = (other.coordinator, stack.coordinator)
      faults.interrupt(.found) {
        do {
          try move(3, ManagedObjectContext(.privateQueue, coordinator: writer))
          // The newer row of one of the two gets into the cache.
          let context = ManagedObjectContext(.privateQueue, coordinator: cached)
          context.stalenessInterval = 0
          _ = try context.named("Person", "Ada").get("age")
        } catch {
          preconditionFailure("the other save failed: \(error)")
        }
      }
      let reader = stack.makeContext()
      let found = try reading.ages(reader)
      try expectEqual(found.reduce(0, +), 50, "the sum of \(found)")
      try expectEqual(found.filter { $0 == 10 }.count, 5, "the ages of the state that was read")
      let later = try readings[0].ages(stack.makeContext())
      try expectEqual(later.sorted(), [7, 10, 10, 10, 13], "what the next request shows")
    }
  }

  private static let batches = ConformanceCase(
    .fetching, "one-state.batches", "each batch of a request shows one state (B126, B363)"
  ) { stage in
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try fill(stack.context)
    for isCollection in [false, true] {
      let reader = stack.makeContext()
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("name")]
      request.fetchBatchSize = 5
      let coordinator = stack.coordinator
      // The cache has rows of several snapshots: Ada's is the newest, the others have to be read.
      let people = isCollection ? [] : try reader.fetch(request)
      let collection = isCollection ? try reader.fetchBatches(request) : nil
      faults.interrupt(.found) {
        try? move(1, ManagedObjectContext(.privateQueue, coordinator: coordinator))
      }
      let ages =
        try collection.map { try $0.map { try $0.number("age") ?? 0 } }
        ?? people.map { try $0.number("age") ?? 0 }
      try expectEqual(ages.reduce(0, +), 50, "the sum of \(ages)")
    }
  }

  private static let untilRefreshed = ConformanceCase(
    .fetching, "one-state.refresh", "a refresh shows what was saved since the request (B116, B363)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try fill(stack.context)
    let reader = stack.makeContext()
    let people = try reader.all("Person")
    try move(2, stack.makeContext())
    try expectEqual(try people.map { try $0.number("age") }, [10, 10, 10, 10, 10])
    try reader.refresh(people[0], mergeChanges: false)
    try reader.refresh(people[4], mergeChanges: true)
    try expectEqual(try people.map { try $0.number("age") }, [8, 10, 10, 10, 12])
    let again = stack.makeContext()
    let untouched = try again.all("Person")
    try move(2, stack.makeContext())
    try again.refreshAllObjects()
    try expectEqual(try untouched.map { try $0.number("age") }, [6, 10, 10, 10, 14])
  }

  private static let destinations = ConformanceCase(
    .fetching, "one-state.destinations",
    "the destinations that a request reads in advance show one state (B127, B363)"
  ) { stage in
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try fill(stack.context)
    let coordinator = stack.coordinator
    for call in [StoreCall.found, .destinations, .rows] {
      let reader = stack.makeContext()
      faults.interrupt(call) {
        try? move(1, ManagedObjectContext(.privateQueue, coordinator: coordinator))
      }
      let request = FetchRequest<ManagedObject>(entityName: "Department")
      request.relationshipKeyPathsForPrefetching = ["people"]
      let departments = try reader.fetch(request)
      let ages = try departments[0].many("people").map { try $0.number("age") ?? 0 }
      try expectEqual(ages.reduce(0, +), 50, "the sum of \(ages) after \(call)")
    }
  }
}
