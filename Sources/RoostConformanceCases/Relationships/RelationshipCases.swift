// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Inverses of every cardinality, in memory and in the store.
enum RelationshipCases {
  static let all: [ConformanceCase] =
    toOne + toMany + links + special + ordered + inverseOrders + members + pending
    + unreadOrders + ownInverse

  /// A case on the company, saved and read again.
  static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.relationships, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack)
    }
  }

  /// Checks relationships now, after a save, and read again from the store.
  static func settles(
    _ stack: ConformanceStack, _ check: (ManagedObjectContext) throws -> Void
  ) throws {
    try check(stack.context)
    try stack.context.save()
    try check(stack.context)
    try stack.readAnew()
    try check(stack.context)
  }

  private static let toOne: [ConformanceCase] = [
    company("to-one.set", "setting a to-one relationship adds to the inverse (B65)") { stack in
      let void = try stack.context.named("Department", "Void")
      try stack.context.named("Person", "Eve").set("department", void)
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Void").names("people"), ["Eve"])
        try expectEqual(try $0.named("Person", "Eve").one("department")?.text("name"), "Void")
      }
    },
    company("to-one.move", "a new destination takes the place of the old one (B66)") { stack in
      let sales = try stack.context.named("Department", "Sales")
      try stack.context.named("Person", "Ada").set("department", sales)
      try settles(stack) {
        try expectEqual(
          try $0.named("Department", "Sales").names("people"), ["Ada", "Cleo", "Dan"])
        try expectEqual(try $0.named("Department", "Research").names("people"), ["Bob"])
      }
    },
    company("to-one.clear", "nil takes the object out of the inverse (B65)") { stack in
      try stack.context.named("Person", "Ada").set("department", nil)
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Research").names("people"), ["Bob"])
        try expect(try $0.named("Person", "Ada").one("department") == nil, "it is nil")
      }
    },
    company("to-one.loaded-inverse", "an inverse that was read before is kept up (B65)") { stack in
      let research = try stack.context.named("Department", "Research")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      try stack.context.named("Person", "Eve").set("department", research)
      try expectEqual(try research.names("people"), ["Ada", "Bob", "Eve"])
      try stack.context.named("Person", "Ada").set("department", nil)
      try expectEqual(try research.names("people"), ["Bob", "Eve"])
    },
    company("to-one.same", "setting the same destination changes nothing (B55)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("department", try ada.one("department"))
      try expect(!ada.hasPersistentChangedValues, "nothing differs")
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Research").names("people"), ["Ada", "Bob"])
      }
    },
    company("one-to-one.set", "one-to-one relationships have one owner each (B65)") { stack in
      let desk = try stack.context.make("Desk", ["name": "d"])
      try stack.context.named("Person", "Ada").set("desk", desk)
      try settles(stack) {
        try expectEqual(try $0.named("Desk", "d").one("owner")?.text("name"), "Ada")
      }
    },
    company("one-to-one.steal", "a stolen destination leaves nil behind (B67)") { stack in
      let desk = try stack.context.make("Desk", ["name": "d"])
      try stack.context.named("Person", "Ada").set("desk", desk)
      try stack.context.save()
      try stack.context.named("Person", "Bob").set("desk", desk)
      try settles(stack) {
        try expectEqual(try $0.named("Desk", "d").one("owner")?.text("name"), "Bob")
        try expect(try $0.named("Person", "Ada").one("desk") == nil, "Ada has no desk")
      }
    },
    company("one-to-one.steal-both", "exchange of one-to-one destinations frees the others (B67)") {
      stack in
      let context = stack.context
      let (ada, bob) = (try context.named("Person", "Ada"), try context.named("Person", "Bob"))
      let (d, e) = (
        try context.make("Desk", ["name": "d"]), try context.make("Desk", ["name": "e"])
      )
      try ada.set("desk", d)
      try bob.set("desk", e)
      try context.save()
      try stack.readAnew()
      let fresh = stack.context
      try fresh.named("Desk", "e").set("owner", try fresh.named("Person", "Ada"))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").one("desk")?.text("name"), "e")
        try expect(try $0.named("Person", "Bob").one("desk") == nil, "Bob has no desk")
        try expect(try $0.named("Desk", "d").one("owner") == nil, "d has no owner")
      }
    },
  ]

  private static let toMany: [ConformanceCase] = [
    company("to-many.add", "adding a member sets its to-one side (B65, B68)") { stack in
      let void = try stack.context.named("Department", "Void")
      try void.add(try stack.context.named("Person", "Eve"), to: "people")
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Eve").one("department")?.text("name"), "Void")
        try expectEqual(try $0.named("Department", "Void").names("people"), ["Eve"])
      }
    },
    company("to-many.remove", "removing a member clears its to-one side (B65, B68)") { stack in
      let research = try stack.context.named("Department", "Research")
      try research.remove(try stack.context.named("Person", "Bob"), from: "people")
      try settles(stack) {
        try expect(try $0.named("Person", "Bob").one("department") == nil, "Bob has none")
        try expectEqual(try $0.named("Department", "Research").names("people"), ["Ada"])
      }
    },
    company("to-many.replace", "a new collection relates and unrelates (B68)") { stack in
      let context = stack.context
      let members = try ["Bob", "Dan", "Eve"].map { try context.named("Person", $0) }
      try context.named("Department", "Research").set("people", Set(members))
      try settles(stack) {
        try expectEqual(
          try $0.named("Department", "Research").names("people"), ["Bob", "Dan", "Eve"])
        try expectEqual(try $0.named("Department", "Sales").names("people"), ["Cleo"])
        try expect(try $0.named("Person", "Ada").one("department") == nil, "Ada has none")
      }
    },
    company("to-many.empty", "an empty collection unrelates all (B68)") { stack in
      try stack.context.named("Department", "Research").set("people", Set<ManagedObject>())
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Research").names("people"), [])
        try expect(try $0.named("Person", "Ada").one("department") == nil, "Ada has none")
      }
    },
    company("to-many.touched", "an object touched through an inverse is updated and saved (B69)") {
      stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try context.named("Department", "Void").add(ada, to: "people")
      try expect(ada.isUpdated, "Ada is updated")
      try expect(context.updatedObjects.contains(ada), "she is among the updated objects")
    },
    company(
      "to-many.new-with-new", "unsaved objects are related before they have IDs (B65)"
    ) { stack in
      let context = stack.context
      let lab = try context.make("Department", ["name": "Lab"])
      let zoe = try context.make("Person", ["name": "Zoe", "department": lab])
      let max = try context.make("Person", ["name": "Max", "manager": zoe])
      try lab.add(max, to: "people")
      try settles(stack) {
        try expectEqual(try $0.named("Department", "Lab").names("people"), ["Max", "Zoe"])
        try expectEqual(try $0.named("Person", "Zoe").names("reports"), ["Max"])
      }
    },
    company("reflexive", "a relationship may lead back to its entity (B76)") { stack in
      let context = stack.context
      try context.named("Person", "Eve").set("manager", try context.named("Person", "Dan"))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Dan").names("reports"), ["Eve"])
        try expectEqual(try $0.named("Person", "Ada").names("reports"), ["Bob", "Cleo"])
      }
    },
    company("reflexive.self", "an object may be its own destination (B76)") { stack in
      let eve = try stack.context.named("Person", "Eve")
      try eve.set("manager", eve)
      try settles(stack) {
        let eve = try $0.named("Person", "Eve")
        try expect(try eve.one("manager") === eve, "she is her own manager")
        try expectEqual(try eve.names("reports"), ["Eve"])
      }
    },
  ]
}
