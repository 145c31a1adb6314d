// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  static let pending: [ConformanceCase] = [
    company(
      "pending.insert", "an unsaved object that matches is found, in its place (B121, B124)"
    ) {
      try $0.make("Person", ["name": "Bea", "age": 25])
      try $0.make("Person", ["name": "Max", "age": 99])
      try expectEqual(try $0.names("Person", "age == 25"), ["Bea", "Bob", "Eve"])
    },
    company("pending.update-in", "a changed object that matches by now is found (B121)") {
      try $0.named("Person", "Ada").set("age", 25)
      try expectEqual(try $0.names("Person", "age == 25"), ["Ada", "Bob", "Eve"])
    },
    company("pending.update-out", "a changed object that matches no more is not found (B121)") {
      try $0.named("Person", "Bob").set("age", 26)
      try expectEqual(try $0.names("Person", "age == 25"), ["Eve"])
    },
    company("pending.delete", "a deleted object is not found before the save (B91)") {
      $0.delete(try $0.named("Person", "Bob"))
      try expectEqual(try $0.names("Person", "age == 25"), ["Eve"])
      try expectEqual(try $0.names("Person"), ["Ada", "Cleo", "Dan", "Eve"])
    },
    company("pending.sort", "a changed object moves to its place in the order (B124)") {
      try $0.named("Person", "Ada").set("name", "Xaver")
      try expectEqual(try $0.names("Person"), ["Bob", "Cleo", "Dan", "Eve", "Xaver"])
    },
    company("pending.path", "a change at the end of a path counts (B121)") {
      try $0.named("Department", "Research").set("name", "Lab")
      try expectEqual(try $0.names("Person", "department.name == 'Lab'"), ["Ada", "Bob"])
      try expectEqual(try $0.names("Person", "department.name == 'Research'"), [])
    },
    company("pending.to-one", "a changed relationship counts (B121)") {
      let sales = try $0.named("Department", "Sales")
      try $0.named("Person", "Eve").set("department", sales)
      try expectEqual(
        try $0.names("Person", "department.name == 'Sales'"), ["Cleo", "Dan", "Eve"])
      try expectEqual(try $0.names("Department", "people.@count == 3"), ["Sales"])
    },
    company("pending.to-many", "a changed collection counts in ANY (B121)") {
      try $0.named("Department", "Void").set("people", Set([try $0.named("Person", "Ada")]))
      try expectEqual(try $0.names("Department", "ANY people.age == 36"), ["Void"])
    },
    company("pending.links", "a changed link counts from both sides (B77, B121)") {
      let idle = try $0.named("Project", "Idle")
      try $0.named("Person", "Eve").add(idle, to: "projects")
      try expectEqual(try $0.names("Person", "ANY projects.name == 'Idle'"), ["Eve"])
      try expectEqual(try $0.names("Project", "ANY members.name == 'Eve'"), ["Idle"])
    },
    company("pending.deleted-member", "a deleted object is no member any more (B91)") {
      $0.delete(try $0.named("Person", "Bob"))
      try expectEqual(try $0.names("Department", "people.@count == 1"), ["Research"])
      try expectEqual(try $0.names("Department", "ANY people.age == 25"), [])
    },
    company("pending.sort-path", "an order through a changed object counts (B124)") {
      try $0.named("Department", "Research").set("name", "Zoo")
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("department.name"), SortOrdering("name")]
      let names = try $0.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(names, ["Eve", "Cleo", "Dan", "Ada", "Bob"])
    },
    company("pending.subquery", "a SUBQUERY sees unsaved changes (B121)") {
      try $0.named("Person", "Cleo").set("age", 31)
      try expectEqual(
        try $0.names("Department", "SUBQUERY(people, $p, $p.age > 30).@count == 2"), ["Sales"])
    },
    company("pending.count", "a count has the unsaved changes, too (B130)") { context in
      try context.make("Person", ["name": "Bea", "age": 25])
      context.delete(try context.named("Person", "Bob"))
      let request = try context.request("Person", "age == 25", [])
      try expectEqual(try context.count(for: request), 2, "Bea and Eve")
      try expectEqual(try context.fetch(request).count, 2, "the number of objects")
    },
    company("pending.ids", "IDs of unsaved objects are temporary (B24, B130)") { context in
      let bea = try context.make("Person", ["name": "Bea", "age": 25])
      let request = FetchRequest<ObjectID>(entityName: "Person")
      request.predicate = try FetchPredicate("age == 25")
      let ids = try context.fetch(request)
      try expectEqual(ids.count, 3, "the number of IDs")
      try expect(ids.contains(bea.objectID), "the unsaved object's ID is among them")
    },
    company(
      "pending.excluded", "the store alone is judged when pending changes are left out (B122)"
    ) {
      context in
      try context.make("Person", ["name": "Bea", "age": 25])
      try context.named("Person", "Ada").set("age", 25)
      try context.named("Person", "Bob").set("age", 26)
      context.delete(try context.named("Person", "Eve"))
      let request = try context.request("Person", "age == 25", [])
      request.includesPendingChanges = false
      let ids = try context.fetch(request).map(\.objectID)
      let found = try ids.map { try context.existingObject(with: $0) }
      try expectEqual(try found.map { try $0.text("name") }, ["Bob", "Eve"])
      try expectEqual(try context.count(for: request), 2, "the count in the store")
    },
    company("pending.after-rollback", "after a rollback the store is the truth (B114)") {
      try $0.make("Person", ["name": "Bea", "age": 25])
      try $0.named("Person", "Ada").set("age", 25)
      $0.delete(try $0.named("Person", "Bob"))
      $0.rollback()
      try expectEqual(try $0.names("Person", "age == 25"), ["Bob", "Eve"])
    },
    company(
      "pending.cascade", "what a deletion deletes is not found either (B84, B91)"
    ) { context in
      try context.named("Department", "Research").set("people", Set<ManagedObject>())
      context.delete(try context.named("Department", "Research"))
      try expectEqual(try context.names("Person", "department == nil"), ["Ada", "Bob", "Eve"])
    },
  ]

  /// All limits and offsets over all kinds of unsaved changes: twelve objects in the store, three of them changed,
  /// moved or deleted, and three new ones.
  static let pendingWindows: [ConformanceCase] = [0, 1, 3, 5].flatMap { offset in
    [0, 1, 2, 4, 20].map { limit in
      ConformanceCase(
        .fetching, "pending.window-\(offset)-\(limit)",
        "offset \(offset) and limit \(limit) apply to stored and unsaved objects (B124, B125)"
      ) { stage in
        let stack = try stage.open(SampleModel.make())
        for letter in "bdfhjlnprtvx" {
          try stack.context.make("Sample", ["name": String(letter), "integer16": 1])
        }
        try stack.context.save()
        try stack.readAnew()
        let context = stack.context
        try context.named("Sample", "d").set("name", "w")
        try context.named("Sample", "h").set("integer16", 2)
        context.delete(try context.named("Sample", "n"))
        for name in ["a", "m", "z"] { try context.make("Sample", ["name": name, "integer16": 1]) }
        let request = try context.request("Sample", "integer16 == 1", [])
        request.fetchOffset = offset
        request.fetchLimit = limit
        let all = Array("abfjlmprtvwxz").dropFirst(offset)
        let wanted = limit == 0 ? all : all.prefix(limit)
        let found = try context.fetch(request).map { try $0.text("name") ?? "" }
        try expectEqual(found.joined(), String(wanted), "the window")
        try expectEqual(try context.count(for: request), wanted.count, "its count")
      }
    }
  }
}
