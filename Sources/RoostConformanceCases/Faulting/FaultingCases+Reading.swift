// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Rows in batches, some properties only, IDs instead of objects.
extension FaultingCases {
  static let reading: [ConformanceCase] = batches + partial + ids

  private static let batches: [ConformanceCase] = [
    crowd("batches", "an array in batches reads the batch of the object that is asked (B126)") {
      stack in
      let request = try stack.context.request("Person", nil, [])
      request.fetchBatchSize = 10
      var people: [ManagedObject] = []
      try expectEqual(try trips(stack) { people = try stack.context.fetch(request) }, 1, "the IDs")
      try expectEqual(people.count, 30, "the objects")
      let cost = try trips(stack) {
        for person in people[10..<20] { _ = try person.get("age") }
      }
      try expectEqual(cost, 1, "the round trips of a batch")
      try expectEqual(try people[10].text("name"), "20", "the order")
    },
    crowd("batches-collection", "a collection in batches keeps two of them (B126)") { stack in
      let context = stack.context
      let request = try context.request("Person", "age >= 15", [])
      request.fetchBatchSize = 5
      let people = try context.fetchBatches(request)
      try expectEqual(people.count, 25, "the objects")
      try expect(context.registeredObjects.isEmpty, "no object is made before it is asked for")
      var most = 0
      let cost = try trips(stack) {
        for (index, person) in people.enumerated() {
          try expectEqual(try person.number("age"), Int64(15 + index), "the age")
          most = max(most, context.registeredObjects.count)
        }
      }
      try expect(most <= 10, "at most two batches are kept, not \(most) objects")
      try expectEqual(cost, 5, "the round trips")
    },
    crowd("batches-fixed", "what is in the batches is decided by the fetch (B126)") { stack in
      let context = stack.context
      let request = try context.request("Person", nil, [])
      request.fetchBatchSize = 8
      try context.make("Person", ["name": "0"])
      let people = try context.fetchBatches(request)
      let other = stack.makeContext()
      other.delete(try other.named("Person", "39"))
      try other.make("Person", ["name": "1"])
      try other.save()
      try expectEqual(people.count, 31, "the objects, unsaved ones among them")
      try expectEqual(try people[0].text("name"), "0", "the unsaved one")
      try expectEqual(try people[1].text("name"), "10", "the first saved one")
      try expectExact(try people[30].get("name"), .null)
    },
  ]

  private static let partial: [ConformanceCase] = [
    crowd("partial", "partial objects know what was asked for, and no more (B132)") { stack in
      let request = try stack.context.request("Person", nil, [])
      request.propertiesToFetch = ["name", "department"]
      let people = try stack.context.fetch(request)
      let known = try trips(stack) {
        for person in people { _ = try person.get("name") }
        try expect(people.allSatisfy(\.isFault), "they are faults")
        _ = try people[0].one("department")
      }
      try expectEqual(known, 0, "the round trips for what is known")
      let departments = try trips(stack) {
        for person in people { _ = try person.one("department")?.get("name") }
      }
      try expect(departments <= 1, "the departments are read together, not in \(departments)")
      let unknown = try trips(stack) {
        for person in people { _ = try person.get("age") }
      }
      try expectEqual(unknown, 1, "the round trips for what is not")
      try expectEqual(try people.map { try $0.number("age") ?? 0 }, Array(10..<40), "the ages")
    },
    ConformanceCase(
      .faulting, "partial-types", "every type can be read alone, with the same value (B132)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let values: KeyValuePairs<String, Any?> = [
        "integer16": 7, "integer32": -8, "integer64": Int64.max, "decimal": Decimal(2.5),
        "double": 0.1, "float": 1.5, "string": "é\u{1F600}", "boolean": true,
        "date": Date(timeIntervalSinceReferenceDate: 1.25), "binaryData": Data([0, 255]),
        "uuid": UUID(), "uri": URL(string: "https://example.org/a?b"),
        "place": ["city": "Rome", "height": 21.5],
      ]
      try stack.context.make("Sample", values)
      try stack.context.make("Sample")
      try stack.context.save()
      try stack.readAnew()
      let whole = stack.makeContext()
      for name in SampleModel.types.map(\.description) + ["place.city", "place.height"] {
        let context = stack.makeContext()
        let request = FetchRequest<ManagedObject>(entityName: "Sample")
        request.propertiesToFetch = [name]
        for object in try context.fetch(request) {
          let value = try object.get(name)
          try expect(object.isFault, "\(name) needs no other value")
          let wanted = try whole.object(with: object.objectID).get(name)
          try expectEqual(value, wanted, name)
        }
      }
    },
    crowd("partial-change", "a partial object is changed and saved like any other (B132)") {
      stack in
      let request = try stack.context.request("Person", "name == '12'", [])
      request.propertiesToFetch = ["name"]
      let person = try require(try stack.context.fetch(request).first)
      try person.set("name", "twelve")
      try stack.context.save()
      try stack.readAnew()
      let saved = try stack.context.named("Person", "twelve")
      try expectEqual(try saved.number("age"), 12, "what was not read is kept")
      try expectEqual(try saved.one("department")?.text("name"), "d0", "the department")
    },
  ]

  private static let ids: [ConformanceCase] = [
    crowd(
      "many-ids", "each of many IDs gets its own row, in whatever order they are asked for (B126)"
    ) {
      stack in
      let context = stack.context
      for number in 0..<270 { try context.make("Person", ["name": "n\(number)", "age": number]) }
      try context.save()
      let request = try context.request("Person", "name BEGINSWITH 'n'", [])
      let people = try context.fetch(request)
      for person in people where RecordKey.sequence(of: person.objectID.key) % 5 == 0 {
        context.delete(person)
      }
      let keys = people.map { $0.isDeleted ? nil : $0.objectID.key }
      let ids = people.map(\.objectID)
      try context.save()
      try stack.readAnew()
      for step in [1, 7, 269] {
        let order = ids.indices.map { $0 * step % ids.count }
        let rows = try stack.coordinator.rows(for: order.map { ids[$0] }, stalenessInterval: 0)
        try expectEqual(rows.map { $0?.key }, order.map { keys[$0] }, "the rows, step \(step)")
      }
    },
    crowd("object-ids", "the IDs of destinations are told without objects (B52)") { stack in
      let department = try stack.context.named("Department", "d1")
      let cost = try trips(stack) {
        try expectEqual(
          try department.objectIDs(forRelationshipNamed: "people").count, 10, "the IDs")
      }
      try expectEqual(cost, 1, "the round trips")
      try expect(department.hasFault(forRelationshipNamed: "people"), "nothing is loaded")
      try expectEqual(stack.context.registeredObjects.count, 1, "the registered objects")
    },
    crowd("awaken", "a refreshed object has its values anew, and stays the same (B39, B118)") {
      stack in
      let person = try stack.context.named("Person", "10")
      for age in [50, 60] {
        let other = stack.makeContext()
        try other.object(with: person.objectID).set("age", age)
        try other.save()
        try stack.context.refresh(person, mergeChanges: false)
        try expect(person.isFault, "it is a fault")
        try expectEqual(try person.number("age"), Int64(age), "the age")
        try expect(!stack.context.hasChanges, "nothing is changed")
      }
    },
  ]
}
