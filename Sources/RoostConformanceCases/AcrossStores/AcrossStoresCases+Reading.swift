// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The cost of reads across stores, and the notifications of changes.
extension AcrossStoresCases {
  static let reading: [ConformanceCase] = [
    pairs("faults", "a thousand faults across stores are read together (X43)", [.alike, .out]) {
      stack, device, server in
      for index in 0..<1_000 {
        let album = try stack.context.make("Album", ["name": "a\(index)"])
        try stack.context.make("Photo", ["name": "p\(index)", "album": album])
      }
      try stack.context.save()
      try stack.readAnew()
      let stores = stack.coordinator.persistentStores
      let photos = try stack.context.all("Photo")
      let before = stores.map { stack.coordinator.counters(for: $0) }
      for photo in photos {
        try expectEqual(
          try photo.one("album")?.text("name")?.dropFirst(), try photo.text("name")?.dropFirst())
      }
      let after = stores.map { stack.coordinator.counters(for: $0) }
      try expectEqual(after[1].rowRequests - before[1].rowRequests, 1, "requests for the albums")
      try expect(
        after[0].roundTrips - before[0].roundTrips <= 1, "what the numbers mean is asked once")
      _ = (device, server)
    },
    pairs("prefetched", "of a thousand objects a relationship across is prefetched (X43)", [.alike])
    {
      stack, _, _ in
      for index in 0..<1_000 {
        let album = try stack.context.make("Album", ["name": "a\(index)"])
        try stack.context.make("Photo", ["name": "p\(index)", "album": album])
      }
      try stack.context.save()
      let context = stack.makeContext()
      let request = FetchRequest<ManagedObject>(entityName: "Photo")
      request.relationshipKeyPathsForPrefetching = ["album"]
      let before = stack.coordinator.counters.roundTrips
      let photos = try context.fetch(request)
      try expectEqual(stack.coordinator.counters.roundTrips - before, 2, "requests")
      for photo in photos { _ = try photo.one("album")?.text("name") }
      try expectEqual(stack.coordinator.counters.roundTrips - before, 2, "requests")
    },
    pairs("partial", "a partial object leads to the right record, and writes no other (X41, B132)")
    {
      stack, _, _ in
      try stack.context.make("Album", ["name": "Oslo"])
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.save()
      let context = stack.makeContext()
      let request = try context.request("Photo", nil, [])
      request.propertiesToFetch = ["name", "album"]
      let photo = try require(try context.fetch(request).first, "the photo")
      try expectEqual(try photo.one("album")?.text("name"), "Rome")
      try photo.set("name", "q")
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "q").one("album")?.text("name"), "Rome")
    },
    pairs("undo", "undo and redo change relationships across stores (X44)", [.alike]) {
      stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p"])
      try stack.context.save()
      let undo = ChangeUndoManager()
      stack.context.undoManager = undo
      try photo.set("album", album)
      stack.context.processPendingChanges()
      undo.undo()
      try expect(try photo.one("album") == nil, "it is taken back")
      undo.redo()
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Album", "Rome").names("photos"), ["p"])
    },
    pairs("merged", "other contexts merge and refresh relationships across stores (X44)", [.alike])
    {
      stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.save()
      let other = stack.makeContext()
      other.automaticallyMergesChangesFromParent = true
      let theirs = try other.named("Photo", "p")
      let theirAlbum = try require(try theirs.one("album"), "the album")
      try expectEqual(try theirAlbum.text("name"), "Rome")
      try expectEqual(try theirAlbum.names("photos"), ["p"])
      let second = try stack.context.make("Album", ["name": "Oslo"])
      try photo.set("album", second)
      try stack.context.save()
      other.performAndWait {}
      try expectEqual(try theirs.one("album")?.text("name"), "Oslo")
      try expectEqual(try theirAlbum.names("photos"), [], "the other side")
      try stack.context.refreshAllObjects()
      try expectEqual(try photo.one("album")?.text("name"), "Oslo")
      try expectEqual(try album.names("photos"), [])
    },
    pairs("child", "a child context reads and writes relationships across stores (X41)", [.alike]) {
      stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.save()
      let parent = stack.makeContext()
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      let photo = try child.named("Photo", "p")
      try expectEqual(try photo.one("album")?.text("name"), "Rome")
      try expectEqual(try child.named("Album", "Rome").names("photos"), ["p"])
      let second = try child.make("Album", ["name": "Oslo"])
      try photo.set("album", second)
      try child.save()
      try parent.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "p").one("album")?.text("name"), "Oslo")
    },
    pairs("conflict", "a merge policy keeps references to other stores (X44)", [.alike]) {
      stack, _, _ in
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let oslo = try stack.context.make("Album", ["name": "Oslo"])
      let photo = try stack.context.make("Photo", ["name": "p", "size": 1, "album": rome])
      try stack.context.save()
      let other = stack.makeContext()
      other.mergePolicy = .mergeByPropertyObjectTrump
      let theirs = try other.named("Photo", "p")
      try theirs.set("size", 2)
      try photo.set("album", oslo)
      try stack.context.save()
      try other.save()
      try stack.readAnew()
      let read = try stack.context.named("Photo", "p")
      try expectEqual(try read.one("album")?.text("name"), "Oslo")
      try expectEqual(try read.number("size"), 2)
    },
    pairs(
      "costs",
      "a condition over a step costs a request at each store, and a look at the numbers (X43, X46)",
      [.alike]
    ) { stack, _, _ in
      for index in 0..<100 {
        let album = try stack.context.make("Album", ["name": "a\(index % 10)"])
        try stack.context.make("Photo", ["name": "p\(index)", "album": album])
      }
      try stack.context.save()
      let stores = stack.coordinator.persistentStores
      func roundTrips() -> [Int] { stores.map { stack.coordinator.counters(for: $0).roundTrips } }
      let context = stack.makeContext()
      let before = roundTrips()
      try expectEqual(try context.all("Photo", "album.name == 'a3'").count, 10)
      let after = roundTrips()
      try expectEqual([after[0] - before[0], after[1] - before[1]], [2, 1], "requests")
      let request = try context.request("Photo", "album.name == 'a4'", [])
      request.relationshipKeyPathsForPrefetching = ["album"]
      try expectEqual(try context.fetch(request).count, 10)
      let last = roundTrips()
      try expectEqual(
        [last[0] - after[0], last[1] - after[1]], [2, 2], "requests with prefetching")
    },
  ].flatMap(\.self)
}
