// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// The number of requests for reading: faults are fulfilled together, and never twice.
enum FaultingCases {
  /// A case on thirty people in three departments with three projects, read again.
  static func crowd(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.faulting, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      let context = stack.context
      let departments = try (0..<3).map { try context.make("Department", ["name": "d\($0)"]) }
      let projects = try (0..<3).map { try context.make("Project", ["name": "p\($0)"]) }
      var previous: ManagedObject?
      for index in 10..<40 {
        let person = try context.make(
          "Person", ["name": "\(index)", "age": index, "department": departments[index % 3]])
        try person.set("projects", Set([projects[index % 3], projects[(index + 1) % 3]]))
        try person.set("manager", previous)
        previous = person
      }
      try context.save()
      try stack.readAnew()
      try body(stack)
    }
  }

  /// The round trips that something costs.
  static func trips(
    _ stack: ConformanceStack, _ body: () throws -> Void
  ) throws -> Int {
    let before = stack.coordinator.counters.roundTrips
    try body()
    return stack.coordinator.counters.roundTrips - before
  }

  static let all: [ConformanceCase] =
    objects + relationships + cache + quiet + reading + boundaries
    + failedReads + everyRead + missingRows + lettingGo

  private static let objects: [ConformanceCase] = [
    crowd("fetch", "a fetch is one request, whatever it returns (B36)") { stack in
      try expectEqual(try trips(stack) { _ = try stack.context.all("Person") }, 1)
    },
    crowd("values", "the values of fetched objects need no request (B36)") { stack in
      let people = try stack.context.all("Person")
      let cost = try trips(stack) { for person in people { _ = try person.get("age") } }
      try expectEqual(cost, 0, "the round trips")
    },
    crowd("to-one", "destinations of all fetched objects are read together (B38)") { stack in
      let people = try stack.context.all("Person")
      stack.context.stalenessInterval = -1
      let cost = try trips(stack) {
        for person in people { _ = try person.one("department")?.get("name") }
      }
      try expect(cost <= 1, "one request reads all departments, not \(cost)")
    },
    crowd("without-values", "rows that are not kept cost one request for all (B37)") { stack in
      let request = try stack.context.request("Person", nil, [])
      request.includesPropertyValues = false
      let ids = try stack.context.fetch(request).map(\.objectID)
      let other = stack.makeContext()
      let faults = ids.map { other.object(with: $0) }
      let cost = try trips(stack) { _ = try faults[0].get("age") }
      try expectEqual(cost, 1, "the first value needs a request")
    },
    crowd("without-values-own", "objects fetched without values read theirs in one request (B37)") {
      stack in
      let request = try stack.context.request("Person", nil, [])
      request.includesPropertyValues = false
      request.sortDescriptors = [SortOrdering("name")]
      let people = try stack.context.fetch(request)
      try expect(people.allSatisfy(\.isFault), "all are faults")
      let before = stack.context.counters.roundTrips
      let names = try people.map { try $0.get("name") }
      let expected = (10..<40).map { Value.string("\($0)") }
      try expectEqual(names, expected, "the names, in the order of the request")
      try expectEqual(stack.context.counters.roundTrips - before, 1, "the round trips")
    },
    crowd(
      "without-values-pending", "objects fetched without values see unsaved changes (B37, B121)"
    ) {
      stack in
      let request = try stack.context.request("Person", "age >= 38", [])
      request.includesPropertyValues = false
      let young = try stack.context.named("Person", "10")
      try young.set("age", 99)
      let old = try stack.context.named("Person", "39")
      try old.set("age", 1)
      let names = try stack.context.fetch(request).map { try $0.get("name") }
      try expectEqual(Set(names), [.string("10"), .string("38")], "the names")
    },
    crowd("existing", "existingObject of a realised object needs no request (B42)") { stack in
      let person = try stack.context.named("Person", "10")
      _ = try person.get("age")
      let cost = try trips(stack) { _ = try stack.context.existingObject(with: person.objectID) }
      try expectEqual(cost, 0, "the round trips")
    },
  ]

  private static let relationships: [ConformanceCase] = [
    crowd("to-many", "a relationship of all fetched objects is read together (B38)") { stack in
      let departments = try stack.context.all("Department")
      let cost = try trips(stack) {
        for department in departments { _ = try department.many("people") }
      }
      try expectEqual(cost, 1, "the round trips")
    },
    crowd("to-many-values", "the members of all are realised together (B38)") { stack in
      let departments = try stack.context.all("Department")
      let cost = try trips(stack) {
        for department in departments {
          for person in try department.many("people") { _ = try person.get("age") }
        }
      }
      try expect(cost <= 2, "two requests read 30 members, not \(cost)")
    },
    ConformanceCase(
      .faulting, "to-many-scattered",
      "the members of many owners get their own values, however they lie in the store (B38, B43)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let departments = try (0..<7).map { try stack.context.make("Department", ["name": "d\($0)"]) }
      for index in 0..<600 {
        try stack.context.make(
          "Person",
          [
            "name": "\(index)", "age": index,
            "department": departments[index * index % 31 % 7],
          ])
      }
      try stack.context.save()
      try stack.readAnew()
      let owners = try stack.context.all("Department")
      let members = try owners.map { try $0.many("people") }
      // One record is deleted after it was found, and before its values are read.
      let other = stack.makeContext()
      other.delete(try other.named("Person", "300"))
      try other.save()
      var seen: Set<Int64> = []
      for (owner, people) in zip(owners, members) {
        for person in people {
          guard let age = try person.number("age") else { continue }
          try expectExact(try person.get("name"), .string("\(age)"))
          let department = Int(age) * Int(age) % 31 % 7
          try expectExact(try owner.get("name"), .string("d\(department)"))
          seen.insert(age)
        }
      }
      try expectEqual(seen, Set(0..<600).subtracting([300]), "the ages")
    },
    crowd("links", "the links of all fetched objects are read together (B38)") { stack in
      let people = try stack.context.all("Person")
      let cost = try trips(stack) {
        for person in people {
          for project in try person.many("projects") { _ = try project.get("name") }
        }
      }
      try expect(cost <= 2, "two requests read all projects, not \(cost)")
    },
    crowd("prefetch", "prefetching costs a request a step, and none later (B127)") { stack in
      let request = try stack.context.request("Department", nil, [])
      request.relationshipKeyPathsForPrefetching = ["people.projects"]
      var departments: [ManagedObject] = []
      let cost = try trips(stack) { departments = try stack.context.fetch(request) }
      try expect(cost <= 5, "a fetch and two steps cost at most five requests, not \(cost)")
      let later = try trips(stack) {
        for department in departments {
          for person in try department.many("people") {
            for project in try person.many("projects") { _ = try project.get("name") }
          }
        }
      }
      try expectEqual(later, 0, "the round trips afterwards")
    },
    crowd("prefetch-to-one", "to-one destinations are prefetched as well (B127)") { stack in
      let request = try stack.context.request("Person", nil, [])
      request.relationshipKeyPathsForPrefetching = ["department"]
      let people = try stack.context.fetch(request)
      let later = try trips(stack) {
        for person in people { _ = try person.one("department")?.get("name") }
      }
      try expectEqual(later, 0, "the round trips afterwards")
    },
    crowd(
      "prefetch-kept",
      "prefetched destinations live as long as an object of the fetch, and no longer (B45, B127)"
    ) { stack in
      let request = try stack.context.request("Person", nil, [])
      request.relationshipKeyPathsForPrefetching = ["department"]
      var people = try stack.context.fetch(request)
      let ids = try people[0].objectIDs(forRelationshipNamed: "department")
      try expect(ids.contains { stack.context.registeredObject(for: $0) != nil }, "it is kept")
      people = []
      try expect(!ids.contains { stack.context.registeredObject(for: $0) != nil }, "it is let go")
    },
    crowd("has-fault", "asking whether a relationship is a fault does not read it (B52)") { stack in
      let department = try stack.context.named("Department", "d0")
      let cost = try trips(stack) {
        try expect(department.hasFault(forRelationshipNamed: "people"), "it is a fault")
      }
      try expectEqual(cost, 0, "the round trips")
      _ = try department.many("people")
      try expect(!department.hasFault(forRelationshipNamed: "people"), "it is none any more")
    },
    crowd("add-unloaded", "setting a to-one side does not read the other side's members (B65)") {
      stack in
      let person = try stack.context.named("Person", "10")
      let department = try stack.context.named("Department", "d2")
      _ = try person.one("department")
      let cost = try trips(stack) { try person.set("department", department) }
      try expectEqual(cost, 0, "the round trips")
      try expect(department.hasFault(forRelationshipNamed: "people"), "the members are not read")
    },
  ]

  private static let cache: [ConformanceCase] = [
    crowd("shared", "what one context read is at hand for another (B51)") { stack in
      let ids = try stack.context.all("Person").map(\.objectID)
      let keeper = try stack.context.all("Person")
      for person in keeper { _ = try person.get("age") }
      let other = stack.makeContext()
      let cost = try trips(stack) {
        for id in ids { _ = try other.object(with: id).get("age") }
      }
      try expectEqual(cost, 0, "the round trips")
      try expectEqual(keeper.count, 30, "the objects that keep the rows")
    },
    crowd("stale", "with a staleness of 0 a fault asks the store (B50)") { stack in
      let person = try stack.context.named("Person", "10")
      _ = try person.get("age")
      let other = stack.makeContext()
      other.stalenessInterval = 0
      let fault = other.object(with: person.objectID)
      try expectEqual(try trips(stack) { _ = try fault.get("age") }, 1, "the round trips")
    },
    crowd("saved", "a saved object is read by others without a request (B51)") { stack in
      let person = try stack.context.named("Person", "10")
      try person.set("age", 99)
      try stack.context.save()
      let other = stack.makeContext()
      let fault = other.object(with: person.objectID)
      let cost = try trips(stack) { try expectEqual(try fault.number("age"), 99) }
      try expectEqual(cost, 0, "the round trips")
    },
    crowd("deleted", "a deleted record is not found in the cache (B43)") { stack in
      let person = try stack.context.named("Person", "39")
      _ = try person.get("age")
      let id = person.objectID
      stack.context.delete(person)
      try stack.context.save()
      let other = stack.makeContext()
      try expectError(.objectReferentialIntegrity) { _ = try other.existingObject(with: id) }
      try expectExact(try other.object(with: id).get("age"), .null)
    },
    crowd("let-go", "clean objects go when nobody keeps them (B45)") { stack in
      do {
        let people = try stack.context.all("Person")
        try expectEqual(stack.context.registeredObjects.count, 30, "what is registered")
        try expectEqual(people.count, 30)
      }
      try expectEqual(stack.context.registeredObjects.count, 0, "what is registered afterwards")
      stack.context.retainsRegisteredObjects = true
      _ = try stack.context.all("Person")
      try expectEqual(stack.context.registeredObjects.count, 30, "what is kept when wanted")
    },
    crowd("kept", "changed objects stay (B45)") { stack in
      try stack.context.named("Person", "10").set("age", 1)
      try stack.context.make("Person", ["name": "new"])
      stack.context.delete(try stack.context.named("Person", "39"))
      try stack.context.save()
      let other = stack.makeContext()
      try expectEqual(try other.named("Person", "10").number("age"), 1)
      try expectEqual(try other.names("Person", "name == 'new' OR name == '39'"), ["new"])
    },
  ]

  private static let quiet: [ConformanceCase] = [
    crowd("identity-is-free", "asking who an object is fires no fault (B34)") { stack in
      let person = try stack.context.named("Person", "10")
      try stack.context.refresh(person, mergeChanges: false)
      let cost = try trips(stack) {
        _ = person.objectID
        _ = person.entity
        _ = person.description
        _ = person.isInserted || person.isUpdated || person.isDeleted
        _ = Set([person])
      }
      try expectEqual(cost, 0, "the round trips")
      try expect(person.isFault, "it is still a fault")
    },
    crowd("forbidden", "implicit round trips can be forbidden (B52)") { stack in
      let department = try stack.context.named("Department", "d0")
      stack.context.allowsImplicitRoundTrips = false
      try expect(department["people"] == nil, "the relationship reads as nothing")
      try expectError(.forbiddenByPolicy, "a read that can throw") {
        _ = try department.many("people")
      }
      try expectError(.forbiddenByPolicy, "the save") { try stack.context.save() }
      stack.context.allowsImplicitRoundTrips = true
      try expectEqual(try department.many("people").count, 10, "the members when it is allowed")
      try stack.context.refresh(department, mergeChanges: true)
      try stack.context.save()
    },
    crowd("counters", "a context counts what it costs (B51)") { stack in
      stack.context.resetCounters()
      let people = try stack.context.all("Person")
      try expectEqual(stack.context.counters.roundTrips, 1, "the round trips")
      try expectEqual(stack.context.counters.rowsFetched, 30, "the rows")
      try expectEqual(stack.context.counters.objectsRegistered, 30, "the objects")
      for person in people { _ = try person.get("age") }
      try expectEqual(stack.context.counters.faultsFired, 30, "the faults")
      try expectEqual(stack.context.counters.implicitRoundTrips, 0, "the implicit round trips")
    },
  ]
}
