// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

extension BatchCases {
  static let insertions: [ConformanceCase] = [
    ConformanceCase(
      .batch, "insert", "dictionaries become records with defaults and permanent IDs (B276)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add(
        "City",
        [.string("name"), .of("people", .integer32, default: .integer(7)), .of("area", .double)])
      let stack = try stage.open(sketch.make())
      let request = BatchInsertRequest(
        entityName: "City",
        objects: [["name": "a"], ["name": "b", "people": 9, "area": 1.5], ["people": NSNull()]])
      request.resultType = .objectIDs
      let ids = try require(try stack.context.execute(request).objectIDs, "the IDs")
      try expect(ids.count == 3 && !ids.contains(where: \.isTemporaryID), "IDs are permanent")
      try expect(stack.context.registeredObjects.isEmpty, "no object is registered (B272)")
      let first = try stack.context.existingObject(with: ids[0])
      try expectEqual(try first.get("people"), .integer(7))
      try stack.readAnew()
      try expectEqual(try stack.context.names("City"), ["-", "a", "b"])
      try expectEqual(try stack.context.names("City", "people == 9 AND area == 1.5"), ["b"])
      try expectEqual(try stack.context.names("City", "people == nil"), ["-"])
    },
    company("insert-handler", "a handler's last dictionary is not inserted (B276)") { stack in
      var number = 0
      let request = BatchInsertRequest(entityName: "Desk") { (values: inout [String: Any]) in
        values["name"] = "desk \(number)"
        number += 1
        return number > 3
      }
      request.resultType = .count
      try expectEqual(try stack.context.execute(request).count, 3, "the number of records")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Desk"), ["desk 0", "desk 1", "desk 2"])
    },
    company("insert-objects", "a handler may fill objects that no context knows (B276)") { stack in
      var names = ["x", "y"]
      let request = BatchInsertRequest(entityName: "Desk") { (desk: ManagedObject) in
        guard let name = names.popLast() else { return true }
        // The name of a property of the model is no error.
        try? desk.setValue(name, forKey: "name")
        return false
      }
      try stack.context.execute(request)
      try expect(!stack.context.hasChanges, "the context has no changes")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Desk"), ["x", "y"])
    },
    company("insert-refusals", "what cannot be inserted is refused, and nothing is (B277)") {
      stack in
      func expectRefusal(_ code: PersistenceError.Code, _ values: [String: Any]) throws {
        let request = BatchInsertRequest(entityName: "Person", objects: [["name": "new"], values])
        try expectError(code, "the insertion of \(values)") { try stack.context.execute(request) }
      }
      try expectRefusal(.unknownKey, ["nonsense": 1])
      try expectRefusal(.invalidRequest, ["department": NSNull()])
      try expectRefusal(.invalidValue, ["age": "old"])
      try expectRefusal(.invalidValue, ["salary": Double.nan])
      try expectError(.unknownEntity, "another entity") {
        try stack.context.execute(BatchInsertRequest(entityName: "Nobody", objects: []))
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person", "name == 'new'"), [], "what was written")
    },
    ConformanceCase(.batch, "insert-first", "the first store that holds the entity takes it (B278)")
    { stage in
      let stack = try stage.open(
        SampleModel.make(), on: [stage.makeStore(), stage.makeReferenceStore()])
      let entity = try require(stack.model.entities.first { !$0.isAbstract }, "an entity")
      let request = BatchInsertRequest(entity: entity, objects: [[:]])
      request.resultType = .objectIDs
      let first = try require(try stack.context.execute(request).objectIDs?.first, "the ID")
      try expect(
        first.persistentStore === stack.coordinator.persistentStores[0], "the first store")
      request.affectedStoreIdentifiers = [
        stack.coordinator.persistentStores[1].identity.identifier
      ]
      let second = try require(try stack.context.execute(request).objectIDs?.first, "the ID")
      try expect(
        second.persistentStore === stack.coordinator.persistentStores[1], "the affected store")
    },
  ]

  private static func unique(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.batch, name, title, needs: [.uniqueness]) { stage in
      try body(try stage.open(UniqueModel.make()))
    }
  }

  static let upserts: [ConformanceCase] = [
    unique(
      "upsert", "a record that is there takes over the values that are given (B276)"
    ) { stack in
      let old = try stack.context.make(
        "Account", ["name": "old", "email": "x", "realm": "r", "number": 1])
      try stack.context.make("Account", ["name": "other", "email": "y"])
      try stack.context.save()
      let request = BatchInsertRequest(
        entityName: "Account",
        objects: [["email": "x", "name": "new"], ["email": "z", "name": "third"]])
      request.resultType = .objectIDs
      let ids = try stack.context.execute(request).objectIDs ?? []
      try expectEqual(ids.first, old.objectID, "the ID of the record")
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["new", "other", "third"])
      let account = try stack.context.named("Account", "new")
      try expectEqual(try account.text("realm"), "r", "what was not given")
      try expectEqual(try account.number("number"), 1, "what was not given")
    },
    unique("upsert-itself", "a value twice in one request is one record, the last counts (B276)") {
      stack in
      let request = BatchInsertRequest(
        entityName: "Account",
        objects: [
          ["email": "x", "name": "first", "realm": "r"], ["email": "y", "name": "other"],
          ["email": "x", "name": "last"],
        ])
      try stack.context.execute(request)
      try stack.context.execute(request)
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["last", "other"])
      try expectEqual(try stack.context.named("Account", "last").text("realm"), "r")
    },
    unique("upsert-two", "a new record that two stored ones stand for is refused (B276)") { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.make("Account", ["name": "b", "realm": "r", "number": 1])
      try stack.context.save()
      let request = BatchInsertRequest(
        entityName: "Account", objects: [["email": "x", "realm": "r", "number": 1, "name": "c"]])
      try expectError(.managedObjectConstraintMerge, "the insertion") {
        try stack.context.execute(request)
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["a", "b"])
    },
    unique("update-unique", "a batch update cannot take a value twice (B276)") { stack in
      for name in ["a", "b"] { try stack.context.make("Account", ["name": name, "email": name]) }
      try stack.context.save()
      let request = BatchUpdateRequest(entityName: "Account")
      request.propertiesToUpdate = ["email": "same"]
      try expectError(.managedObjectConstraintMerge, "the update") {
        try stack.context.execute(request)
      }
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account", "email == 'same'"), [])
    },
  ]
}
