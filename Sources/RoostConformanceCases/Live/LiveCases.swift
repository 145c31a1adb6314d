// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Results that are kept up to date.
enum LiveCases {
  static let all: [ConformanceCase] =
    results + costs + windows + elsewhere + endings
    + corners + plans + controllers + deletions + overlaps + readings

  /// A case on a company, read anew.
  static func company(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [],
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.live, name, title, needs: needs) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack)
    }
  }

  private static let results: [ConformanceCase] = [
    company("first", "the first results are those of the fetch, then each change is one (L1)") {
      stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 25", []))
      try expectEqual(try people.names, ["Ada", "Bob", "Dan", "Eve"])
      let zoe = try context.make("Person", ["name": "Zoe", "age": 30])
      try expectEqual(people.updates.count, 0, "nothing before the end of the event")
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Dan", "Eve", "Zoe"], "+Zoe 4")
      try zoe.set("name", "Abe")
      context.processPendingChanges()
      try people.expect(["Abe", "Ada", "Bob", "Dan", "Eve"], "-Abe 4 +Abe 0 ~Abe")
      try context.named("Person", "Bob").set("age", 26)
      context.processPendingChanges()
      try people.expect(["Abe", "Ada", "Bob", "Dan", "Eve"], "~Bob")
      try context.named("Person", "Bob").set("note", "new")
      context.processPendingChanges()
      try people.expect(["Abe", "Ada", "Bob", "Dan", "Eve"], "~Bob")
      try context.named("Person", "Dan").set("age", 7)
      context.processPendingChanges()
      try people.expect(["Abe", "Ada", "Bob", "Eve"], "-Dan 3")
      let cleo = try context.named("Person", "Cleo")
      context.delete(zoe)
      try cleo.set("age", 50)
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Cleo", "Eve"], "-Abe 0 +Cleo 2")
      try context.save()
      try people.expectNothing("a save of what was shown already")
    },
    company("undo", "unsaved changes count, and rollback and undo are changes (L4)") { stack in
      let context = stack.context
      let manager = ChangeUndoManager()
      context.undoManager = manager
      let people = try LiveWatch(context, context.request("Person", "age == 25", []))
      try context.named("Person", "Ada").set("age", 25)
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Eve"], "+Ada 0")
      context.undo()
      context.processPendingChanges()
      try people.expect(["Bob", "Eve"], "-Ada 0")
      context.redo()
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Eve"], "+Ada 0")
      context.delete(try context.named("Person", "Eve"))
      context.processPendingChanges()
      try people.expect(["Ada", "Bob"], "-Eve 2")
      context.rollback()
      context.processPendingChanges()
      try people.expect(["Bob", "Eve"])
      try people.expectSameAsFetch()
    },
    company("stored", "without unsaved changes the results are what the stores hold (L4)") {
      stack in
      let context = stack.context
      let request = try context.request("Person", "age == 25", [])
      request.includesPendingChanges = false
      let people = try LiveWatch(context, request)
      try context.named("Person", "Ada").set("age", 25)
      context.processPendingChanges()
      try people.expect(["Bob", "Eve"])
      try context.save()
      try people.expect(["Ada", "Bob", "Eve"])
      context.delete(try context.named("Person", "Eve"))
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Eve"])
      try context.save()
      try people.expect(["Ada", "Bob"])
    },
    company("stored-paths", "what the stores hold is followed through relationships, too (L4, L6)")
    {
      stack in
      let context = stack.context
      let request = try context.request("Person", "department.name == 'Void'", [])
      request.includesPendingChanges = false
      let people = try LiveWatch(context, request)
      let before = try context.fetch(request).count
      let department = try require(
        try context.named("Person", "Ada").one("department"), "Ada's department")
      let members = try department.many("people").count
      try department.set("name", "Void")
      context.processPendingChanges()
      try expectEqual(people.results.count, before, "not saved")
      try context.save()
      try expectEqual(people.results.count, before + members, "saved")
      try people.expectSameAsFetch()
    },
    company("keys", "records that are equal in the order stand as in a fetch, also once saved (L2)")
    { stack in
      let context = stack.context
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("age")]
      let people = try LiveWatch(context, request)
      let unordered = try LiveWatch(context, FetchRequest<ManagedObject>(entityName: "Person"))
      let other = stack.makeContext()
      for name in ["p", "q"] { try context.make("Person", ["name": name, "age": 25]) }
      try other.make("Person", ["name": "r", "age": 25])
      context.processPendingChanges()
      try other.save()
      try context.save()
      context.processPendingChanges()
      for watch in [people, unordered] {
        try expectEqual(watch.results.count, 8)
        try watch.expectSameAsFetch()
      }
    },
    company("paths", "a condition and an order through relationships follow what they reach (L6)") {
      stack in
      let context = stack.context
      let request = try context.request("Person", "department.budget > 600", [])
      request.sortDescriptors = [SortOrdering("department.name"), SortOrdering("name")]
      let people = try LiveWatch(context, request)
      try people.expect(["Ada", "Bob"])
      let sales = try context.named("Department", "Sales")
      try sales.set("budget", Decimal(700))
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Cleo", "Dan"], "+Cleo 2 +Dan 3")
      try sales.set("name", "A sales")
      context.processPendingChanges()
      try people.expect(["Cleo", "Dan", "Ada", "Bob"])
      try context.named("Person", "Eve").set("department", sales)
      context.processPendingChanges()
      try people.expect(["Cleo", "Dan", "Eve", "Ada", "Bob"], "+Eve 2")
      context.delete(sales)
      context.processPendingChanges()
      try people.expect(["Ada", "Bob"])
      try context.save()
      try people.expectSameAsFetch()
    },
    company("to-many", "conditions on the many follow their members (L6)") { stack in
      let context = stack.context
      let many = try LiveWatch(context, context.request("Department", "people.@count > 1", []))
      let old = try LiveWatch(context, context.request("Department", "ANY people.age >= 40", []))
      let projects = try LiveWatch(
        context, context.request("Project", "SUBQUERY(members, $m, $m.age < 30).@count > 0", []))
      try many.expect(["Research", "Sales"])
      try old.expect(["Sales"])
      try projects.expect(["Engine"])
      let eve = try context.named("Person", "Eve")
      try eve.set("department", try context.named("Department", "Void"))
      try context.named("Person", "Bob").set("department", nil)
      try eve.set("age", 41)
      try eve.add(try context.named("Project", "Idle"), to: "projects")
      context.processPendingChanges()
      try many.expect(["Sales"])
      try old.expect(["Sales", "Void"])
      try projects.expect(["Engine"])
      try eve.set("age", 4)
      context.processPendingChanges()
      try old.expect(["Sales"])
      try projects.expect(["Engine", "Idle"])
      for watch in [many, old, projects] { try watch.expectSameAsFetch() }
    },
  ]

  /// Saves of the coordinator's contexts are followed: where requests are counted, nobody looks at the stores beside.
  static var own: LiveOptions {
    var options = LiveOptions()
    options.scope = .thisCoordinator
    return options
  }

  private static let costs: [ConformanceCase] = [
    company("untouched", "what cannot concern the results costs no request and tells nothing (L5)")
    { stack in
      let context = stack.context
      let people = try LiveWatch(
        context, context.request("Person", "department.budget > 1", []), options: own)
      try people.expect(["Ada", "Bob", "Cleo", "Dan"])
      let other = stack.makeContext()
      let research = try context.named("Department", "Research")
      try expectEqual(try research.text("name"), "Research")
      let eve = try context.named("Person", "Eve")
      try eve.set("note", "later")
      try research.set("name", "Research!")
      let trips = stack.coordinator.counters.roundTrips
      context.processPendingChanges()
      try expectEqual(stack.coordinator.counters.roundTrips, trips, "for own changes")
      try other.named("Department", "Sales").set("name", "Sales!")
      try other.named("Person", "Eve").set("salary", 3.0)
      try other.make("Desk", ["name": "new"])
      try other.save()
      let before = stack.coordinator.counters.fetches
      context.processPendingChanges()
      try expectEqual(stack.coordinator.counters.fetches, before, "for changes of others")
      try people.expectNothing("neither of them")
    },
    company("judged", "a changed record is judged alone: the results are not fetched again (L6)") {
      stack in
      let context = stack.context
      let watches = try (0..<10).map { number in
        try LiveWatch(
          context, context.request("Person", "age > %d", [20 + number]), options: own)
      }
      let other = stack.makeContext()
      let cleo = try other.named("Person", "Cleo")
      try cleo.set("age", 60)
      try other.make("Person", ["name": "Zoe", "age": 61])
      try other.save()
      let before = stack.coordinator.counters
      context.processPendingChanges()
      try expectEqual(stack.coordinator.counters.fetches, before.fetches, "the fetches")
      try expect(
        stack.coordinator.counters.roundTrips - before.roundTrips <= 1,
        "one request for the rows, whatever the number of results")
      for watch in watches {
        let names = try watch.names
        try expect(names.last == "Zoe" && names.contains("Cleo"), "the results: \(names)")
        try watch.expectSameAsFetch()
      }
    },
    company("shared", "who asks for the same shares the work (L7)") { stack in
      let context = stack.context
      let request = try context.request("Person", "age >= 25", [])
      let first = try LiveWatch(context, request, options: own)
      let fetches = stack.coordinator.counters.fetches
      let second = try LiveWatch(
        context, try context.request("Person", "age >= 25", []), options: own)
      try expectEqual(stack.coordinator.counters.fetches, fetches, "the second one's fetches")
      request.predicate = try FetchPredicate("age > 30")
      try context.named("Person", "Cleo").set("age", 31)
      context.processPendingChanges()
      for watch in [first, second] { try watch.expect(["Ada", "Bob", "Cleo", "Dan", "Eve"]) }
    },
  ]

  private static let windows: [ConformanceCase] = [
    company("limit", "so many results as are wanted, without a request for most changes (L6)") {
      stack in
      let context = stack.context
      try stack.saveCrowd(of: 60)
      let request = try context.request("Person", "age >= 25", [])
      request.fetchLimit = 3
      let people = try LiveWatch(context, request, options: own)
      try people.expect(["Ada", "Bob", "Dan"])
      let fetches = stack.coordinator.counters.fetches
      let ada = try context.registeredPerson("Ada", in: people)
      try ada.set("age", 1)
      context.processPendingChanges()
      try people.expect(["Bob", "Dan", "Eve"], "-Ada 0 +Eve 2")
      try ada.set("age", 77)
      context.processPendingChanges()
      try people.expect(["Ada", "Bob", "Dan"], "-Eve 2 +Ada 0")
      try ada.set("name", "q")
      context.processPendingChanges()
      try people.expect(["Bob", "Dan", "Eve"])
      try expectEqual(stack.coordinator.counters.fetches, fetches, "the fetches")
      let other = stack.makeContext()
      for person in try other.all("Person", "name < 'p40'") { other.delete(person) }
      try other.save()
      context.processPendingChanges()
      try people.expect(["p40", "p41", "p42"])
      try people.expectSameAsFetch()
    },
    company("offset", "results behind an offset follow what happens before it (L6)") { stack in
      let context = stack.context
      let request = try context.request("Person", nil, [])
      (request.fetchOffset, request.fetchLimit) = (1, 2)
      let people = try LiveWatch(context, request, options: own)
      try people.expect(["Bob", "Cleo"])
      let fetches = stack.coordinator.counters.fetches
      try context.make("Person", ["name": "Abe"])
      context.processPendingChanges()
      try people.expect(["Ada", "Bob"])
      try context.registeredPerson("Ada", in: people).set("name", "Zoe")
      context.processPendingChanges()
      try people.expect(["Bob", "Cleo"])
      try context.save()
      try people.expect(["Bob", "Cleo"])
      try expectEqual(stack.coordinator.counters.fetches, fetches, "the fetches")
      try people.expectSameAsFetch()
    },
    company("sections", "sections follow the results (L1)") { stack in
      let context = stack.context
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("department != nil")
      request.sortDescriptors = [SortOrdering("department.name"), SortOrdering("name")]
      var options = LiveOptions()
      options.sectionKeyPath = "department.name"
      let people = try context.live(request, options: options)
      try expectEqual(people.sections.map(\.name), ["Research", "Sales"])
      try context.named("Department", "Research").set("name", "Zoology")
      context.processPendingChanges()
      try expectEqual(people.sections.map(\.name), ["Sales", "Zoology"])
      try expectEqual(people.sections.map(\.numberOfObjects), [2, 2])
      request.sortDescriptors = [SortOrdering("age")]
      try expectError(.invalidRequest, "sections that the order tears apart") {
        _ = try context.live(request, options: options)
      }
    },
  ]
}
