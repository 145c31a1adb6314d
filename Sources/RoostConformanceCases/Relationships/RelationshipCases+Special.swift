// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension RelationshipCases {
  static let links: [ConformanceCase] = [
    company("links.symmetric", "a link that is added on one side is there on both, once (B77)") {
      stack in
      let context = stack.context
      let idle = try context.named("Project", "Idle")
      let eve = try context.named("Person", "Eve")
      try eve.add(idle, to: "projects")
      try idle.add(eve, to: "members")
      try settles(stack) {
        try expectEqual(try $0.named("Project", "Idle").names("members"), ["Eve"])
        try expectEqual(try $0.named("Person", "Eve").names("projects"), ["Idle"])
      }
    },
    company("links.remove-other-side", "a link is removed from the other side (B77)") { stack in
      let engine = try stack.context.named("Project", "Engine")
      try engine.remove(try stack.context.named("Person", "Ada"), from: "members")
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("projects"), ["Notes"])
        try expectEqual(try $0.named("Project", "Engine").names("members"), ["Bob"])
      }
    },
    company("links.remove-and-add", "a link that is removed and added again stays (B77)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      let engine = try stack.context.named("Project", "Engine")
      try ada.remove(engine, from: "projects")
      try ada.add(engine, to: "projects")
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("projects"), ["Engine", "Notes"])
      }
    },
    company("links.delete", "a deleted object leaves all its links (B85)") { stack in
      stack.context.delete(try stack.context.named("Project", "Notes"))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("projects"), ["Engine"])
        try expectEqual(try $0.named("Person", "Dan").names("projects"), [])
      }
    },
    company("links.many", "a set of links is written whole (B77)") { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      let projects = try (0..<50).map { try context.make("Project", ["name": "p\($0)"]) }
      try ada.set("projects", Set(projects))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").many("projects").count, 50)
        try expectEqual(try $0.named("Project", "Engine").names("members"), ["Bob"])
        try expectEqual(try $0.names("Project", "members.@count == 1").count, 52)
      }
    },
  ]

  static let special: [ConformanceCase] = [
    company("self-inverse.links", "a friend's friend list has oneself (B76)") { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try ada.set(
        "friends", Set([try context.named("Person", "Bob"), try context.named("Person", "Eve")]))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("friends"), ["Bob", "Eve"])
        try expectEqual(try $0.named("Person", "Bob").names("friends"), ["Ada"])
      }
      let fresh = stack.context
      try fresh.named("Person", "Bob").set("friends", Set<ManagedObject>())
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("friends"), ["Eve"])
      }
    },
    company("self-inverse.oneself", "one may be one's own friend (B76)") { stack in
      let eve = try stack.context.named("Person", "Eve")
      try eve.add(eve, to: "friends")
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Eve").names("friends"), ["Eve"])
      }
      let again = try stack.context.named("Person", "Eve")
      try again.remove(again, from: "friends")
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Eve").names("friends"), [])
      }
    },
    company("self-inverse.to-one", "a partner's partner is oneself (B67, B76)") { stack in
      let context = stack.context
      let (ada, bob) = (try context.named("Person", "Ada"), try context.named("Person", "Bob"))
      try ada.set("partner", bob)
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Bob").one("partner")?.text("name"), "Ada")
      }
      let fresh = stack.context
      try fresh.named("Person", "Cleo").set("partner", try fresh.named("Person", "Bob"))
      try settles(stack) {
        try expect(try $0.named("Person", "Ada").one("partner") == nil, "Ada is alone")
        try expectEqual(try $0.named("Person", "Bob").one("partner")?.text("name"), "Cleo")
      }
    },
    ConformanceCase(
      .relationships, "no-inverse.to-one", "a to-one relationship may have no inverse (B71)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name")])
      sketch.add("Page", [.string("name")])
      sketch.relate(.init("Note", "page", .one), to: "Page")
      let stack = try stage.open(sketch.make())
      let page = try stack.context.make("Page", ["name": "p"])
      try stack.context.make("Note", ["name": "n", "page": page])
      try settles(stack) {
        try expectEqual(try $0.named("Note", "n").one("page")?.text("name"), "p")
        try expectEqual(try $0.names("Note", "page.name == 'p'"), ["n"])
      }
    },
    ConformanceCase(
      .relationships, "no-inverse.to-many", "a to-many relationship may have no inverse (B71)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name")])
      sketch.add("Page", [.string("name")])
      sketch.relate(.init("Note", "pages", .many), to: "Page")
      let stack = try stage.open(sketch.make())
      let pages = try ["p", "q", "r"].map { try stack.context.make("Page", ["name": $0]) }
      try stack.context.make("Note", ["name": "n", "pages": Set(pages)])
      try stack.context.make("Note", ["name": "o", "pages": Set(pages.prefix(1))])
      try settles(stack) {
        try expectEqual(try $0.named("Note", "n").names("pages"), ["p", "q", "r"])
        try expectEqual(try $0.named("Note", "o").names("pages"), ["p"])
        try expectEqual(try $0.names("Note", "ANY pages.name == 'q'"), ["n"])
        try expectEqual(try $0.names("Note", "pages.@count == 1"), ["o"])
      }
      let fresh = stack.context
      try fresh.named("Note", "n").remove(try fresh.named("Page", "q"), from: "pages")
      try settles(stack) {
        try expectEqual(try $0.named("Note", "n").names("pages"), ["p", "r"])
      }
    },
    ConformanceCase(
      .relationships, "no-inverse.forgotten",
      "a destination that was never saved and is forgotten is refused by the save (B71, B89)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name")])
      sketch.add("Page", [.string("name")])
      sketch.relate(.init("Note", "page", .one), to: "Page")
      sketch.relate(.init("Note", "pages", .many), to: "Page")
      let stack = try stage.open(sketch.make())
      let page = try stack.context.make("Page", ["name": "p"])
      let new = try stack.context.make("Note", ["name": "n", "page": page, "pages": Set([page])])
      stack.context.delete(page)
      try expectError(.externalRelationship, "the save") { try stack.context.save() }
      try new.set("page", nil)
      try new.set("pages", Set<ManagedObject>())
      try stack.context.save()
      try stack.readAnew()
      let note = try stack.context.named("Note", "n")
      try expect(try note.one("page") == nil, "the to-one relationship is nil")
      try expectEqual(try note.many("pages").count, 0, "the to-many relationship's destinations")
      try expectEqual(try stack.context.names("Note", "page == nil AND pages.@count == 0"), ["n"])
    },
    company("set.no-duplicates", "a set has no duplicates (B75)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("projects", Array(try ada.many("projects")) + (try ada.many("projects")))
      try settles(stack) {
        try expectEqual(try $0.named("Person", "Ada").names("projects"), ["Engine", "Notes"])
      }
    },
    company(
      "fault-keeps-identity", "reading related objects changes no identity (B38, B39)"
    ) { stack in
      let bob = try stack.context.named("Person", "Bob")
      let manager = try require(try bob.one("manager"))
      try expect(manager.isFault, "the destination is a fault")
      let id = manager.objectID
      try expectEqual(try manager.text("name"), "Ada")
      try expectEqual(manager.objectID, id, "its ID")
      try expect(try bob.one("manager") === manager, "the object is the same")
    },
  ]
}
