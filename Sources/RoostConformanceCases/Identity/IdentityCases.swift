// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Identity of objects: IDs, URIs, and one object per record.
enum IdentityCases {
  static let all: [ConformanceCase] = births + permanence + uniquing + uris + uses

  private static let births: [ConformanceCase] = [
    ConformanceCase(
      .identity, "temporary", "an unsaved object has a temporary ID and no store (B24)"
    ) {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      try expect(person.objectID.isTemporaryID, "the ID is temporary")
      try expect(person.objectID.persistentStore == nil, "the ID names no store")
      try expect(person.isInserted, "the object is inserted")
      try expectEqual(stack.context.insertedObjects, [person], "the inserted objects")
    },
    ConformanceCase(
      .identity, "permanent", "the same object has a permanent ID after its save (B24)"
    ) {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      try expect(!person.objectID.isTemporaryID, "the ID is permanent")
      try expect(person.objectID.persistentStore != nil, "the ID names a store")
      try expect(!person.isInserted, "the object is inserted no more")
      try expect(
        stack.context.registeredObject(for: person.objectID) === person, "it is registered")
    },
    ConformanceCase(.identity, "forwarded", "an old temporary ID leads to the saved object (B24)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let person = try stack.context.make("Person", ["name": "Ada"])
      let temporary = person.objectID
      try stack.context.save()
      try expect(stack.context.object(with: temporary) === person, "object(with:) finds it")
      try expect(
        try stack.context.existingObject(with: temporary) === person, "existingObject finds it")
    },
    ConformanceCase(
      .identity, "no-context", "an object without a context has default values (B20)"
    ) {
      stage in
      var sketch = ModelSketch()
      sketch.add("Thing", [.of("name", .string, default: .string("new"))])
      let stack = try stage.open(sketch.make())
      let entity = try require(stack.model.entitiesByName["Thing"])
      let thing = ManagedObject(entity: entity, insertInto: nil)
      try expectExact(try thing.get("name"), .string("new"))
      try expect(thing.managedObjectContext == nil, "it has no context")
      try expect(stack.context.insertedObjects.isEmpty, "nothing is inserted")
      stack.context.insert(thing)
      try expectEqual(stack.context.insertedObjects, [thing])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Thing"), ["new"])
    },
    ConformanceCase(.identity, "defaults", "default values are applied and saved (B10)") { stage in
      var sketch = ModelSketch()
      sketch.add(
        "Thing",
        [
          .string("name"), .of("count", .integer32, default: .integer(7)),
          .of("ratio", .double, default: .double(0.5)),
          .of("flag", .boolean, default: .boolean(true)),
          .of("text", .string, optional: false, default: .string("x")),
        ])
      let stack = try stage.open(sketch.make())
      try stack.context.make("Thing", ["name": "a"])
      try stack.context.save()
      try stack.readAnew()
      let thing = try stack.context.named("Thing", "a")
      try expectExact(try thing.get("count"), .integer(7))
      try expectExact(try thing.get("ratio"), .double(0.5))
      try expectExact(try thing.get("flag"), .boolean(true))
      try expectExact(try thing.get("text"), .string("x"))
    },
  ]

