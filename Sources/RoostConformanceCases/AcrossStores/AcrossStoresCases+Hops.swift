// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The requests and the rows of conditions that lead into other stores.
extension AcrossStoresCases {
  /// The cost of a request: fetches, and rows of the store with the photos and of that with the albums.
  private struct Cost: Equatable {
    var fetches: [Int]
    var rows: [Int]
  }

  /// Returns what a fetch of photos costs.
  private static func cost(
    _ stack: ConformanceStack, _ format: String, _ names: [String]
  ) throws -> Cost {
    stack.context.reset()
    let stores = stack.coordinator.persistentStores
    let before = stores.map { stack.coordinator.counters(for: $0) }
    try expectEqual(try stack.context.names("Photo", format), names, format)
    let after = stores.map { stack.coordinator.counters(for: $0) }
    return Cost(
      fetches: zip(before, after).map { $1.fetches - $0.fetches },
      rows: zip(before, after).map { $1.rows - $0.rows })
  }

  /// Twenty albums, of which the first two have a photo each.
  private static func fillAlbums(_ context: ManagedObjectContext) throws {
    for index in 0..<20 {
      let album = try context.make("Album", ["name": "a", "size": index])
      if index < 2 { try context.make("Photo", ["name": "p\(index)", "album": album]) }
    }
    for index in 2..<10 { try context.make("Photo", ["name": "p\(index)"]) }
    try context.save()
  }

  static let hops: [ConformanceCase] = [
    pairs(
      "hop-limit", "a step gives as many IDs as the limit says, and above it memory decides (X46)",
      [.alike]
    ) { stack, _, _ in
      try expectEqual(
        [AcrossLimits.mostKeys, AcrossLimits.mostHops, AcrossLimits.mostRows],
        [100_000, 8, 10_000_000], "the limits")
      try fillAlbums(stack.context)
      try stack.readAnew()
      // A store that leaves conditions to memory reads its rows for any of them.
      let own = try stack.context.request("Photo", "name == 'p0'", [])
      let isExact = try stack.context.explain(own).inMemory.isEmpty
      func cost(_ mostKeys: Int) throws -> Cost {
        try AcrossLimits.$mostKeys.withValue(mostKeys) {
          try Self.cost(stack, "album.name == 'a'", ["p0", "p1"])
        }
      }
      let (few, many) = (try cost(20), try cost(19))
      try expectEqual(few.fetches, [1, 1], "requests up to the limit")
      try expectEqual(many.fetches, [1, 1], "requests above the limit")
      guard isExact else { return }
      try expectEqual(few.rows, [2, 0], "rows up to the limit: those that match")
      try expectEqual(many.rows, [10, 2], "rows above the limit: all photos, and their albums")
      stack.context.allowsInMemoryEvaluation = false
      try expectEqual(try cost(20), few, "what the stores do is not forbidden")
      let before = stack.coordinator.counters.rows
      let error = try expectError(.forbiddenByPolicy) { _ = try cost(19) }
      try expect(error.message.contains("a condition over several stores"), "why: \(error)")
      try expectEqual(stack.coordinator.counters.rows - before, 0, "rows of a refused request")
    },
    pairs(
      "turned-round", "of few records only the destinations are asked for, and not all (X46)",
      [.alike]
    ) { stack, _, _ in
      try fillAlbums(stack.context)
      try stack.readAnew()
      guard stack.coordinator.persistentStores[0].snapshots != nil else { return }
      let own = try stack.context.request("Photo", "name == 'p0'", [])
      guard try stack.context.explain(own).inMemory.isEmpty else { return }
      try stack.context.setQueryGenerationFrom(.current)
      func cost(fewKeys: Int) throws -> Cost {
        try AcrossLimits.$fewKeys.withValue(fewKeys) {
          // More albums match than a step may give.
          try AcrossLimits.$mostKeys.withValue(5) {
            try Self.cost(stack, "name BEGINSWITH 'p1' AND album.name == 'a'", ["p1"])
          }
        }
      }
      let (turned, straight) = (try cost(fewKeys: 1), try cost(fewKeys: 0))
      try expectEqual(turned.fetches, [2, 1], "requests: the candidates first")
      try expectEqual(turned.rows, [2, 0], "rows: the candidate, and what matches")
      try expectEqual(straight.fetches, [1, 1], "requests without turning")
      try expectEqual(straight.rows, [1, 1], "rows: the candidate and its album, in memory")
    },
    pairs(
      "sort-values", "to sort, values of another store are read, and rows of the window (X47)",
      [.alike]
    ) { stack, _, _ in
      for index in 0..<6 {
        let album = try stack.context.make("Album", ["name": "a\(index % 3)", "size": 10 - index])
        for number in 0..<3 {
          try stack.context.make(
            "Photo", ["name": "p\(index)\(number)", "size": number, "album": album])
        }
      }
      try stack.context.save()
      try stack.readAnew()
      let stores = stack.coordinator.persistentStores
      func names(_ limit: Int?) throws -> (names: [String?], rows: [Int], requests: [Int]) {
        stack.context.reset()
        let request = FetchRequest<ManagedObject>(entityName: "Photo")
        request.sortDescriptors = [
          SortOrdering("album.name", ascending: false), SortOrdering("album.size"),
          SortOrdering("size", ascending: false),
        ]
        if let limit { request.fetchLimit = limit }
        let before = stores.map { stack.coordinator.counters(for: $0) }
        let found = try stack.context.fetch(request)
        let after = stores.map { stack.coordinator.counters(for: $0) }
        let result = try found.map { photo in
          let size = try require(photo.number("size"), "the size")
          try expect(try photo.text("name")?.hasSuffix("\(size)") == true, "whole rows")
          return try photo.text("name")
        }
        return (
          result, zip(before, after).map { $1.rows - $0.rows },
          zip(before, after).map {
            $1.fetches + $1.rowRequests - $0.fetches - $0.rowRequests
          }
        )
      }
      let all = try names(nil)
      try expectEqual(all.names.count, 18, "all")
      try expectEqual(
        all.names.prefix(4).map(\.self), ["p52", "p51", "p50", "p22"], "the order")
      try expectEqual(all.rows, [18, 6], "rows of all")
      try expectEqual(all.requests, [1, 1], "requests for all")
      let few = try names(4)
      try expectEqual(few.names, Array(all.names.prefix(4)), "the first four")
      // Where columns are read one by one, the rows of the window are read whole afterwards.
      let readsColumns = stores[0].sql != nil
      try expectEqual(few.rows, [readsColumns ? 22 : 18, 6], "rows of four")
      try expectEqual(few.requests, [readsColumns ? 2 : 1, 1], "requests for four")
    },
    pairs("each-hop", "the plan shows each step, and asks no store (X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      let before = stack.coordinator.counters.rows
      let request = try stack.context.request("Tag", "ANY photos.album.name == 'Oslo'", [])
      let plan = try stack.context.explain(request)
      let hops = plan.steps.filter { $0.hasPrefix("first: ") }
      try expect(
        ["Photo", "Album"].allSatisfy { entity in
          hops.contains { $0.contains("IDs of \(entity) ") }
        }, "the steps: \(plan.steps)")
      try expectEqual(stack.coordinator.counters.rows, before, "rows")
    },
  ].flatMap(\.self)
}
