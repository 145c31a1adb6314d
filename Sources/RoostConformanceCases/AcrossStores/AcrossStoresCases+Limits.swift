// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The cost of requests over relationships into other stores, and the order of the stores' requests.
extension AcrossStoresCases {
  /// Items, some of them with an album in another store.
  private static func openSubentities(on stage: ConformanceStage) throws -> ConformanceStack {
    var sketch = ModelSketch()
    sketch.add("Item", [.string("name")])
    sketch.add("Picture", [], parent: "Item")
    sketch.add("Sound", [.integer("length"), .string("text")], parent: "Item")
    sketch.add("Album", [.string("name"), .integer("size")])
    sketch.relate(.init("Picture", "album", .one), .init("Album", "pictures", .many))
    let model = sketch.make()
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        relationship.mayCrossStores = true
      }
    }
    try model.setEntities(
      ["Item", "Picture", "Sound"].map { sketch[$0] }, forConfigurationName: "Device")
    try model.setEntities([sketch["Album"]], forConfigurationName: "Server")
    var (device, server) = (try stage.makeStore(), try stage.makeStore())
    device.configuration = "Device"
    server.configuration = "Server"
    return try stage.open(model, on: [device, server])
  }

  static let measured: [ConformanceCase] = [
    pairs("fewer-first", "of few records only what they lead to is asked for (X46)") {
      stack, _, server in
      try fill(stack.context, server)
      for number in 0..<40 {
        try stack.context.make("Album", ["name": "more \(number)", "size": 30])
      }
      try stack.context.save()
      try stack.readAnew()
      let questions: [(format: String, names: [String])] = [
        ("album.size > 2 AND size < 25", ["a", "b"]), ("album.size < 100", ["a", "b", "c", "e"]),
        ("album.name != 'Rome'", ["c", "d", "e"]),
        ("album.size > 2 OR size == 40", ["a", "b", "d", "e"]),
      ]
      /// Returns the number of requests for the questions.
      func requests(fewKeys: Int) throws -> Int {
        let before = stack.coordinator.counters.fetches
        try AcrossLimits.$fewKeys.withValue(fewKeys) {
          for (format, names) in questions {
            stack.context.reset()
            try expectEqual(try stack.context.names("Photo", format), names, format)
          }
        }
        return stack.coordinator.counters.fetches - before
      }
      // With concurrent writers, a record could refer to another one by the time it is tested.
      try expectEqual(
        try requests(fewKeys: 100), try requests(fewKeys: 0), "requests of no moment")
      try stack.context.setQueryGenerationFrom(.current)
      // Each takes one more, for the photos.
      let more = stack.coordinator.persistentStores[0].snapshots == nil ? 0 : questions.count
      try expectEqual(
        try requests(fewKeys: 100), try requests(fewKeys: 0) + more, "requests of a moment")
    },
    pairs("fewer-only", "what is too much is asked for from the other side (X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      for number in 0..<6 {
        try stack.context.make("Album", ["name": "more \(number)", "size": 30])
      }
      try stack.context.save()
      try stack.readAnew()
      guard stack.coordinator.persistentStores[0].snapshots != nil else { return }
      try stack.context.setQueryGenerationFrom(.current)
      stack.context.allowsInMemoryEvaluation = false
      try AcrossLimits.$mostKeys.withValue(4) {
        try AcrossLimits.$fewKeys.withValue(2) {
          try expectEqual(
            try stack.context.names("Photo", "album.size > 2 AND size < 25"), ["a", "b"])
          // Here neither side has few.
          try expectError(.forbiddenByPolicy) {
            _ = try stack.context.names("Photo", "album.size > 2 AND size > 0")
          }
        }
      }
    },
    [
      ConformanceCase(
        .acrossStores, "fewer-of-subentities",
        "the relationship of a subentity is looked for in its own records only (X46)"
      ) { stage in
        let stack = try openSubentities(on: stage)
        let context = stack.context
        for size in [1, 2, 3] {
          let album = try context.make("Album", ["name": "\(size)", "size": size])
          try context.make("Picture", ["name": "p\(size)", "album": album])
        }
        for number in 0..<5 {
          try context.make(
            "Sound", ["name": "s\(number)", "length": 1 << 40 + number, "text": "words"])
        }
        try context.save()
        try stack.readAnew()
        try stack.context.setQueryGenerationFrom(.current)
        for few in [1, 100] {
          try AcrossLimits.$fewKeys.withValue(few) {
            try expectEqual(
              try stack.context.names("Item", "album.size > 1"), ["p2", "p3"], "few: \(few)")
            try expectEqual(
              try stack.context.names("Item", "album.size > 1 AND name == 'p2'"), ["p2"])
            try expectEqual(
              try stack.context.names("Item", "album.name == '1' OR name == 's1'"), ["p1", "s1"])
          }
        }
      }
    ],
    pairs("hops-once", "stores that ask the same have it asked once (X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      // Both stores have tags.
      let before = stack.coordinator.counters.fetches
      try expectEqual(try stack.context.names("Tag", "ANY photos.name == 'b'"), ["far"])
      // One for the photos, and one in each store for the tags.
      try expectEqual(stack.coordinator.counters.fetches - before, 3, "fetches")
    },
    pairs("most-hops", "a condition follows eight steps into other stores (X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      let near = try stack.context.named("Tag", "near")
      try near.add(try stack.context.named("Tag", "far"), to: "related")
      try stack.context.save()
      try stack.readAnew()
      func path(_ steps: Int) -> String {
        "ANY " + [String](repeating: "related", count: steps).joined(separator: ".")
          + ".name == 'near'"
      }
      try expectEqual(try stack.context.names("Tag", path(2)), ["near"])
      try expectEqual(try stack.context.names("Tag", path(8)), ["near"])
      let before = stack.coordinator.counters.roundTrips
      for ask in [
        { _ = try stack.context.names("Tag", path(9)) },
        { _ = try stack.context.explain(stack.context.request("Tag", path(9), [])) },
      ] {
        let error = try expectError(.limitExceeded) { try ask() }
        try expect(error.message.contains("9 steps"), "why: \(error)")
      }
      try expectEqual(stack.coordinator.counters.roundTrips, before, "nobody was asked")
    },
    pairs("first-rows", "of results that are sorted elsewhere the first ones are found (X47)") {
      stack, _, server in
      try fill(stack.context, server)
      for number in 0..<9 {
        let album = try stack.context.named("Album", number % 2 == 0 ? "Rome" : "Oslo")
        try stack.context.make("Photo", ["name": "p\(number)", "size": number, "album": album])
      }
      try stack.context.save()
      try stack.readAnew()
      func names(_ limit: Int?, _ offset: Int, _ format: String?) throws -> [String?] {
        let request = FetchRequest<ManagedObject>(entityName: "Photo")
        request.predicate = try format.map { try FetchPredicate($0) }
        request.sortDescriptors = [
          SortOrdering("album.name", ascending: false), SortOrdering("size"),
        ]
        request.fetchOffset = offset
        if let limit { request.fetchLimit = limit }
        return try stack.context.fetch(request).map { try $0.text("name") }
      }
      for format in [nil, "album.photos.@count > 1", "size < 8"] {
        let all = try names(nil, 0, format)
        try expect(all.count > 5, "there are some")
        for (limit, offset) in [(1, 0), (3, 0), (4, 2), (100, 3), (2, 50)] {
          try expectEqual(
            try names(limit, offset, format), Array(all.dropFirst(offset).prefix(limit)),
            "\(limit) from \(offset), \(format ?? "all")")
        }
      }
    },
    pairs(
      "too-many-rows", "more rows than memory should hold are refused (X47)"
    ) { stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      let request = FetchRequest<ManagedObject>(entityName: "Photo")
      request.sortDescriptors = [
        SortOrdering("album.name", ascending: false), SortOrdering("name"),
      ]
      try AcrossLimits.$mostRows.withValue(4) {
        let error = try expectError(.limitExceeded) { _ = try stack.context.fetch(request) }
        try expect(error.message.contains("narrower condition"), "what to do: \(error)")
        request.predicate = try FetchPredicate("size < 25")
        try expectEqual(try stack.context.fetch(request).map { try $0.text("name") }, ["a", "b"])
        request.predicate = nil
      }
      try AcrossLimits.$mostRows.withValue(5) {
        try expectEqual(try stack.context.fetch(request).count, 5, "as many as may be held")
      }
    },
  ].flatMap(\.self)
}
