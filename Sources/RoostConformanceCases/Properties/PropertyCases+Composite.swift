// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

extension PropertyCases {
  /// A model of places with an address, which has a position.
  private static func places() -> ManagedObjectModel {
    let position = CompositeAttributeDescription(
      name: "position",
      elements: [
        AttributeDescription.of("lat", .double), AttributeDescription.of("lon", .double),
      ])
    let zip = AttributeDescription.of("zip", .integer32, default: .integer(1000))
    zip.maxValue = .integer(9999)
    let address = CompositeAttributeDescription(
      name: "address", elements: [AttributeDescription.string("city"), zip, position])
    var sketch = ModelSketch()
    sketch.add("Place", [.string("name"), address])
    let place = sketch["Place"]
    place.indexes = [
      FetchIndexDescription(
        name: "byCity", elements: [FetchIndexElementDescription(propertyName: "address.city")])
    ]
    return sketch.make()
  }

  private static func open(_ stage: ConformanceStage) throws -> ConformanceStack {
    let stack = try stage.open(places())
    for (name, city, latitude) in [("a", "Bern", 46.9), ("b", "Chur", 46.8), ("c", "Bern", 47.0)] {
      try stack.context.make(
        "Place",
        [
          "name": name,
          "address": ["city": city, "zip": 3000, "position": ["lat": latitude]] as [String: Any],
        ])
    }
    try stack.context.save()
    return stack
  }

  static let composites: [ConformanceCase] = [
    ConformanceCase(
      .properties, "composite", "a composite is saved and read element by element (B311)"
    ) { stage in
      let stack = try open(stage)
      try stack.readAnew()
      let place = try stack.context.named("Place", "a")
      try expectEqual(try place.get("address.city"), .string("Bern"), "the city")
      try expectEqual(try place.get("address.position.lat"), .double(46.9), "the latitude")
      try expectEqual(try place.get("address.position.lon"), .null, "the longitude")
      let address = try require(
        try place.value(forKey: "address") as? [String: Any], "a dictionary")
      try expectEqual(address.keys.sorted(), ["city", "position", "zip"], "the elements")
    },
    ConformanceCase(
      .properties, "composite-elements", "an element can be set by itself (B311)"
    ) { stage in
      let stack = try open(stage)
      let place = try stack.context.named("Place", "a")
      try place.set("address.city", "Basel")
      try place.set("address.position.lon", 7.5)
      try expectEqual(Array(place.changedValues().keys), ["address"], "what is changed")
      try expectError(.invalidValue) { try place.set("address.city", 3) }
      try expectError(.unknownKey) { try place.set("address.street", "x") }
      try stack.context.save()
      try stack.readAnew()
      let stored = try stack.context.named("Place", "a")
      try expectEqual(try stored.get("address.city"), .string("Basel"), "the city")
      try expectEqual(try stored.get("address.position.lon"), .double(7.5), "the longitude")
      try expectEqual(try stored.get("address.zip"), .integer(3000), "what was not set")
      try stored.set("address", nil)
      try stack.context.save()
      try expect(try stored.value(forKey: "address") == nil, "the composite is nil")
    },
    ConformanceCase(
      .properties, "composite-query", "predicates, orders and columns take dotted paths (B311)"
    ) { stage in
      let stack = try open(stage)
      try expectEqual(try stack.context.names("Place", "address.city == 'Bern'"), ["a", "c"])
      try expectEqual(try stack.context.names("Place", "address.position.lat > 46.95"), ["c"])
      try expectEqual(try stack.context.names("Place", "address.position.lon == nil").count, 3)
      let request = FetchRequest<ManagedObject>(entityName: "Place")
      request.sortDescriptors = [
        SortOrdering("address.city", ascending: false), SortOrdering("address.position.lat"),
      ]
      let names = try stack.context.fetch(request).map { try $0.text("name") ?? "-" }
      try expectEqual(names, ["b", "a", "c"], "the order")
      let columns = FetchRequest<[String: Any]>(entityName: "Place")
      columns.propertiesToFetch = ["address.city"]
      columns.returnsDistinctResults = true
      columns.sortDescriptors = [SortOrdering("address.city")]
      let cities = try stack.context.fetch(columns).map { $0["address.city"] as? String }
      try expectEqual(cities, ["Bern", "Chur"], "the cities")
    },
    ConformanceCase(
      .properties, "composite-rules", "elements have defaults and rules of their own (B311)"
    ) { stage in
      let stack = try stage.open(places())
      let place = try stack.context.make("Place", ["name": "x"])
      try expectEqual(try place.get("address.zip"), .integer(1000), "the default")
      try place.set("address.zip", 10_000)
      try expectError(.validationNumberTooLarge) { try stack.context.save() }
      try place.set("address.zip", 9999)
      try stack.context.save()
    },
    ConformanceCase(
      .properties, "composite-conflict",
      "two contexts that set elements of one composite are in conflict (B178, B311)"
    ) { stage in
      let stack = try open(stage)
      let other = stack.makeContext()
      let place = try stack.context.named("Place", "a")
      let same = try other.named("Place", "a")
      try place.set("address.city", "Basel")
      try same.set("address.zip", 4000)
      try stack.context.save()
      try expectError(.managedObjectMerge) { try other.save() }
      try other.refresh(same, mergeChanges: true)
      try other.save()
      try expectEqual(try same.get("address.city"), .string("Basel"), "the other's element")
      try expectEqual(try same.get("address.zip"), .integer(4000), "the own element")
    },
  ]
}
