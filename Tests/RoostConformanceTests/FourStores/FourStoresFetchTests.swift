// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Testing

@Suite("Stores of all kinds behind one coordinator: fetches")
struct FourStoresFetchTests {
  /// Makes a hundred tags with the sizes 0 to 99, distributed to the stores in turn, and some without a size.
  private func shelf() throws -> FourStores {
    let shelf = try FourStores(ShelfModel.make(), configurations: ShelfModel.configurations)
    for size in 0..<100 {
      let tag = try shelf.context.make("Tag", ["name": "t\(size)", "size": size])
      try shelf.context.assign(tag, to: shelf.stores[(size * 7 + size / 10) % 4])
    }
    for index in 0..<4 {
      let tag = try shelf.context.make("Tag", ["name": "nil"])
      try shelf.context.assign(tag, to: shelf.stores[index])
    }
    try shelf.context.save()
    try shelf.stack.reopen()
    return shelf
  }

  private func request(
    _ format: String?, offset: Int = 0, limit: Int = 0, ascending: Bool = true
  ) throws -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: "Tag")
    if let format { request.predicate = try FetchPredicate(format) }
    request.sortDescriptors = [
      SortOrdering("size", ascending: ascending), SortOrdering("name", ascending: ascending),
    ]
    (request.fetchOffset, request.fetchLimit) = (offset, limit)
    return request
  }

  @Test(
    "a window is one over all stores, and each is asked for no row beyond its end (B125, B136, B233)",
    arguments: [(0, 1), (0, 10), (5, 5), (30, 7), (95, 20)])
  func windows(_ offset: Int, _ limit: Int) throws {
    let shelf = try shelf()
    var found: [Int64?] = []
    let counts = try shelf.counting {
      found = try shelf.context.fetch(
        request("size != nil", offset: offset, limit: limit)
      ).map { try $0.number("size") }
    }
    #expect(found == (offset..<min(100, offset + limit)).map { Int64($0) })
    for count in counts {
      #expect(count.roundTrips == 1)
      #expect(count.rows <= offset + limit)
    }
  }

  @Test("nil comes last in a descending order, whichever store it is in (B124)")
  func descending() throws {
    let shelf = try shelf()
    let found = try shelf.context.fetch(request(nil, offset: 98, ascending: false))
    #expect(try found.map { try $0.number("size") } == [1, 0, nil, nil, nil, nil])
  }

  @Test("a count asks for no row (B130, B233)")
  func counts() throws {
    let shelf = try shelf()
    var found: [Int] = []
    let counts = try shelf.counting {
      for (offset, limit) in [(0, 0), (10, 7), (58, 7)] {
        found.append(
          try shelf.context.count(for: request("size >= 40", offset: offset, limit: limit)))
      }
    }
    #expect(found == [60, 7, 2])
    #expect(counts.map(\.rows) == [0, 0, 0, 0])
    #expect(counts.map(\.roundTrips) == [3, 3, 3, 3])
  }

  @Test("groups and aggregates are made of those of the stores, without a row (B134, B233)")
  func aggregates() throws {
    let shelf = try shelf()
    func column(_ name: String, _ function: FetchFunction) -> ExpressionDescription {
      ExpressionDescription(
        name: name, expression: FetchExpression.function(function, [.keyPath(["size"])]),
        resultType: function == .average ? .double : .integer64)
    }
    let request = FetchRequest<[String: Any]>(entityName: "Tag")
    request.propertiesToFetch = [
      column("sum", .sum), column("n", .count), column("least", .minimum),
      column("most", .maximum), column("mean", .average),
    ]
    let counts = try shelf.counting {
      let found = try shelf.context.fetch(request)
      #expect(found.count == 1)
      #expect(["sum", "n", "least", "most"].map { whole(found[0][$0]) } == [4950, 100, 0, 99])
      #expect(found[0]["mean"] as? Double == 49.5)
    }
    #expect(counts.map(\.rows) == [0, 0, 0, 0])
  }

  @Test("equal values of several stores come once (B135, B233)")
  func distinct() throws {
    let shelf = try shelf()
    let request = FetchRequest<[String: Any]>(entityName: "Tag")
    request.predicate = try FetchPredicate("size == nil OR size < 3")
    request.propertiesToFetch = ["name"]
    request.returnsDistinctResults = true
    request.sortDescriptors = [SortOrdering("name")]
    let names = try shelf.context.fetch(request).map { $0["name"] as? String }
    #expect(names == ["nil", "t0", "t1", "t2"])
  }

  @Test("a fetch is limited to some of the stores, and the others are not asked (B136)")
  func affected() throws {
    let shelf = try shelf()
    let all = try shelf.context.fetch(request("size != nil"))
    for chosen in [[0], [2], [1, 3], [0, 1, 2], []] {
      let wanted = try all.filter { chosen.contains(shelf.place(of: $0) ?? -1) }
        .map { try $0.number("size") }
      let request = try request("size != nil")
      request.affectedStores = chosen.map { shelf.stores[$0] }
      let counts = try shelf.counting {
        let found = try shelf.context.fetch(request)
        #expect(try found.map { try $0.number("size") } == wanted)
        #expect(try shelf.context.count(for: request) == wanted.count)
      }
      #expect(counts.map { $0.roundTrips > 0 } == (0..<4).map { chosen.contains($0) })
    }
  }

  @Test("faults of several stores fire with one request a store (B36, B38)")
  func faulting() throws {
    let shelf = try shelf()
    let request = try request(nil)
    request.includesPropertyValues = false
    let tags = try shelf.context.fetch(request)
    #expect(tags.count == 104)
    let counts = try shelf.counting {
      for tag in tags { _ = try tag.text("name") }
    }
    for count in counts { #expect(count.roundTrips <= 1) }
  }

  @Test("relationships of objects of several stores are read in one request a store (B38, B127)")
  func prefetching() throws {
    let shelf = try shelf()
    let tags = try shelf.context.fetch(request("size < 40"))
    for (index, store) in shelf.stores.enumerated() {
      let parent = try shelf.context.make("Tag", ["name": "parent", "size": 1000])
      try shelf.context.assign(parent, to: store)
      for tag in tags where shelf.place(of: tag) == index { try tag.set("parent", parent) }
    }
    try shelf.context.save()
    try shelf.stack.reopen()
    for prefetches in [true, false] {
      let context = shelf.stack.makeContext()
      let request = try request("size < 40 OR size == 1000")
      if prefetches { request.relationshipKeyPathsForPrefetching = ["children"] }
      let found = try context.fetch(request)
      let counts = try shelf.counting {
        for tag in found {
          let children = try tag.many("children")
          #expect(try children.allSatisfy { try $0.one("parent") === tag })
        }
      }
      for count in counts { #expect(count.roundTrips <= (prefetches ? 0 : 2)) }
    }
  }
}
