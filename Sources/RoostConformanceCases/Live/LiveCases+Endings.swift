// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension LiveCases {
  static let endings: [ConformanceCase] = [
    company("reset", "after a reset the results are other objects of the same records (L1)") {
      stack in
      let context = stack.context
      let people = try LiveWatch(context, context.request("Person", "age >= 30", []))
      try context.make("Person", ["name": "Zoe", "age": 80])
      context.processPendingChanges()
      try people.expect(["Ada", "Dan", "Zoe"], "+Zoe 2")
      let old = people.results.elements
      context.reset()
      try expectEqual(people.results.count, 0, "nothing before the end of the event")
      context.processPendingChanges()
      try people.expect(["Ada", "Dan"], "-Zoe 2 reset")
      try expect(
        people.results.elements.allSatisfy { new in !old.contains { $0 === new } }, "new objects")
    },
    company("stop", "who stops, or goes, is not followed any more and leaves nothing (L12)") {
      stack in
      let context = stack.context
      for round in 0..<300 {
        let results = try context.live(context.request("Person", "age >= %d", [round % 7]))
        if round % 2 == 0 { results.stop() }
      }
      try expectEqual(context.liveQueryCount, 0)
      let people = try context.live(context.request("Person", "age >= 30", []))
      people.stop()
      try context.named("Person", "Ada").set("age", 1)
      context.processPendingChanges()
      try expectEqual(people.count, 2, "the results stay as they were")
      try expectEqual(context.liveQueryCount, 0)
    },
    ConformanceCase(
      .live, "failed", "results that cannot be read are behind, and come back (L10)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      context.stalenessInterval = 0
      let people = try LiveWatch(
        context, context.request("Person", "department.budget >= 1000", []))
      try people.expect(["Ada", "Bob"])
      let sales = try context.named("Department", "Sales")
      try sales.set("budget", Decimal(5000))
      faults.fail(.fetch)
      context.processPendingChanges()
      try expect(people.results.isStale, "the results are behind")
      try expectEqual(people.results.error?.code, FaultSwitch.error.code)
      try expectEqual(try people.names, ["Ada", "Bob"], "what is shown meanwhile")
      faults.clear()
      try sales.set("name", "Sales!")
      context.processPendingChanges()
      try expect(!people.results.isStale, "they are current again")
      try people.expect(["Ada", "Bob", "Cleo", "Dan"])
    },
    company("removed", "when its store is removed, the results say so (L10)") { stack in
      let people = try LiveWatch(stack.context, stack.context.request("Person", nil, []))
      try expectEqual(people.results.count, 5)
      for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
      stack.context.processPendingChanges()
      try expectEqual(people.results.error?.code, .noStore)
      try expectEqual(people.results.count, 0)
    },
  ]
}

extension ConformanceStack {
  /// Saves people aged 99, named p10, p11 and so on.
  func saveCrowd(of count: Int) throws {
    for number in 0..<count { try context.make("Person", ["name": "p\(10 + number)", "age": 99]) }
    try context.save()
  }
}

extension ManagedObjectContext {
  /// The object of a name among live results: nothing is fetched.
  func registeredPerson(_ name: String, in watch: LiveWatch) throws -> ManagedObject {
    try require(try watch.results.first { try $0.text("name") == name }, name)
  }
}
