// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore
import Synchronization

// Conditions, sort orders and groups that refer to other stores.
extension AcrossStoresCases {
  /// Three albums, one of them without photos, and photos with and without an album.
  static func fill(_ context: ManagedObjectContext, _ server: any PersistentStore) throws {
    let owner = try context.make("Owner", ["name": "ann"])
    let rome = try context.make("Album", ["name": "Rome", "size": 3, "owner": owner])
    let oslo = try context.make("Album", ["name": "Oslo", "size": 1])
    let none = try context.make("Album", ["name": nil, "size": 7])
    try context.make("Album", ["name": "Empty", "size": 5])
    let a = try context.make("Photo", ["name": "a", "size": 10, "album": rome])
    let b = try context.make("Photo", ["name": "b", "size": 20, "album": rome])
    let c = try context.make("Photo", ["name": "c", "size": 30, "album": oslo])
    try context.make("Photo", ["name": "d", "size": 40])
    try context.make("Photo", ["name": "e", "size": 50, "album": none])
    let near = try context.make("Tag", ["name": "near"])
    let far = try context.make("Tag", ["name": "far"])
    try context.assign(far, to: server)
    try a.add(near, to: "tags")
    try a.add(far, to: "tags")
    try b.add(far, to: "tags")
    try c.add(near, to: "tags")
    try context.save()
  }

  /// A condition on photos or albums, and the names of the matches.
  private static let questions: [(entity: String, format: String, names: [String])] = [
    ("Photo", "album.name == 'Rome'", ["a", "b"]),
    ("Photo", "album.name != 'Rome'", ["c", "d", "e"]),
    ("Photo", "album.name == nil", ["d", "e"]),
    ("Photo", "album.name != nil", ["a", "b", "c"]),
    ("Photo", "NOT (album.name == 'Rome')", ["c", "d", "e"]),
    ("Photo", "album.name IN {'Rome', 'Oslo'}", ["a", "b", "c"]),
    ("Photo", "album.size > 1 AND size < 20", ["a"]),
    ("Photo", "album.name == 'Oslo' OR size == 40", ["c", "d"]),
    ("Photo", "album.owner.name == 'ann'", ["a", "b"]),
    ("Photo", "album.owner == nil", ["c", "d", "e"]),
    ("Photo", "album == nil", ["d"]),
    ("Photo", "album != nil", ["a", "b", "c", "e"]),
    ("Photo", "ANY tags.name == 'far'", ["a", "b"]),
    ("Photo", "NONE tags.name == 'far'", ["c", "d", "e"]),
    ("Photo", "ALL tags.name == 'far'", ["b", "d", "e"]),
    ("Photo", "tags.@count == 2", ["a"]),
    ("Photo", "SUBQUERY(tags, $t, $t.name == 'near').@count > 0", ["a", "c"]),
    ("Photo", "album.photos.@count == 2", ["a", "b"]),
    ("Album", "ANY photos.size > 25", ["-", "Oslo"]),
    ("Album", "photos.@count == 0", ["Empty"]),
    ("Album", "ALL photos.size < 25", ["Empty", "Rome"]),
    ("Album", "NONE photos.size > 25", ["Empty", "Rome"]),
    ("Album", "SUBQUERY(photos, $p, $p.size < 25).@count == 2", ["Rome"]),
    ("Album", "photos.@sum.size == 30", ["Oslo", "Rome"]),
    ("Album", "ANY photos.tags.name == 'near'", ["Oslo", "Rome"]),
    ("Tag", "ANY photos.album.name == 'Oslo'", ["near"]),
    ("Tag", "ANY photos.name == 'b'", ["far"]),
  ]

