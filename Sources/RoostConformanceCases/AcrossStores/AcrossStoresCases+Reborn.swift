// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Records whose numbers were removed, and that get other ones: what other coordinators know of them is out of date.
extension AcrossStoresCases {
  /// An album with a photo and a note that keeps it from being deleted, which another coordinator has asked for.
  private struct Album {
    let stack: ConformanceStack
    let other: ConformanceStack
    let device: any PersistentStore

    init(_ stage: ConformanceStage) throws {
      stack = try AcrossStoresCases.open(.alike, on: stage)
      device = stack.coordinator.persistentStores[0]
      stack.context.undoManager = ChangeUndoManager()
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try photo.add(album, to: "lists")
      try stack.context.make("Note", ["name": "guarding", "guard": album])
      try stack.context.save()
      stack.context.undoManager?.removeAllActions()
      other = try stage.openSame(stack)
      try expectEqual(try other.context.named("Album", "Rome").names("photos"), ["p"], "before")
    }

    /// Deletes the album, removes its number, and takes the deletion back.
    func renumber() throws {
      let album = try stack.context.named("Album", "Rome")
      try stack.context.named("Note", "guarding").set("guard", nil)
      stack.context.delete(album)
      try stack.context.save()
      try expectEqual(try stack.coordinator.removeUnusedReferences(in: device), 1, "removed")
      stack.context.undoManager?.undo()
      try stack.context.save()
    }

    func expectFound(by coordinator: ConformanceStack, _ who: String) throws {
      let context = coordinator.makeContext()
      let album = try context.named("Album", "Rome")
      try expectEqual(try album.names("photos"), ["p"], "\(who): its photos")
      try expectEqual(try album.names("guards"), ["guarding"], "\(who): its notes")
      for condition in ["album == %@", "ANY lists == %@"] {
        try expectEqual(try context.names("Photo", condition, album), ["p"], "\(who): \(condition)")
      }
      try expectEqual(
        try context.names("Photo", "album.name == 'Rome'"), ["p"], "\(who): by its name")
      try expectEqual(
        try context.named("Photo", "p").one("album")?.text("name"), "Rome", "\(who): its album")
      withExtendedLifetime(context) {}
    }
  }

  static let reborn: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "reborn",
      "a record that comes back after its number was removed is found by all (X41, X42)",
      needs: [.secondHandle]
    ) { stage in
      let album = try Album(stage)
      try album.renumber()
      for _ in 1...2 {
        try album.expectFound(by: album.other, "the other")
        try album.expectFound(by: album.stack, "the one that has removed it")
      }
    },
    ConformanceCase(
      .acrossStores, "reborn-rules",
      "delete rules see what refers to a record that has another number since (X41, X44)",
      needs: [.secondHandle]
    ) { stage in
      let album = try Album(stage)
      try album.renumber()
      let context = album.other.makeContext()
      context.stalenessInterval = 0
      context.delete(try context.named("Album", "Rome"))
      try expectError(.validationRelationshipDeniedDelete) { try context.save() }
      context.rollback()
      try context.named("Note", "guarding").set("guard", nil)
      context.delete(try context.named("Album", "Rome"))
      try context.save()
      try expectEqual(
        try album.stack.coordinator.danglingReferences(in: album.device).count, 0, "dangling")
      let last = album.stack.makeContext()
      let photo = try last.named("Photo", "p")
      try expect(try photo.one("album") == nil, "the album")
      try expectEqual(try photo.names("lists"), [], "the links")
      withExtendedLifetime(last) {}
    },
    ConformanceCase(
      .acrossStores, "reborn-moment",
      "a moment that is held has the numbers of its time, and others have theirs (X41)",
      needs: [.secondHandle]
    ) { stage in
      let album = try Album(stage)
      // Others show their newest state, whatever moment is held.
      guard album.other.coordinator.persistentStores.allSatisfy({ $0.snapshots != nil }) else {
        return
      }
      let held = album.other.makeContext()
      try held.setQueryGenerationFrom(.current)
      try album.renumber()
      let before = try held.named("Album", "Rome")
      try expectEqual(try held.names("Photo", "album == %@", before), ["p"], "then")
      try album.expectFound(by: album.other, "now")
      try expectEqual(try before.names("photos"), ["p"], "then, its photos")
      try album.expectFound(by: album.other, "now, again")
      withExtendedLifetime(held) {}
    },
    ConformanceCase(
      .acrossStores, "unused-before-insertion",
      "the number of a record that is not saved yet may be removed, and is asked for anew (X41)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try open(.alike, on: stage)
      let device = stack.coordinator.persistentStores[0]
      let oslo = try stack.context.make("Album", ["name": "Oslo"])
      try stack.context.make("Photo", ["name": "q", "album": oslo])
      try stack.context.save()
      let (other, cleaner) = (try stage.openSame(stack), try stage.openSame(stack))
      let rome = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": rome])
      try stack.context.obtainPermanentIDs(for: [rome])
      // As the first steps of a save do that is not committed yet.
      let server = stack.coordinator.persistentStores[1].identity.identifier
      _ = try device.foreignReferences?.intern([
        ForeignReference(store: server, key: rome.objectID.key, entity: "Album")
      ])
      // With this number, the other one reads all that were given about the same time.
      try expectEqual(try other.context.named("Photo", "q").one("album")?.text("name"), "Oslo")
      try expectEqual(
        try cleaner.coordinator.removeUnusedReferences(
          in: cleaner.coordinator.persistentStores[0]), 1, "removed")
      try stack.context.save()
      let context = other.makeContext()
      let album = try context.named("Album", "Rome")
      try expectEqual(try album.names("photos"), ["p"], "its photos")
      try expectEqual(try context.names("Photo", "album == %@", album), ["p"], "asked by it")
      try expectEqual(try context.names("Photo", "album.name == 'Rome'"), ["p"], "by its name")
    },
    ConformanceCase(
      .acrossStores, "resurrected-alone",
      "a record is saved again after its deletion, with a reference to a store that is missing (X45)",
      needs: [.secondHandle, .reopening]
    ) { stage in
      let shared = try model()
      var (device, server) = (try stage.makeStore(), try stage.makeStore())
      device.configuration = "Device"
      server.configuration = "Server"
      let stack = try stage.open(shared, on: [device, server])
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.save()
      stack.close()
      let alone = try stage.open(shared, on: [device])
      let other = try stage.open(shared, on: [device])
      alone.context.mergePolicy = .mergeByPropertyObjectTrump
      try alone.context.named("Photo", "p").set("size", 5)
      other.context.delete(try other.context.named("Photo", "p"))
      try other.context.save()
      try alone.context.save()
      let both = try stage.open(shared, on: [device, server])
      let photo = try both.context.named("Photo", "p")
      try expectEqual(try photo.one("album")?.text("name"), "Rome", "its album")
      try expectEqual(try both.context.named("Album", "Rome").names("photos"), ["p"], "its photos")
    },
  ]
}
