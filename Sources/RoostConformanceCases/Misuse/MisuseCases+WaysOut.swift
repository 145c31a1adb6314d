// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Remedies of the error catalogue after a refused call: each is tried.
extension MisuseCases {
  static let waysOut: [ConformanceCase] = objects + models + conditions

  private static let objects: [ConformanceCase] = [
    company(
      "way-out.objectReferentialIntegrity",
      "who asks for an object that is gone is told; a fault becomes a deleted object (B42, B43)"
    ) { stack in
      let context = stack.context
      let id = try context.named("Person", "Eve").objectID
      context.reset()
      let fault = context.object(with: id)
      let other = stack.makeContext()
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      let third = stack.makeContext()
      try expectError(.objectReferentialIntegrity) { _ = try third.existingObject(with: id) }
      _ = try fault.get("age")
      try expect(fault.isDeleted, "the fault is deleted")
      try context.save()
      third.shouldDeleteInaccessibleFaults = false
      try expectExact(try third.object(with: id).get("age"), .null)
      try expectError(.objectReferentialIntegrity, "the save") { try third.save() }
      third.rollback()
      try third.save()
    },
    company(
      "way-out.differentContexts", "the ID gets the object from the other context (B27, B31)"
    ) { stack in
      let other = stack.makeContext()
      let theirs = try other.named("Department", "Void")
      let ada = try stack.context.named("Person", "Ada")
      try expectError(.differentContexts) { try ada.set("department", theirs) }
      try ada.set("department", stack.context.object(with: theirs.objectID))
      try stack.context.save()
      try stack.readAnew()
      let void = try stack.context.named("Department", "Void")
      try expectEqual(try void.names("people"), ["Ada"])
    },
    company(
      "way-out.invalidValue", "a value of the property's type is taken, and saved (B53, B339)"
    ) { stack in
      let ada = try stack.context.named("Person", "Ada")
      for (key, bad, good) in [
        ("salary", Double.nan, 1.5), ("name", "A\u{0}a", "Aa"), ("age", "x", 7),
      ] as [(String, Any, Any)] {
        try expectError(.invalidValue, "\(key) = \(bad)") {
          try ada.set(key, bad)
          try stack.context.save()
        }
        try ada.set(key, good)
        try stack.context.save()
      }
      try stack.readAnew()
      try expectEqual(try stack.context.named("Person", "Aa").number("age"), 7)
    },
    ConformanceCase(
      .misuse, "way-out.abstractEntity", "an object of a subentity can be made (B23)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Animal", [.string("name")], isAbstract: true)
      sketch.add("Dog", [], parent: "Animal")
      let stack = try stage.open(sketch.make())
      try expectError(.abstractEntity) {
        _ = try stack.context.insert("Animal")
        try stack.context.save()
      }
      stack.context.rollback()
      try stack.context.make("Dog", ["name": "Rex"])
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Animal"), ["Rex"])
    },
    company(
      "way-out.contextWithoutCoordinator",
      "a context without a coordinator is given one, or a parent (B103)"
    ) { stack in
      let homeless = ManagedObjectContext(.privateQueue)
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      try expectError(.contextWithoutCoordinator) { _ = try homeless.fetch(request) }
      homeless.persistentStoreCoordinator = stack.coordinator
      try expectEqual(try homeless.fetch(request).count, 5, "with a coordinator")
      let child = ManagedObjectContext(.privateQueue)
      child.parent = stack.context
      try expectEqual(try child.fetch(request).count, 5, "with a parent")
    },
  ]

  private static let models: [ConformanceCase] = [
    ConformanceCase(
      .misuse, "way-out.modelInUse", "the copy of a model is changed, and opens new stores (B1, B2)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let copy = stack.model.copy()
      let person = try require(copy.entitiesByName["Person"])
      try expectError(.modelInUse) { try stack.model.setEntities([], forConfigurationName: "x") }
      person.declaredProperties.append(AttributeDescription.string("nickname"))
      let other = try stage.open(copy)
      try other.context.make("Person", ["name": "Zoe", "nickname": "Z"])
      try other.context.save()
      try other.readAnew()
      try expectEqual(try other.context.names("Person", "nickname == 'Z'"), ["Zoe"])
    },
    ConformanceCase(
      .misuse, "way-out.invalidModel",
      "all faults of a model are told at once, and it opens when they are mended (B16)"
    ) { stage in
      let entity = EntityDescription(name: "Thing")
      entity.declaredProperties = ["name", "name", ""].map {
        AttributeDescription.string($0)
      }
      let model = ManagedObjectModel(entities: [entity])
      let error = try expectError(.invalidModel) { _ = try stage.open(model) }
      try expect(error.underlyingErrors.count >= 2, "all faults are told: \(error)")
      let mended = EntityDescription(name: "Thing")
      mended.declaredProperties = [AttributeDescription.string("name")]
      let stack = try stage.open(ManagedObjectModel(entities: [mended]))
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
    },
    company("way-out.unknownEntity", "the model tells the entities that there are (B138)") {
      stack in
      try expectError(.unknownEntity) { _ = try stack.context.names("Nobody") }
      for name in stack.model.entitiesByName.keys { _ = try stack.context.names(name) }
    },
  ]

  private static let conditions: [ConformanceCase] = [
    company("way-out.unknownKey", "names are checked before anything runs (B138)") { stack in
      let before = stack.coordinator.counters.fetches
      try expectError(.unknownKey) { _ = try stack.context.names("Person", "nobody == 1") }
      try expectEqual(stack.coordinator.counters.fetches, before, "the fetches")
      let error = try expectError(.unknownKey) {
        _ = try stack.context.names("Person", "nobody == 1")
      }
      try expect("\(error)".contains("nobody"), "the error names the key: \(error)")
    },
    company(
      "way-out.invalidPredicate", "the error names the position in the format (B138)"
    ) { stack in
      let error = try expectError(.invalidPredicate) {
        _ = try stack.context.names("Person", "age == 25 AND AND name == 'Bob'")
      }
      try expect(error.message.contains("14"), "the message names the position: \(error.message)")
      try expectEqual(try stack.context.names("Person", "age == 25 AND name == 'Bob'"), ["Bob"])
    },
    company(
      "way-out.invalidRequest", "a request for dictionaries may group (B134, B138)"
    ) { stack in
      let objects = try stack.context.request("Person", nil, [])
      objects.propertiesToGroupBy = ["age"]
      try expectError(.invalidRequest) { _ = try stack.context.fetch(objects) }
      let groups = FetchRequest<[String: Any]>(entityName: "Person")
      groups.propertiesToFetch = ["age"]
      groups.propertiesToGroupBy = ["age"]
      try expectEqual(try stack.context.fetch(groups).count, 4, "the groups")
    },
    company(
      "way-out.limitExceeded",
      "a pattern that divides a text in one way only is matched (B139)"
    ) { stack in
      let context = stack.context
      try context.named("Person", "Bob").set("name", String(repeating: "a", count: 5000))
      try context.save()
      let request = try context.request("Person", "name MATCHES %@", ["(a+)+b"])
      try expectError(.limitExceeded) { _ = try context.fetch(request) }
      try expectEqual(try context.all("Person", "name MATCHES %@", "a+b").count, 0)
      try expectEqual(try context.all("Person", "name MATCHES %@", "a+").count, 1)
      try context.make("Person", ["name": "after"])
      try context.save()
    },
    company(
      "way-out.forbiddenByPolicy",
      "what a policy forbids runs after another request, or another policy (B140)"
    ) { stack in
      let context = stack.context
      let request = try context.request("Person", nil, [])
      request.sortDescriptors = [SortOrdering("name", comparator: .localizedStandard)]
      context.allowsInMemoryEvaluation = false
      if try !context.explain(request).inMemory.isEmpty {
        try expectError(.forbiddenByPolicy) { _ = try context.fetch(request) }
      }
      context.allowsInMemoryEvaluation = true
      try expectEqual(try context.fetch(request).count, 5, "with another policy")
      context.allowsInMemoryEvaluation = false
      request.sortDescriptors = [SortOrdering("name")]
      // A store may leave every request to be done in memory.
      guard try context.explain(request).inMemory.isEmpty else { return }
      try expectEqual(try context.fetch(request).count, 5, "another request")
    },
    company(
      "way-out.arithmeticOverflow",
      "what overflows as a whole number has an average, and a sum of fewer records (B132)"
    ) { stack in
      let context = stack.context
      for project in try context.all("Project") { try project.set("priority", Int64.max) }
      try context.save()
      func ask(_ function: FetchFunction, _ type: AttributeType) throws -> [[String: Any]] {
        let request = FetchRequest<[String: Any]>(entityName: "Project")
        request.propertiesToFetch = [
          ExpressionDescription(
            name: "x", expression: FetchExpression.function(function, [.keyPath(["priority"])]),
            resultType: type)
        ]
        return try context.fetch(request)
      }
      try expectError(.arithmeticOverflow) { _ = try ask(.sum, .integer64) }
      try expectEqual(double(try ask(.average, .double).first?["x"]), 0x1p63, "the average")
      try context.named("Project", "Idle").set("priority", 0)
      try context.named("Project", "Notes").set("priority", 0)
      try context.save()
      try expectEqual(whole(try ask(.sum, .integer64).first?["x"]), Int64.max, "the sum")
    },
  ]
}