  static let asking: [ConformanceCase] = [
    pairs("conditions", "conditions look into other stores (X46)") { stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      for (entity, format, wanted) in questions {
        try expectEqual(try stack.context.names(entity, format), wanted, format)
        let count = try stack.context.count(for: stack.context.request(entity, format, []))
        try expectEqual(count, wanted.count, "the number for \(format)")
      }
    },
    pairs("whole-saves", "whole saves are read with the same answers (X21, X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      guard stack.coordinator.persistentStores.allSatisfy({ $0.changeMarks != nil }) else { return }
      stack.coordinator.saveTraffic.reads = .wholeSaves
      for (entity, format, wanted) in questions {
        try expectEqual(try stack.context.names(entity, format), wanted, format)
        let count = try stack.context.count(for: stack.context.request(entity, format, []))
        try expectEqual(count, wanted.count, "the number for \(format)")
      }
      // Fetched objects are changed and saved as usual.
      for photo in try stack.context.all("Photo", "album.name == 'Rome'") {
        try expectEqual(try photo.one("album")?.text("name"), "Rome")
        try photo.set("size", 7)
      }
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Photo", "size == 7"), ["a", "b"])
      try expectEqual(try stack.context.names("Tag"), ["far", "near"], "of both stores")
    },
    [
      ConformanceCase(
        .acrossStores, "whole-saves-of-others",
        "a condition over several stores sees whole saves while others save (X21, X46)",
        needs: [.preparation, .secondHandle, .changeMarks]
      ) { stage in
        let stack = try open(.alike, on: stage)
        try fill(stack.context, stack.coordinator.persistentStores[1])
        let others = try stage.openSame(stack).coordinator
        others.saveTraffic.reads = .wholeSaves
        let coordinator = stack.coordinator
        @Sendable func save(_ size: Int, _ context: ManagedObjectContext) throws {
          let photo = try context.named("Photo", "a")
          try photo.set("size", size)
          try photo.one("album")?.set("size", size)
          try context.save()
        }
        try save(0, stack.context)
        let isOver = Mutex(false)
        try Threads.run(2) { worker in
          guard worker > 0 else {
            defer { isOver.withLock { $0 = true } }
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            for round in 1...40 { try save(round, context) }
            return
          }
          while !isOver.withLock({ $0 }) {
            let context = ManagedObjectContext(.privateQueue, coordinator: others)
            context.stalenessInterval = 0
            try expectEqual(
              try context.names("Photo", "name == 'a' AND album.size == size"), ["a"],
              "the photo and its album")
            Thread.sleep(forTimeInterval: 0.001)
          }
        }
      }
    ],
    pairs("objects", "conditions name objects of other stores (X46)") { stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      let rome = try stack.context.named("Album", "Rome")
      let empty = try stack.context.named("Album", "Empty")
      let far = try stack.context.named("Tag", "far")
      try expectEqual(try stack.context.names("Photo", "album == %@", rome), ["a", "b"])
      try expectEqual(try stack.context.names("Photo", "album != %@", rome), ["c", "d", "e"])
      try expectEqual(try stack.context.names("Photo", "album == %@", empty), [])
      try expectEqual(try stack.context.names("Photo", "album IN %@", [rome, empty]), ["a", "b"])
      try expectEqual(try stack.context.names("Photo", "ANY tags == %@", far), ["a", "b"])
      let a = try stack.context.named("Photo", "a")
      try expectEqual(try stack.context.names("Album", "ANY photos == %@", a), ["Rome"])
    },
    pairs("sorted", "an order looks into other stores (X47)") { stack, _, server in
      try fill(stack.context, server)
      try stack.readAnew()
      let request = FetchRequest<ManagedObject>(entityName: "Photo")
      request.sortDescriptors = [
        SortOrdering("album.name", ascending: false), SortOrdering("name", ascending: false),
      ]
      func names() throws -> [String?] {
        try stack.context.fetch(request).map { try $0.text("name") }
      }
      try expectEqual(try names(), ["b", "a", "c", "e", "d"])
      request.fetchOffset = 1
      request.fetchLimit = 2
      try expectEqual(try names(), ["a", "c"])
    },
    pairs("policy", "what would be done in memory is told, and refused (X46)", [.alike]) {
      stack, _, server in
      try fill(stack.context, server)
      let hop = try stack.context.request("Photo", "album.name == 'Rome'", [])
      let plans = try stack.context.explain(hop)
      try expect("\(plans)".contains("first: IDs of Album"), "the hop is told: \(plans)")
      let counted = try stack.context.request("Photo", "album.photos.@count == 2", [])
      try expect(
        "\(try stack.context.explain(counted))".contains("a condition over several stores"),
        "what is done in memory is told")
      // A store that leaves all conditions to memory does so without relationships, too.
      let own = try stack.context.request("Photo", "name == 'a'", [])
      guard try stack.context.explain(own).inMemory.isEmpty else { return }
      stack.context.allowsInMemoryEvaluation = false
      try expectEqual(try stack.context.fetch(hop).count, 2, "what the stores do")
      let before = stack.coordinator.counters.roundTrips
      let error = try expectError(.forbiddenByPolicy) { _ = try stack.context.fetch(counted) }
      try expect(error.message.contains("a condition over several stores"), "why: \(error)")
      let sorted = FetchRequest<ManagedObject>(entityName: "Photo")
      sorted.sortDescriptors = [SortOrdering("album.name")]
      try expectError(.forbiddenByPolicy) { _ = try stack.context.fetch(sorted) }
      try expectEqual(stack.coordinator.counters.roundTrips, before, "nobody was asked")
    },
  ].flatMap(\.self)
}
