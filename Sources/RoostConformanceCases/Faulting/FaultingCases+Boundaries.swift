// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Side effects that reads must not have.
extension FaultingCases {
  /// The names of all people and departments, fetched.
  private static func names(in stack: ConformanceStack) throws -> [ObjectID: String] {
    let context = stack.makeContext()
    // Objects do not keep their context alive.
    return try withExtendedLifetime(context) {
      var names: [ObjectID: String] = [:]
      for object in try context.all("Person") + context.all("Department") {
        names[object.objectID] = try object.text("name")
      }
      return names
    }
  }

  /// Looks a record up in a new context.
  ///
  /// - Parameter name: The expected name; nil for a deleted record.
  private static func lookUp(
    _ id: ObjectID, _ name: String?, in stack: ConformanceStack
  ) throws {
    let context = stack.makeContext()
    try withExtendedLifetime(context) {
      let cost = try trips(stack) {
        if let name {
          try expectEqual(try context.existingObject(with: id).text("name"), name, "the name")
        } else {
          try expectError(.objectReferentialIntegrity) {
            _ = try context.existingObject(with: id)
          }
        }
      }
      try expectEqual(cost, 1, "the round trips of a look-up")
    }
  }

  static let boundaries: [ConformanceCase] = [
    crowd(
      "existing-gone", "existingObject throws, and asks nobody what a missing record means (B42)"
    ) {
      stack in
      let context = stack.context
      let fault = try context.named("Person", "39")
      try context.refresh(fault, mergeChanges: false)
      let unknown = try stack.makeContext().named("Person", "38").objectID
      let other = stack.makeContext()
      for id in [fault.objectID, unknown] { other.delete(other.object(with: id)) }
      try other.save()
      var asked = 0
      context.shouldHandleInaccessibleFault = { _, _ in
        asked += 1
        return true
      }
      for id in [fault.objectID, unknown] {
        try expectError(.objectReferentialIntegrity) { _ = try context.existingObject(with: id) }
      }
      try expectEqual(asked, 0, "how often it was asked")
      try expect(!fault.isDeleted && context.deletedObjects.isEmpty, "nothing is deleted")
      try expectExact(try fault.get("name"), .null)
      try expectEqual(asked, 1, "how often it was asked when the fault fired")
    },
    crowd(
      "one-by-one", "records looked up by ID one at a time are as they are stored now (B42, B50)"
    ) { stack in
      let ids = Array(try names(in: stack).keys.sorted { $0.key < $1.key }.reversed())
      let other = stack.makeContext()
      for turn in 0..<3 {
        try other.object(with: ids[turn]).set("name", "changed \(turn)")
        other.delete(other.object(with: ids[10 + turn]))
        try other.save()
        let expected = try names(in: stack)
        try expectEqual(expected.count, ids.count - turn - 1, "the records")
        for id in ids { try lookUp(id, expected[id], in: stack) }
      }
    },
    crowd("stale-realised", "no staleness touches an object that has its values (B50)") { stack in
      let context = stack.context
      let person = try context.named("Person", "10")
      try expectEqual(try person.number("age"), 10)
      let other = stack.makeContext()
      try other.object(with: person.objectID).set("age", 50)
      try other.save()
      context.stalenessInterval = 0
      let cost = try trips(stack) { try expectEqual(try person.number("age"), 10, "the age") }
      try expectEqual(cost, 0, "the round trips")
      try context.refresh(person, mergeChanges: false)
      try expectEqual(try person.number("age"), 50, "the age once it is a fault again")
    },
    crowd("count-only", "@count in a predicate loads none of the counted objects (B144)") { stack in
      let context = stack.context
      context.resetCounters()
      let request = try context.request("Department", "people.@count == 10 AND name != 'd1'", [])
      let found = try context.fetch(request)
      try expectEqual(try found.map { try $0.text("name") }, ["d0", "d2"], "the departments")
      try expectEqual(context.counters.rowsFetched, 2, "the rows")
      try expectEqual(context.counters.objectsRegistered, 2, "the objects")
      try expectEqual(context.counters.roundTrips, 1, "the round trips")
      try expectEqual(context.registeredObjects.count, 2, "the registered objects")
    },
    ConformanceCase(
      .faulting, "awake-relationship",
      "a relationship that awakeFromFetch sets keeps no inverse, and is no change (B48)"
    ) { stage in
      let (stack, _) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p"])
      try stack.context.make("Parent", ["name": "q"])
      try stack.context.make("Child", ["name": "c", "parent": parent])
      try stack.context.save()
      try stack.readAnew()
      let context = stack.context
      let hooks = Hooks()
      context.userInfo["hooks"] = hooks
      let (owner, other) = (try context.named("Parent", "p"), try context.named("Parent", "q"))
      try expectEqual(try other.names("children"), [], "the other parent's children")
      hooks.onCall = { hook, object in
        guard hook == .awakeFromFetch, object.entity.name == "Child" else { return }
        try object.set("parent", other)
      }
      let child = try context.named("Child", "c")
      _ = try child.get("name")
      try expect(try child.one("parent") === other, "the child has what was set")
      try expectEqual(try other.names("children"), [], "the other parent's children afterwards")
      try expectEqual(try owner.names("children"), ["c"], "the parent's children")
      try expect(!context.hasChanges, "nothing is changed")
      try expect(!child.hasChanges && !other.hasChanges && !owner.hasChanges, "nobody is")
      _ = try hooks.take()
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Child", "c").one("parent")?.text("name"), "p")
    },
  ]
}
