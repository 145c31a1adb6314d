// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Calls that make no sense: an error each, and nothing half done.
enum MisuseCases {
  static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.misuse, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack)
    }
  }

  static let all: [ConformanceCase] = keys + types + contexts + requests + waysOut

  private static let keys: [ConformanceCase] = [
    company("unknown-key-get", "reading an unknown key throws (B53)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      for key in ["nobody", "", "Name", "name ", "department.nobody", "@count", "_pk", "@position"]
      {
        try expectError(.unknownKey, "the key \(key)") { _ = try ada.value(forKeyPath: key) }
      }
    },
    company("endless-key-path", "a key path of more steps than anybody has is refused (B53)") {
      stack in
      let ada = try stack.context.named("Person", "Ada")
      let path = Array(repeating: "partner", count: 100_000).joined(separator: ".")
      try expectError(.limitExceeded, "reading") { _ = try ada.value(forKeyPath: path) }
      try expectError(.limitExceeded, "setting") { try ada.setValue(nil, forKeyPath: path) }
      let longest = Array(repeating: "partner", count: 200).joined(separator: ".")
      try expect(try ada.value(forKeyPath: longest) == nil, "200 steps lead nowhere")
    },
    company(
      "unknown-key-set", "setting an unknown key throws, and changes nothing (B53)"
    ) { stack in
      let ada = try stack.context.named("Person", "Ada")
      try expectError(.unknownKey) { try ada.set("nobody", 1) }
      try expectError(.unknownKey) { try ada.set("department.name", "x") }
      try expect(!stack.context.hasChanges, "nothing is changed")
    },
    company("unknown-key-committed", "asking for unknown committed values throws (B53)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try expectError(.unknownKey) { _ = try ada.committedValues(forKeys: ["nobody"]) }
    },
    company("unknown-key-predicate", "a predicate with an unknown key throws (B138)") { stack in
      for format in [
        "nobody == 1", "department.nobody == 1", "ANY people.age == 1",
        "department.name.first == 1",
        "SUBQUERY(nobody, $x, $x.age == 1).@count > 0", "projects.@sum.nobody == 1",
      ] {
        try expectError(.unknownKey, format) { _ = try stack.context.names("Person", format) }
      }
    },
    company("unknown-key-sort", "an order by an unknown key throws (B138)") { stack in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("nobody")]
      try expectError(.unknownKey) { _ = try stack.context.fetch(request) }
    },
    company("unknown-prefetch", "prefetching an unknown relationship throws (B138)") { stack in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.relationshipKeyPathsForPrefetching = ["nobody"]
      try expectError(.unknownKey) { _ = try stack.context.fetch(request) }
    },
  ]

  private static let types: [ConformanceCase] = [
    company("wrong-type", "a value of another type throws, and changes nothing (B53)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      let wrong: [(String, Any)] = [
        ("age", "x"), ("age", Date()), ("age", Int64.max), ("age", 1.5), ("name", 1),
        ("born", 1), ("badge", "x"), ("isActive", "YES"), ("salary", "1"), ("name", ada),
        ("department", "Research"), ("department", 1), ("projects", "x"), ("projects", [1]),
        ("department", [ada]), ("projects", ada),
      ]
      for (key, value) in wrong {
        try expectError(.invalidValue, "\(key) = \(value)") { try ada.set(key, value) }
      }
      try expect(!stack.context.hasChanges, "nothing is changed")
      try expectEqual(try ada.text("name"), "Ada")
    },
    company("wrong-destination", "a destination of another entity throws (B72)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      let engine = try stack.context.named("Project", "Engine")
      try expectError(.invalidValue) { try ada.set("department", engine) }
      try expectError(.invalidValue) { try ada.set("projects", Set([engine, ada])) }
      try expect(!stack.context.hasChanges, "nothing is changed")
      try expectEqual(try ada.names("projects"), ["Engine", "Notes"])
    },
    company("wrong-type-predicate", "a constant of another type throws (B138)") { stack in
      for format in ["age == 'x'", "name > 1 AND age BEGINSWITH 'x'", "born == 'today'"] {
        do {
          _ = try stack.context.names("Person", format)
          throw ExpectationFailure(
            message: "\(format) is accepted", file: #fileID, line: #line)
        } catch let error as PersistenceError {
          try expect(
            [.invalidRequest, .invalidValue, .invalidPredicate].contains(error.code),
            "\(format) is refused as a request, not with \(error.code.rawValue)")
        }
      }
    },
    company("sort-to-many", "an order through a to-many relationship throws (B138)") { stack in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("projects.name")]
      try expectError(.invalidRequest) { _ = try stack.context.fetch(request) }
    },
    company("bad-format", "a format that cannot be parsed throws (B138)") { stack in
      for format in ["", "age ==", "age = = 1", "(age == 1", "age == %@", "age", "== 1"] {
        try expectError(.invalidPredicate, "the format \(format)") {
          _ = try stack.context.names("Person", format)
        }
      }
    },
    company("unbound-variable", "a variable that nobody binds throws (B138)") { stack in
      do {
        _ = try stack.context.names("Person", "age == $nobody")
        throw ExpectationFailure(message: "it is accepted", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expect(
          [.invalidRequest, .invalidPredicate, .unknownKey].contains(error.code),
          "it is refused as a request")
      }
    },
  ]

  private static let contexts: [ConformanceCase] = [
    company("two-contexts-relate", "objects of two contexts are not related (B31)") { stack in
      let other = stack.makeContext()
      let ada = try stack.context.named("Person", "Ada")
      let theirs = try other.named("Department", "Void")
      try expectError(.differentContexts) { try ada.set("department", theirs) }
      try expectError(.differentContexts) {
        try ada.set("projects", Set([try other.named("Project", "Idle")]))
      }
      try expect(!stack.context.hasChanges && !other.hasChanges, "nothing is changed")
      try expectEqual(try ada.one("department")?.text("name"), "Research")
    },
    company("two-contexts-insert", "an object of another context is not inserted (B31)") { stack in
      let other = stack.makeContext()
      let zoe = try other.make("Person", ["name": "Zoe"])
      stack.context.insert(zoe)
      try expect(zoe.managedObjectContext === other, "it stays where it is")
      try expectError(.differentContexts, "the save") { try stack.context.save() }
      try other.save()
    },
    company("two-contexts-delete", "an object of another context is not deleted (B31)") { stack in
      let other = stack.makeContext()
      let ada = try other.named("Person", "Ada")
      stack.context.delete(ada)
      try expect(!ada.isDeleted, "it is not deleted")
      try expectError(.differentContexts, "the save") { try stack.context.save() }
      try expectEqual(try stack.makeContext().names("Person").count, 5)
    },
    company("deleted-destination", "an object that was deleted and saved is no destination (B31)") {
      stack in
      let context = stack.context
      let void = try context.named("Department", "Void")
      context.delete(void)
      try context.save()
      let ada = try context.named("Person", "Ada")
      try expectError(.differentContexts) { try ada.set("department", void) }
      try expect(!context.hasChanges, "nothing is changed")
    },
    company("reset-object", "an object that a reset left behind is inert (B44, B115)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      stack.context.reset()
      _ = try ada.get("age")
      try expect(ada.managedObjectContext == nil, "it has no context")
      stack.context.delete(ada)
      try expectError(.differentContexts, "the save") { try stack.context.save() }
    },
    company(
      "unknown-object", "an unsaved ID of another context leads nowhere (B29, B40)"
    ) { stack in
      let other = stack.makeContext()
      let zoe = try other.make("Person", ["name": "Zoe"])
      let ghost = stack.context.object(with: zoe.objectID)
      try expect(ghost !== zoe, "it is not the other context's object")
      try expectExact(try ghost.get("name"), .null)
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Person").count, 5, "what is in the store")
    },
    company(
      "unknown-object-related",
      "what leads to an unsaved object of another context cannot be saved (B29, B73)"
    ) { stack in
      let context = stack.context
      let other = stack.makeContext()
      let hidden = try other.make("Department", ["name": "Hidden"])
      let ghost = context.object(with: hidden.objectID)
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      try bob.set("age", 26)
      try ada.set("department", ghost)
      for _ in 0..<2 {
        let error = try expectError(.externalRelationship, "the save") { try context.save() }
        try expectEqual(error.key, "department", "the relationship")
        try expect(ada.isUpdated && bob.isUpdated, "all changes are pending")
        try expect(try ada.one("department") === ghost, "and as they were")
      }
      try ada.set("department", nil)
      try context.save()
      try stack.readAnew()
      try expect(
        try stack.context.named("Person", "Ada").one("department") == nil, "nothing is related")
      try expectEqual(try stack.context.named("Person", "Bob").number("age"), 26)
    },
    ConformanceCase(
      .misuse, "foreign-model", "an object of another model is refused (B138)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let foreign = try stage.open(SampleModel.make())
      let entity = try require(foreign.model.entitiesByName["Sample"])
      let object = ManagedObject(entity: entity, insertInto: nil)
      stack.context.insert(object)
      try expectError(.unknownEntity, "the save") { try stack.context.save() }
      try expect(object.managedObjectContext == nil, "it has no context")
    },
  ]

  private static let requests: [ConformanceCase] = [
    company("unknown-entity", "a request for an unknown entity throws (B138)") { stack in
      try expectError(.unknownEntity) { _ = try stack.context.names("Nobody") }
      let request = FetchRequest<ObjectID>(entityName: "person")
      try expectError(.unknownEntity) { _ = try stack.context.fetch(request) }
    },
    company("no-entity", "a request without an entity throws (B138)") { stack in
      do {
        _ = try stack.context.fetch(FetchRequest<ManagedObject>())
        throw ExpectationFailure(message: "it is accepted", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expect(
          [.unknownEntity, .invalidRequest].contains(error.code), "it is refused as a request")
      }
    },
    company("negative-window", "a negative limit or offset throws (B125)") { stack in
      for (limit, offset) in [(-1, 0), (0, -1), (Int.min, Int.min)] {
        let request = try stack.context.request("Person", nil, [])
        request.fetchLimit = limit
        request.fetchOffset = offset
        try expectError(.invalidRequest, "limit \(limit), offset \(offset)") {
          _ = try stack.context.fetch(request)
        }
      }
    },
    company("columns-of-objects", "a computed column in an object fetch throws (B132)") { stack in
      let request = try stack.context.request("Person", nil, [])
      request.propertiesToFetch = [
        ExpressionDescription(
          name: "x", expression: FetchExpression.function(.maximum, [.keyPath(["age"])]),
          resultType: .integer64)
      ]
      try expectError(.invalidRequest) { _ = try stack.context.fetch(request) }
    },
    company("columns-too-early", "columns that are named before the entity throw (B133)") { stack in
      let request = FetchRequest<[String: Any]>()
      request.propertiesToFetch = ["name"]
      request.entityName = "Person"
      try expectError(.invalidRequest) { _ = try stack.context.fetch(request) }
    },
    company("to-many-column", "a to-many relationship is no column (B131)") { stack in
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.propertiesToFetch = ["projects"]
      try expectError(.invalidRequest) { _ = try stack.context.fetch(request) }
    },
    company(
      "in-memory-forbidden", "a scan in memory can be forbidden, before it runs (B140)"
    ) { stack in
      let request = try stack.context.request("Person", nil, [])
      // A localized order depends on where the program runs: no store supports it.
      request.sortDescriptors = [SortOrdering("name", comparator: .localizedStandard)]
      try expectEqual(try stack.context.fetch(request).count, 5, "what is allowed")
      stack.context.allowsInMemoryEvaluation = false
      let before = stack.coordinator.counters.fetches
      let plan = try stack.context.explain(request)
      guard !plan.inMemory.isEmpty else {
        // A store that computes in the program's process may know it after all: then nothing is forbidden.
        try expect(!plan.steps.isEmpty, "the plan says what the store does: \(plan)")
        try expectEqual(try stack.context.fetch(request).count, 5, "what the store does itself")
        return
      }
      try expectError(.forbiddenByPolicy) { _ = try stack.context.fetch(request) }
      try expectEqual(stack.coordinator.counters.fetches, before, "the fetches")
    },
  ]
}
