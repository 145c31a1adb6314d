// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Changes, counts and membership tests of to-many relationships whose destinations are not read.
extension RelationshipCases {
  static let members: [ConformanceCase] = [
    company("members.count", "every relationship is counted without being read (B52)") { stack in
      let other = stack.makeContext()
      for (entity, key) in many {
        for object in try stack.context.all(entity) {
          let set = try object.mutableSetValue(forKey: key)
          let wanted = try other.object(with: object.objectID).many(key)
          try expectEqual(set.count, wanted.count, "\(entity).\(key)")
          try expect(object.hasFault(forRelationshipNamed: key), "\(key) is not loaded")
          for candidate in wanted {
            let member = stack.context.object(with: candidate.objectID)
            try expect(set.contains(member), "\(entity).\(key) contains what it has")
          }
          try expect(object.hasFault(forRelationshipNamed: key), "\(key) is not loaded by tests")
        }
      }
    },
    company("members.contains-not", "what is no member is not said to be one (B52)") { stack in
      let research = try stack.context.named("Department", "Research")
      let people = try research.mutableSetValue(forKey: "people")
      let engine = try stack.context.named("Project", "Engine")
      let members = try engine.mutableSetValue(forKey: "members")
      let dan = try stack.context.named("Person", "Dan")
      try expect(!people.contains(dan) && !members.contains(dan), "Dan is elsewhere")
      let new = try stack.context.make("Person", ["name": "new"])
      try expect(!people.contains(new) && !members.contains(new), "a new person is nowhere")
      try expect(research.hasFault(forRelationshipNamed: "people"), "nothing is loaded")
    },
    company("members.pending", "unsaved changes count in what is not read (B52, B65)") { stack in
      let context = stack.context
      let research = try context.named("Department", "Research")
      let people = try research.mutableSetValue(forKey: "people")
      let (ada, dan) = (try context.named("Person", "Ada"), try context.named("Person", "Dan"))
      people.insert(dan)
      people.insert(ada)
      people.insert(try context.make("Person", ["name": "new"]))
      people.remove(ada)
      try expectEqual(people.count, 3, "Bob, Dan and the new one")
      try expect(people.contains(dan) && !people.contains(ada), "the changes count")
      try expect(try ada.one("department") == nil, "the other side knows")
      let engine = try context.named("Project", "Engine")
      let members = try engine.mutableSetValue(forKey: "members")
      members.insert(dan)
      members.insert(ada)
      members.remove(try context.named("Person", "Bob"))
      try expectEqual(members.count, 2, "Ada and Dan")
      try expect(engine.hasFault(forRelationshipNamed: "members"), "nothing is loaded")
      try expect(research.hasFault(forRelationshipNamed: "people"), "nothing is loaded")
      try settles(stack) {
        try expectEqual(
          try $0.named("Department", "Research").names("people"), ["Bob", "Dan", "new"])
        try expectEqual(try $0.named("Project", "Engine").names("members"), ["Ada", "Dan"])
        try expectEqual(try $0.named("Person", "Dan").names("projects"), ["Engine", "Notes"])
      }
    },
    company("members.itself", "a relationship that is its own inverse is changed unread (B76)") {
      stack in
      let (ada, bob) = (
        try stack.context.named("Person", "Ada"), try stack.context.named("Person", "Bob")
      )
      let friends = try ada.mutableSetValue(forKey: "friends")
      friends.insert(bob)
      try expectEqual(friends.count, 1, "the friends")
      try stack.context.save()
      try stack.readAnew()
      let again = try stack.context.named("Person", "Ada")
      let found = try again.mutableSetValue(forKey: "friends")
      let other = try stack.context.named("Person", "Bob")
      try expect(found.contains(other) && found.count == 1, "Bob is a friend")
      found.remove(other)
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Bob").names("friends"), [])
      }
    },
    company("members.many", "a thousand members are added without reading one (B65)") { stack in
      let context = stack.context
      let research = try context.named("Department", "Research")
      let people = try research.mutableSetValue(forKey: "people")
      let before = stack.coordinator.counters.roundTrips
      for index in 0..<1000 {
        people.insert(try context.make("Person", ["name": "\(index)"]))
      }
      try expectEqual(stack.coordinator.counters.roundTrips, before, "the round trips")
      try context.save()
      try expectEqual(people.count, 1002, "the members")
      try expect(research.hasFault(forRelationshipNamed: "people"), "nothing is loaded")
    },
    company("members.refresh", "a refreshed object leaves where it was put (B46)") { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      let research = try context.named("Department", "Research")
      let void = try context.named("Department", "Void")
      _ = try (research.many("people"), void.many("people"))
      try ada.set("department", void)
      try ada.set("projects", nil)
      let engine = try context.named("Project", "Engine")
      try expectEqual(try engine.names("members"), ["Bob"])
      try context.refresh(ada, mergeChanges: false)
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      try expectEqual(try void.names("people"), [])
      try expectEqual(try engine.names("members"), ["Ada", "Bob"])
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Research").names("people"), ["Ada", "Bob"])
        try expectEqual(try $0.named("Person", "Ada").names("projects"), ["Engine", "Notes"])
      }
    },
  ]

  /// The to-many relationships of ``CompanyModel``.
  private static let many = [
    ("Department", "people"), ("Person", "reports"), ("Person", "projects"),
    ("Project", "members"), ("Person", "friends"),
  ]
}
