// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Cases on keeping live results and counts up to date, and on explaining it.
extension LiveCases {
  static let plans: [ConformanceCase] = [
    company("plan", "how results are kept is said, and why (L11)") { stack in
      let context = stack.context
      func plan(
        _ format: String, _ change: (FetchRequest<ManagedObject>) -> Void = { _ in },
        options: LiveOptions = own
      ) throws -> LivePlan {
        let request = try context.request("Person", format, [])
        change(request)
        let trips = stack.coordinator.counters.rows
        defer { withExtendedLifetime(request) {} }
        let plan = try context.explain(request, live: options)
        try expectEqual(stack.coordinator.counters.rows, trips, "the rows that were read")
        return plan
      }
      let simple = try plan("age > 30")
      try expect(simple.isKeptByDifferences && simple.countsByDifferences, "both by differences")
      try expectEqual(simple.reads["Person"], ["age", "name"])
      try expectEqual(simple.reaches, [:])
      try expectEqual(simple.stores.map(\.others), [.notFollowed])
      let paths = try plan("department.budget > 600")
      try expect(paths.isKeptByDifferences && !paths.countsByDifferences, "the number is asked for")
      try expectEqual(paths.reads["Person"], ["department", "name"])
      try expectEqual(paths.reaches["Department"], ["budget", "people"])
      let far = try plan("age > 30", { $0.fetchOffset = 257 })
      try expectEqual(far.fetchedFor, [.farOffset])
      try expectEqual(try plan("age > 30", { $0.fetchOffset = 256 }).fetchedFor, [])
      let stored = try plan("age > 30", { $0.includesPendingChanges = false })
      try expectEqual(stored.fetchedFor, [.storedState])
      let named = try plan(
        "age > 30",
        { $0.affectedStoreIdentities = stack.coordinator.persistentStores.map(\.identity) })
      try expectEqual(named.fetchedFor, [.namedStores])
      var options = own
      options.consistency = .snapshot
      let snapshot = try plan("age > 30", options: options)
      try expectEqual(snapshot.fetchedFor, [.snapshot])
      try expect(!snapshot.isKeptByDifferences, "fetched anew")
      try expect(!snapshot.countsByDifferences, "the number is asked for")
      try expect(
        snapshot.description.contains(
          "fetched anew\n  because " + LivePlan.Reason.snapshot.rawValue),
        snapshot.description)
      options = own
      options.sectionKeyPath = "department.name"
      let sections = try plan("age > 30", options: options)
      try expectEqual(sections.reaches["Department"], ["name", "people"])
      try expectEqual(context.liveQueryCount, 0, "nothing has begun")
      let child = ManagedObjectContext(.privateQueue, parent: context)
      let below = try child.explain(
        child.request("Person", nil, []), live: LiveOptions())
      try expectEqual(below.stores.map(\.others), [.parent])
    },
    company("plan-mark", "without a history it is said how others are noticed (L11)") { stack in
      let context = stack.context
      let plan = try context.explain(context.request("Person", nil, []), live: LiveOptions())
      let tells = stack.coordinator.persistentStores.allSatisfy { $0.changeMarks != nil }
      let keeps = stack.coordinator.persistentStores.allSatisfy { $0.history != nil }
      try expectEqual(plan.stores.map(\.others), [keeps ? .history : tells ? .mark : .unseen])
    },
    ConformanceCase(
      .live, "plan-history", "with a history it is said that it tells of others (L11)",
      needs: [.history]
    ) { stage in
      let context = try stage.openTracking(CompanyModel.make()).context
      let plan = try context.explain(context.request("Person", nil, []), live: LiveOptions())
      try expectEqual(plan.stores.map(\.others), [.history])
    },
    company("count", "a number is kept by judging what was changed, without a request (L6)") {
      stack in
      let context = stack.makeContext()
      try context.mergeForLiveResults(remote: false)
      let request = try context.request("Person", "age >= 30", [])
      var told: [Int] = []
      let count = try LiveCount(of: request, in: context) { result in
        if case .success(let number) = result { told.append(number) }
      }
      try expect(!count.isKept, "the number alone was asked for")
      let other = stack.makeContext()
      /// Saves, and returns the number of round trips for merging the save.
      func follow(_ expected: Int, _ change: () throws -> Void) throws -> Int {
        try change()
        try other.save()
        let before = stack.coordinator.counters.roundTrips
        context.processPendingChanges()
        let trips = stack.coordinator.counters.roundTrips - before
        try expectEqual(told.last, expected, "the number that was told")
        try expectEqual(try context.count(for: request), expected, "the number that is there")
        return trips
      }
      try expectEqual(try follow(2) { try other.named("Person", "Eve").set("note", "x") }, 0)
      try expectEqual(told, [2], "nothing that concerns the number")
      try expectEqual(try follow(3) { try other.named("Person", "Eve").set("age", 30) }, 1)
      try expect(count.isKept, "the objects are kept from the first change on")
      var trips = 0
      trips += try follow(4) { try other.make("Person", ["name": "Zoe", "age": 80]) }
      trips += try follow(3) { try other.named("Person", "Ada").set("age", 3) }
      trips += try follow(3) { try other.named("Person", "Bob").set("age", 4) }
      trips += try follow(2) { other.delete(try other.named("Person", "Dan")) }
      trips += try follow(2) { try other.named("Person", "Zoe").set("note", "y") }
      try expectEqual(trips, 0, "the requests for what this coordinator saves")
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 50]
      trips = try follow(5) { _ = try other.execute(update) }
      // One for rows that the context had read before, one for rows to evaluate.
      try expect(trips <= 2, "requests for the rows of a batch: \(trips)")
      withExtendedLifetime(count) {}
    },
    company("count-early", "a save that is counted before it is merged is counted once (L2, L6)") {
      stack in
      let context = stack.makeContext()
      try context.mergeForLiveResults(remote: false)
      let other = stack.makeContext()
      let request = try context.request("Person", "age >= 30", [])
      try other.make("Person", ["name": "Zoe", "age": 80])
      try other.save()
      var told: [Int] = []
      let count = try LiveCount(of: request, in: context) { result in
        if case .success(let number) = result { told.append(number) }
      }
      // The fetch of the objects already includes both saves that are merged next.
      try other.make("Person", ["name": "Yan", "age": 80])
      try other.save()
      try other.make("Person", ["name": "Xia", "age": 80])
      try other.save()
      context.processPendingChanges()
      try other.make("Person", ["name": "Wim", "age": 80])
      try other.save()
      context.processPendingChanges()
      try expectEqual(told.last, 6)
      try expectEqual(try context.count(for: request), 6)
      withExtendedLifetime(count) {}
    },
    company("count-asked", "a number that needs more than the records is asked for each time (L6)")
    {
      stack in
      let context = stack.makeContext()
      try context.mergeForLiveResults(remote: false)
      let other = stack.makeContext()
      let limited = try context.request("Person", "age >= 30", [])
      limited.fetchLimit = 2
      let simple = try context.request("Person", "age >= 30", [])
      for (request, isSnapshot) in [
        (try context.request("Person", "department.budget > 600", []), false), (limited, false),
        (simple, true),
      ] {
        var told: [Int] = []
        let count = try LiveCount(of: request, isAlwaysFetched: isSnapshot, in: context) {
          result in
          if case .success(let number) = result { told.append(number) }
        }
        for budget in [100, 9000] {
          try other.named("Department", "Sales").set("budget", Decimal(budget))
          try other.named("Person", "Eve").set("age", budget / 100)
          try other.save()
          let before = stack.coordinator.counters.fetches
          context.processPendingChanges()
          try expectEqual(stack.coordinator.counters.fetches - before, 1, "the requests")
          try expectEqual(told.last, try context.count(for: request))
        }
        try expect(!count.isKept, "the objects are not kept")
      }
    },
    company("count-bound", "a number that grows past what is kept is asked for again (L6)") {
      stack in
      let context = stack.makeContext()
      try context.mergeForLiveResults(remote: false)
      let other = stack.makeContext()
      let request = try context.request("Person", "age >= 30", [])
      var told: [Int] = []
      let count = try LiveCount(of: request, keeping: 3, in: context) { result in
        if case .success(let number) = result { told.append(number) }
      }
      func follow(
        _ expected: Int, requests: Int, isKept: Bool, _ change: () throws -> Void
      ) throws {
        try change()
        try other.save()
        let before = stack.coordinator.counters.fetches
        context.processPendingChanges()
        let fetches = stack.coordinator.counters.fetches - before
        try expectEqual(fetches, requests, "the requests for \(expected)")
        try expectEqual(told.last, expected, "the number that was told")
        try expectEqual(count.isKept, isKept, "whether the objects are kept with \(expected)")
      }
      func setAge(_ age: Int, of numbers: ClosedRange<Int>) throws {
        for number in numbers { try other.named("Person", "p\(number)").set("age", age) }
      }
      // From two to twelve at once: four are fetched, and then the number is asked for.
      try follow(12, requests: 2, isKept: false) {
        for number in 10..<20 { try other.make("Person", ["name": "p\(number)", "age": 80]) }
      }
      try follow(3, requests: 1, isKept: false) { try setAge(1, of: 11...19) }
      try follow(4, requests: 2, isKept: false) { try setAge(80, of: 11...11) }
      try follow(2, requests: 1, isKept: false) { try setAge(1, of: 10...11) }
      try follow(3, requests: 1, isKept: true) { try setAge(80, of: 10...10) }
      try follow(6, requests: 0, isKept: true) { try setAge(80, of: 11...13) }
      // The objects are released, and the count is asked for as the first step of following it so.
      try follow(7, requests: 1, isKept: false) { try setAge(80, of: 14...14) }
      try follow(6, requests: 1, isKept: false) { try setAge(1, of: 14...14) }
      withExtendedLifetime(count) {}
    },
    company("offsets", "at 256 records before the results the way of keeping them changes (L6)") {
      stack in
      let context = stack.context
      try stack.saveCrowd(of: 360)
      for offset in [255, 256, 257] {
        let request = try context.request("Person", "age == 99", [])
        (request.fetchOffset, request.fetchLimit) = (offset, 3)
        let people = try LiveWatch(context, request, options: own)
        let first = try require(
          try context.fetch(context.request("Person", "age == 99", [])).first, "the first")
        let fetches = stack.coordinator.counters.fetches
        let new = try context.make("Person", ["name": "a\(offset)", "age": 99])
        context.processPendingChanges()
        try first.set("age", 1)
        context.processPendingChanges()
        // A record after the kept ones, one that moves there from before the results, and a result.
        try new.set("name", "zz")
        try people.results[1].set("age", 2)
        context.processPendingChanges()
        let isKept = stack.coordinator.counters.fetches == fetches
        try expectEqual(isKept, offset <= 256, "no request with \(offset) before the results")
        try people.expectSameAsFetch()
        // More records leave than are kept after the results.
        let before = try context.fetch(context.request("Person", "age == 99", [])).prefix(40)
        for person in before { try person.set("age", 3) }
        context.processPendingChanges()
        try people.expectSameAsFetch()
        try expectEqual(people.results.count, 3)
        context.rollback()
        context.processPendingChanges()
        try people.expectSameAsFetch()
      }
    },
  ]
}
