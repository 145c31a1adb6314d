// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Counts and lists of members while deletions and moves are pending.
extension RelationshipCases {
  static let pending: [ConformanceCase] = [
    company("members.deleted", "a deleted member is none, read or not (B52, B91)") { stack in
      let context = stack.context
      let bob = try context.named("Person", "Bob")
      let ada = try context.named("Person", "Ada")
      context.delete(bob)
      context.processPendingChanges()
      let research = try context.named("Department", "Research")
      let people = try research.mutableSetValue(forKey: "people")
      try expectEqual(people.count, 1, "the count")
      try expect(!people.contains(bob), "Bob is no member")
      try expectEqual(
        try research.objectIDs(forRelationshipNamed: "people"), [ada.objectID], "the IDs")
      try expectEqual(whole(try research.value(forKeyPath: "people.@count")), 1, "@count")
      try expectEqual(try research.names("people"), ["Ada"], "the members")
    },
    company("members.moved", "refreshing the old owner of a moved object does not move it (B46)") {
      stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      let research = try context.named("Department", "Research")
      let sales = try context.named("Department", "Sales")
      for department in [research, sales] { _ = try department.names("people") }
      try ada.set("department", sales)
      try context.refresh(research, mergeChanges: false)
      try expect(try ada.one("department") === sales, "Ada stays where she was moved to")
      let people = try research.mutableSetValue(forKey: "people")
      try expectEqual(people.count, 1, "the count")
      try expect(!people.contains(ada), "Ada is no member")
      try expectEqual(try research.names("people"), ["Bob"], "the old owner's people")
      try expectEqual(try sales.names("people"), ["Ada", "Cleo", "Dan"], "the new owner's people")
      context.rollback()
      try expectEqual(try research.names("people"), ["Ada", "Bob"], "after a rollback")
      try expectEqual(try sales.names("people"), ["Cleo", "Dan"], "after a rollback")
    },
  ]
}
