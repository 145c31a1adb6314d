// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

/// The removal of what a store has stored about records of other stores.
extension AcrossStoresCases {
  /// The references of a store, by number.
  private static func listed(_ store: any PersistentStore) throws -> [Int64: ForeignReference] {
    var found: [Int64: ForeignReference] = [:]
    try store.foreignReferences?.forEachReference(in: 1...ForeignNumber.largest) { number, other in
      if other != .removalMark { found[number] = other }
    }
    return found
  }

  /// Makes albums with a photo each.
  private static func makeAlbums(_ count: Int, in context: ManagedObjectContext) throws {
    for index in 0..<count {
      let album = try context.make("Album", ["name": "a\(index)", "size": index])
      try context.make("Photo", ["name": "p\(index)", "album": album])
    }
    try context.save()
  }

  /// Deletes an album; its photo stays without one.
  private static func deleteAlbum(_ name: String, in context: ManagedObjectContext) throws {
    context.delete(try context.named("Album", name))
    try context.save()
  }

  static let removing: [ConformanceCase] = [
    pairs(
      "unused", "numbers of deleted records are removed without references, and stay unused (X41)"
    ) { stack, device, server in
      try makeAlbums(7, in: stack.context)
      func photo(_ name: String) throws -> ManagedObject { try stack.context.named("Photo", name) }
      // A living album to which nothing refers; and one that is deleted behind the back of its references.
      try photo("p3").set("album", nil)
      try photo("p0").add(try stack.context.named("Album", "a4"), to: "mentions")
      try photo("p0").add(try stack.context.named("Album", "a1"), to: "lists")
      try stack.context.save()
      for name in ["a5", "a6"] { try deleteAlbum(name, in: stack.context) }
      let key = try stack.context.named("Album", "a4").objectID.key
      let row = try require(try server.rows(forKeys: [key]).first, "the album")
      _ = try server.commit(
        StoreChangeSet(deleted: [RowVersion(key: key, version: row.version)]))
      let before = try listed(device)
      try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 2, "a5 and a6")
      try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 0, "again")
      let after = try listed(device)
      try expectEqual(after.count, before.count - 2, "references")
      try expect(after.allSatisfy { before[$0] == $1 }, "the others keep their numbers")
      try deleteAlbum("a0", in: stack.context)
      try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 1, "a0")
      try stack.readAnew()
      let fresh = try stack.context.make("Album", ["name": "new"])
      try photo("p5").set("album", fresh)
      try photo("p3").set("album", try stack.context.named("Album", "a3"))
      try stack.context.save()
      let now = stack.coordinator.persistentStores[0]
      let new = Set(try listed(now).keys).subtracting(before.keys)
      try expectEqual(new.count, 1, "new numbers")
      try expect(new.allSatisfy { $0 > before.keys.max() ?? 0 }, "no number is assigned twice")
      try stack.readAnew()
      let last = stack.coordinator.persistentStores[0]
      try expectEqual(try stack.context.names("Photo", "album.name == 'new'"), ["p5"])
      try expectEqual(try stack.context.names("Photo", "album.name == 'a3'"), ["p3"])
      try expectEqual(try photo("p0").names("lists"), ["a1"])
      try expectEqual(try stack.context.names("Photo", "album == nil"), ["p0", "p6"])
      let dangling = try stack.coordinator.danglingReferences(in: last)
      try expectEqual(
        dangling.map(\.relationship.name).sorted(), ["album", "mentions"], "references to a4")
      try expectEqual(try dangling.nullify(), 2)
      try expectEqual(try stack.coordinator.removeUnusedReferences(in: last), 1, "a4")
    },
    [
      ConformanceCase(
        .acrossStores, "unused-of-others",
        "a save with a number that was removed meanwhile is made with a new one (X41)",
        needs: [.secondHandle]
      ) { stage in
        let stack = try open(.alike, on: stage)
        let device = stack.coordinator.persistentStores[0]
        try makeAlbums(2, in: stack.context)
        let others = try stage.openSame(stack)
        // They know the numbers of both albums, and that of an album that is not saved yet.
        try expectEqual(try others.context.named("Photo", "p0").one("album")?.text("name"), "a0")
        let gone = try others.context.named("Album", "a0")
        try expectEqual(try others.context.names("Photo", "album == %@", gone), ["p0"])
        try deleteAlbum("a0", in: stack.context)
        try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 1, "a0")
        let (photo, album) = try (
          others.context.make("Photo", ["name": "q0", "album": gone]),
          others.context.named("Album", "a1")
        )
        try others.context.make("Photo", ["name": "q1", "album": album])
        try others.context.save()
        try expectEqual(try stack.makeContext().names("Photo", "album.name == 'a1'"), ["p1", "q1"])
        // The reference to a deleted album dangles as in one store, and is known to all.
        let dangling = try stack.coordinator.danglingReferences(in: device)
        try expectEqual(dangling.map { $0.source.key }, [photo.objectID.key], "what dangles")
        try expectEqual(dangling.first?.destination.key, gone.objectID.key, "the album")
      },
      ConformanceCase(
        .acrossStores, "unused-in-history",
        "numbers that the history can bring back stay as long as it has them (X41, H1)",
        needs: [.history]
      ) { stage in
        var device = try stage.makeStore()
        var server = try stage.makeStore()
        try device.setOption(.string("values"), forKey: StoreOption.historyLevel)
        device.configuration = "Device"
        server.configuration = "Server"
        let stack = try stage.open(try model(), on: [device, server])
        let store = stack.coordinator.persistentStores[0]
        try makeAlbums(1, in: stack.context)
        try deleteAlbum("a0", in: stack.context)
        try expectEqual(try stack.coordinator.removeUnusedReferences(in: store), 0, "remembered")
        // The transaction before a bound is kept.
        try stack.context.make("Photo", ["name": "another"])
        try stack.context.save()
        let history = try require(store.history, "the history")
        _ = try history.deleteTransactions(
          HistoryDeletion(before: .position(try history.position())))
        try expectEqual(try stack.coordinator.removeUnusedReferences(in: store), 1, "forgotten")
      },
      ConformanceCase(
        .acrossStores, "unused-in-doubt",
        "no number is removed while a save waits for its decision (X41)", needs: [.preparation]
      ) { stage in
        let stack = try open(.alike, on: stage)
        let device = stack.coordinator.persistentStores[0]
        try makeAlbums(1, in: stack.context)
        try deleteAlbum("a0", in: stack.context)
        let preparation = try require(device.preparation, "the ability")
        guard try preparation.canPrepare() else { return }
        let ticket = SaveTicket(
          coordinator: UUID(), decider: .init(identifier: "5F1E", name: "decider"),
          participants: [device.identity.identifier], startedAt: 1)
        _ = try preparation.prepare(StoreChangeSet(), for: ticket)
        try expectError(.saveInDoubt) {
          _ = try stack.coordinator.removeUnusedReferences(in: device)
        }
        _ = try preparation.finish(ticket.id, committing: false)
        try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 1, "afterwards")
      },
      ConformanceCase(
        .acrossStores, "unused-while-saving",
        "what others refer to while numbers are removed is found by all (X41)",
        needs: [.secondHandle]
      ) { stage in
        let stack = try open(.alike, on: stage)
        let device = stack.coordinator.persistentStores[0]
        let coordinator = stack.coordinator
        let others = try (0..<2).map { _ in try stage.openSame(stack).coordinator }
        let isOver = Mutex(0)
        try Threads.run(3) { worker in
          guard worker < 2 else {
            while isOver.withLock({ $0 < 2 }) {
              do {
                _ = try coordinator.removeUnusedReferences(in: device)
              } catch let error as PersistenceError where error.code == .saveInDoubt {
                // One of the saves is not decided yet.
              }
              Thread.sleep(forTimeInterval: 0.003)
            }
            return
          }
          defer { isOver.withLock { $0 += 1 } }
          let context = ManagedObjectContext(.privateQueue, coordinator: others[worker])
          try context.performAndWait {
            for round in 0..<20 {
              let album = try context.make("Album", ["name": "\(worker) \(round)"])
              try context.make("Photo", ["name": "\(worker) \(round)", "album": album])
              if round % 2 == 1 {
                context.delete(try context.named("Album", "\(worker) \(round - 1)"))
              }
              try saveAgain(context)
            }
          }
        }
        let context = stack.makeContext()
        for worker in 0..<2 {
          for round in 0..<20 {
            let photo = try context.named("Photo", "\(worker) \(round)")
            try expectEqual(
              try photo.one("album")?.text("name"), round % 2 == 0 ? nil : "\(worker) \(round)",
              "the album of \(worker) \(round)")
          }
        }
        try expectEqual(try stack.coordinator.danglingReferences(in: device).count, 0, "dangling")
        _ = try stack.coordinator.removeUnusedReferences(in: device)
        try expectEqual(try listed(device).count, 20, "the references that are left")
      },
    ],
  ].flatMap(\.self)

  /// Saves, again when a removal of numbers has been faster too often. A store that cannot prepare may have its part
  /// by then: the next save writes the rest.
  private static func saveAgain(_ context: ManagedObjectContext) throws {
    while true {
      do {
        return try context.save()
      } catch let error as PersistenceError
        where error.code == .storeBusy || error.code == .persistentStoreIncompleteSave
      {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }
}