  private static let permanence: [ConformanceCase] = [
    ConformanceCase(.identity, "obtained-early", "permanent IDs can be had before the save (B28)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.obtainPermanentIDs(for: [ada])
      let id = ada.objectID
      try expect(!id.isTemporaryID, "Ada's ID is permanent")
      try expect(bob.objectID.isTemporaryID, "Bob's ID is temporary")
      try expect(ada.isInserted, "Ada is still inserted")
      try stack.context.obtainPermanentIDs(for: [ada, bob])
      try expectEqual(ada.objectID, id, "Ada's ID")
      try stack.context.save()
      try expectEqual(ada.objectID, id, "Ada's ID after the save")
      try stack.readAnew()
      try expectEqual(
        try stack.context.named("Person", "Ada").objectID, id, "Ada's ID in the store")
    },
    ConformanceCase(.identity, "unique", "IDs of many objects of several entities differ (B303)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      for index in 0..<100 {
        try stack.context.make("Person", ["name": "\(index)"])
        try stack.context.make("Project", ["name": "\(index)"])
        if index % 10 == 0 { try stack.context.save() }
      }
      try stack.context.save()
      let ids = try ["Person", "Project"].flatMap { try stack.context.all($0).map(\.objectID) }
      try expectEqual(ids.count, 200, "the number of objects")
      try expectEqual(Set(ids).count, 200, "the number of IDs")
      try expectEqual(Set(ids.map(\.key)).count, 200, "the number of keys")
    },
    ConformanceCase(
      .identity, "not-reused", "the ID of a deleted object is not given again (B30, B303)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let old = ada.objectID
      stack.context.delete(ada)
      try stack.context.save()
      for _ in 0..<3 {
        try stack.reopen()
        let next = try stack.context.make("Person", ["name": "next"])
        try stack.context.save()
        try expect(next.objectID != old, "a new object has a new ID")
        stack.context.delete(next)
        try stack.context.save()
      }
    },
    ConformanceCase(
      .identity, "stable", "IDs are the same after the store was opened again (B25, B327)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let before = try stack.context.all("Person").map(\.objectID)
      try stack.reopen()
      try expectEqual(try stack.context.all("Person").map(\.objectID), before, "the IDs")
    },
    ConformanceCase(
      .identity, "two-coordinators", "IDs are equal across coordinators on one store (B25)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let other = try stage.open(stack.model, on: stack.stores)
      try expectSameID(stack, other)
    },
    ConformanceCase(
      .identity, "two-models", "IDs are equal across coordinators with equal models (B25)",
      needs: [.secondHandle, .equalModels]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = try stage.open(CompanyModel.make(), on: stack.stores)
      for person in try stack.context.all("Person") { stack.context.delete(person) }
      try expectSameID(stack, other)
    },
  ]

  private static func expectSameID(
    _ stack: ConformanceStack, _ other: ConformanceStack
  ) throws {
    let ada = try stack.context.make("Person", ["name": "Ada"])
    try stack.context.save()
    let again = try other.context.named("Person", "Ada")
    try expectEqual(again.objectID, ada.objectID, "the ID")
    try expectEqual(again.objectID.hashValue, ada.objectID.hashValue, "its hash")
  }

  private static let uniquing: [ConformanceCase] = [
    ConformanceCase(
      .identity, "one-object", "a record has one object in a context (B32)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let ada = try stack.context.named("Person", "Ada")
      try expect(try stack.context.named("Person", "Ada") === ada, "fetched again")
      try expect(stack.context.object(with: ada.objectID) === ada, "by ID")
      try expect(try stack.context.existingObject(with: ada.objectID) === ada, "as existing object")
      let bob = try stack.context.named("Person", "Bob")
      try expect(try bob.one("manager") === ada, "through a relationship")
      let research = try stack.context.named("Department", "Research")
      try expect(try research.many("people").contains { $0 === ada }, "as a member")
    },
    ConformanceCase(.identity, "two-contexts", "two contexts have two objects of a record (B33)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = stack.makeContext()
      let ada = try stack.context.named("Person", "Ada")
      let again = try other.named("Person", "Ada")
      try expect(ada !== again, "the objects differ")
      try expectEqual(ada.objectID, again.objectID, "the IDs")
    },
    ConformanceCase(
      .identity, "temporary-elsewhere", "another context does not find an unsaved object (B29)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let other = stack.makeContext()
      try expect(other.registeredObject(for: ada.objectID) == nil, "it is not registered there")
      try expectError(.objectReferentialIntegrity) {
        _ = try other.existingObject(with: ada.objectID)
      }
      try expectEqual(try other.names("Person"), [], "the people there")
    },
    ConformanceCase(
      .identity, "registered", "registeredObject knows what is registered, and asks nobody (B41)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let id = try stack.context.named("Person", "Ada").objectID
      try stack.readAnew()
      let before = stack.coordinator.counters.roundTrips
      try expect(stack.context.registeredObject(for: id) == nil, "nothing is registered yet")
      let fault = stack.context.object(with: id)
      try expect(fault.isFault, "object(with:) makes a fault (B40)")
      try expect(stack.context.registeredObject(for: id) === fault, "the fault is registered")
      try expectEqual(stack.coordinator.counters.roundTrips - before, 0, "the round trips")
    },
    ConformanceCase(.identity, "existing", "existingObject is realised, or throws (B42)") { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let ada = try stack.context.named("Person", "Ada").objectID
      let bob = try stack.context.named("Person", "Bob")
      let gone = bob.objectID
      stack.context.delete(bob)
      try stack.context.save()
      try stack.readAnew()
      try expect(!(try stack.context.existingObject(with: ada).isFault), "Ada is realised")
      try expectError(.objectReferentialIntegrity, "the deleted object") {
        _ = try stack.context.existingObject(with: gone)
      }
    },
  ]

  private static let uris: [ConformanceCase] = [
    ConformanceCase(
      .identity, "uri", "an ID survives the way through its URI (B25, B26)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      for person in try stack.context.all("Person") {
        let uri = person.objectID.uriRepresentation()
        let id = stack.coordinator.managedObjectID(forURIRepresentation: uri)
        try expectEqual(id, person.objectID, "the ID of \(uri)")
      }
    },
    ConformanceCase(
      .identity, "uri-reopened", "a URI names the same record after a reopening (B25)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let uri = try stack.context.named("Person", "Ada").objectID.uriRepresentation()
      try stack.reopen()
      let id = try require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
      try expectEqual(try stack.context.existingObject(with: id).text("name"), "Ada")
    },
    ConformanceCase(.identity, "uri-unknown", "a URI of a store that is not there is nil (B26)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let other = try stage.open(CompanyModel.make())
      let person = try other.context.make("Person", ["name": "Ada"])
      try other.context.save()
      let uri = person.objectID.uriRepresentation()
      try expect(
        stack.coordinator.managedObjectID(forURIRepresentation: uri) == nil, "it is nil here")
      for text in [
        "roost://x/Person/p1", "roost:", "https://example.org/", "roost:///Person/t1", "x",
        uri.absoluteString + "/p1",
        uri.absoluteString.replacingOccurrences(of: "Person", with: "Nobody"),
        uri.absoluteString + "x", "roost://\(UUID().uuidString)/Person/p99999999999999999999",
      ] {
        let url = try require(URL(string: text), text)
        try expect(
          stack.coordinator.managedObjectID(forURIRepresentation: url) == nil, "\(text) is nil")
        try expect(
          other.coordinator.managedObjectID(forURIRepresentation: url) == nil, "\(text) is nil")
      }
    },
    ConformanceCase(
      .identity, "uri-unchecked", "a URI is resolved without a look at the store (B27)"
    ) {
      stage in
      let stack = try stage.open(CompanyModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let uri = ada.objectID.uriRepresentation()
      stack.context.delete(ada)
      try stack.context.save()
      let before = stack.coordinator.counters.roundTrips
      let id = try require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
      try expectEqual(stack.coordinator.counters.roundTrips - before, 0, "the round trips")
      try expectError(.objectReferentialIntegrity) {
        _ = try stack.context.existingObject(with: id)
      }
    },
  ]
}
