// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// The stores of objects and references.
extension AcrossStoresCases {
  static let placing: [ConformanceCase] =
    [
      pairs("routing", "company across stores does not pull an object into a store (X49, B74)") {
        stack, device, server in
        let far = try stack.context.make("Tag", ["name": "far"])
        try stack.context.assign(far, to: server)
        try stack.context.save()
        let near = try stack.context.make("Tag", ["name": "near"])
        try near.add(far, to: "related")
        try stack.context.save()
        try expectEqual(
          near.objectID.storeIdentity?.identifier, device.identity.identifier, "its store")
        try stack.readAnew()
        try expectEqual(try stack.context.named("Tag", "near").names("related"), ["far"])
      },
      pairs(
        "per-store", "a relationship between stores is not saved store after store (X44)", [.alike]
      ) { stack, _, _ in
        let usual = stack.coordinator.saveTraffic.policy
        stack.coordinator.saveTraffic.policy = .perStore
        let album = try stack.context.make("Album", ["name": "Rome"])
        let photo = try stack.context.make("Photo", ["name": "p", "album": album])
        try expectError(.externalRelationship) { try stack.context.save() }
        try expect(album.isInserted && photo.isInserted, "everything is pending")
        try expectEqual(try stack.makeContext().all("Album").count, 0, "nothing is written")
        stack.coordinator.saveTraffic.policy = usual
        try stack.context.save()
        try stack.readAnew()
        try expectEqual(try stack.context.named("Album", "Rome").names("photos"), ["p"])
      },
      pairs("uris", "the URI of an object of another store names it (X50, B24)", [.alike]) {
        stack, _, _ in
        let album = try stack.context.make("Album", ["name": "Rome"])
        let photo = try stack.context.make("Photo", ["name": "p", "album": album])
        try stack.context.save()
        try stack.readAnew()
        let uri = album.objectID.uriRepresentation()
        let id = try require(
          stack.coordinator.managedObjectID(forURIRepresentation: uri), "the ID")
        let read = try stack.context.named("Photo", "p").one("album")
        try expectEqual(read?.objectID, id, "the same ID")
        _ = photo
      },
    ].flatMap(\.self) + writers

  private static let writers: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "numbers",
      "all coordinators have one number for a record of another store (X41)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try open(.alike, on: stage)
      let others = try (0..<3).map { _ in try stage.openSame(stack) }
      let coordinators = [stack.coordinator] + others.map(\.coordinator)
      let references = (1...40).map {
        ForeignReference(store: "5F1E", key: Int64($0) << 12 | 1, entity: "Album")
      }
      let found = GivenNumbers()
      try Threads.run(coordinators.count) { index in
        let store = coordinators[index].persistentStores[0]
        let ability = try require(store.foreignReferences, "the ability")
        // Each thread begins at another reference, and interns five at a time.
        for start in 0..<8 {
          let part = Array(references[((start + index * 2) % 8 * 5)...].prefix(5))
          found.add(part, try ability.intern(part))
        }
      }
      try found.check(count: references.count)
      let ability = try require(stack.coordinator.persistentStores[0].foreignReferences)
      try expectEqual(
        try ability.numbers(of: references).compactMap(\.self), found.numbers(of: references))
      let unknown = ForeignReference(store: "5F1E", key: 1, entity: "Album")
      try expectEqual(try ability.numbers(of: [unknown]), [nil], "one that nobody asked for")
      var listed: [Int64: ForeignReference] = [:]
      try ability.forEachReference(in: 1...ForeignNumber.largest) { listed[$0] = $1 }
      try expectEqual(Set(listed.values), Set(references), "the list")
      try ability.rewrite(
        zip(found.numbers(of: references), references.reversed()).map { ($0, $1) })
      try expectEqual(
        try ability.numbers(of: references).compactMap(\.self),
        found.numbers(of: references).reversed(), "numbers that were exchanged")
    },
    ConformanceCase(
      .acrossStores, "heard", "another coordinator hears of links to objects of other stores (X42)",
      needs: [.secondHandle, .changeMarks, .history]
    ) { stage in
      var (device, server) = (try stage.makeStore(), try stage.makeStore())
      try device.setOption(.string("values"), forKey: StoreOption.historyLevel)
      try server.setOption(.string("values"), forKey: StoreOption.historyLevel)
      device.configuration = "Device"
      server.configuration = "Server"
      let stack = try stage.open(try model(), on: [device, server])
      let far = try stack.context.make("Tag", ["name": "far"])
      try stack.context.assign(far, to: stack.coordinator.persistentStores[1])
      let photo = try stack.context.make("Photo", ["name": "p"])
      try stack.context.save()
      let other = try stage.openSame(stack)
      let context = other.makeContext()
      context.mergesRemoteChanges = true
      let tag = try context.named("Tag", "far")
      try expectEqual(try tag.names("photos"), [])
      try photo.add(far, to: "tags")
      try stack.context.save()
      RemoteChanges(to: other.coordinator).look()
      context.processPendingChanges()
      try expectEqual(try tag.names("photos"), ["p"])
    },
    ConformanceCase(
      .acrossStores, "two-writers", "two coordinators relate the same objects at once (X41)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try open(.alike, on: stage)
      for index in 0..<8 { try stack.context.make("Album", ["name": "a\(index)"]) }
      try stack.context.save()
      let other = try stage.openSame(stack)
      let coordinators = [stack.coordinator, other.coordinator]
      try Threads.run(2) { index in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinators[index])
        try context.performAndWait {
          for (place, album) in try context.all("Album").enumerated() {
            try context.make("Photo", ["name": "p\(index)\(place)", "album": album])
            try context.save()
          }
        }
      }
      for place in 0..<8 {
        try expectEqual(
          try stack.makeContext().names("Photo", "album.name == %@", "a\(place)"),
          ["p0\(place)", "p1\(place)"])
        try expectEqual(
          try other.context.named("Album", "a\(place)").names("photos"),
          ["p0\(place)", "p1\(place)"])
      }
    },
  ]
}
