// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Merging into ordered relationships whose order was changed and is not saved yet.
extension MergingCases {
  /// A case with an album *A* of the tracks *a*, *b* and *c*, in a context that merges automatically and has moved *c*
  /// to the front, while another one has added *d*.
  private static func moved(
    _ name: String, _ title: String, rule: DeleteRule = .nullify,
    merging: Bool = true,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.merging, "order.\(name)", title) { stage in
      var sketch = ModelSketch()
      for name in ["Album", "Track"] { sketch.add(name, [.string("name")]) }
      sketch.relate(
        .init("Album", "tracks", .ordered, rule: rule), .init("Track", "album", .one))
      sketch.relate(.init("Album", "songs", .ordered), .init("Track", "albums", .many))
      let stack = try stage.open(sketch.make())
      let context = stack.context
      let album = try context.make("Album", ["name": "A"])
      let tracks = try ["a", "b", "c"].map { try context.make("Track", ["name": $0]) }
      for key in ["tracks", "songs"] { try album.set(key, tracks) }
      try context.save()
      context.automaticallyMergesChangesFromParent = merging
      for key in ["tracks", "songs"] {
        try album.mutableOrderedSetValue(forKey: key).move(fromOffsets: [2], toOffset: 0)
      }
      try withExtendedLifetime(stack.makeContext()) { other in
        let theirs = try other.named("Album", "A")
        let track = try other.make("Track", ["name": "d"])
        for key in ["tracks", "songs"] {
          try theirs.mutableOrderedSetValue(forKey: key).append(track)
        }
        try other.save()
      }
      context.processPendingChanges()
      try body(stack, album)
    }
  }

  /// Expects the lists of an album, by its objects and by their IDs.
  private static func expectLists(_ album: ManagedObject, _ order: [String], _ place: String) throws
  {
    for key in ["tracks", "songs"] {
      let ids = try album.objectIDs(forRelationshipNamed: key)
      try expectEqual(try album.names(key), order, "\(key) \(place)")
      try expectEqual(ids, try album.many(key).map(\.objectID), "the IDs of \(key) \(place)")
    }
  }

  private static func deleting(_ rule: DeleteRule, _ name: String) -> ConformanceCase {
    moved(
      "deleted.\(name)",
      "the delete rules reach a member that came while a new order was pending (B85, B213)",
      rule: rule
    ) { stack, album in
      let context = stack.context
      try context.save()
      let d = try context.named("Track", "d")
      let others = try album.many("tracks").filter { $0 !== d }
      if rule == .deny { try album.mutableOrderedSetValue(forKey: "tracks").subtract(others) }
      context.delete(album)
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      guard rule != .deny else {
        try expectError(.validationRelationshipDeniedDelete, "the save") { try context.save() }
        return
      }
      try context.save()
      try expectEqual(try fresh.names("Album"), [], "the albums")
      try expectEqual(
        try fresh.names("Track").sorted(), rule == .cascade ? [] : ["a", "b", "c", "d"])
      try expectEqual(try fresh.names("Track", "album != nil"), [], "tracks with an album")
    }
  }

  static let orders: [ConformanceCase] = [
    moved("saved", "a merge adds members to a list whose new order is not saved (B78, B215)") {
      stack, album in
      try expectLists(album, ["c", "a", "b", "d"], "after the merge")
      try stack.context.save()
      try expectLists(album, ["c", "a", "b", "d"], "after the save")
      try withExtendedLifetime(stack.makeContext()) { fresh in
        try expectLists(try fresh.named("Album", "A"), ["c", "a", "b", "d"], "in the store")
      }
      try album.mutableOrderedSetValue(forKey: "tracks").removeAll()
      try stack.context.save()
      try withExtendedLifetime(stack.makeContext()) { fresh in
        try expectEqual(try fresh.named("Album", "A").names("tracks"), [], "the emptied list")
      }
    },
    moved("unread", "a new order is saved without a look at it after a merge (B78, B215)") {
      stack, _ in
      try stack.context.save()
      try withExtendedLifetime(stack.makeContext()) { fresh in
        try expectLists(try fresh.named("Album", "A"), ["c", "a", "b", "d"], "in the store")
      }
    },
    moved("rolled-back", "a rollback after a merge shows the stored order (B114, B215)") {
      stack, album in
      stack.context.rollback()
      try expectLists(album, ["a", "b", "c", "d"], "after the rollback")
    },
    moved(
      "changed", "what a merge has added to a list can be moved and removed (B78, B215)"
    ) { stack, album in
      try expectLists(album, ["c", "a", "b", "d"], "after the merge")
      for key in ["tracks", "songs"] {
        let list = try album.mutableOrderedSetValue(forKey: key)
        list.move(fromOffsets: [3], toOffset: 1)
        list.remove(at: 2)
      }
      try expectLists(album, ["c", "d", "b"], "before the save")
      try stack.context.save()
      try withExtendedLifetime(stack.makeContext()) { fresh in
        try expectLists(try fresh.named("Album", "A"), ["c", "d", "b"], "in the store")
      }
    },
    moved(
      "refreshed", "a refresh that keeps a new order adds what others have added (B78, B116)",
      merging: false
    ) { stack, album in
      try stack.context.refresh(album, mergeChanges: true)
      try expectLists(album, ["c", "a", "b", "d"], "after the refresh")
      try stack.context.save()
      try withExtendedLifetime(stack.makeContext()) { fresh in
        try expectLists(try fresh.named("Album", "A"), ["c", "a", "b", "d"], "in the store")
      }
    },
    moved("child", "a child saves a new order after its parent has added members (B78, B200)") {
      stack, _ in
      let parent = stack.context
      parent.rollback()
      let child = ManagedObjectContext(.privateQueue, parent: parent)
      child.automaticallyMergesChangesFromParent = true
      let album = try child.named("Album", "A")
      for key in ["tracks", "songs"] {
        try album.mutableOrderedSetValue(forKey: key).move(fromOffsets: [2], toOffset: 0)
      }
      let theirs = try parent.named("Album", "A")
      let track = try parent.make("Track", ["name": "e"])
      for key in ["tracks", "songs"] {
        try theirs.mutableOrderedSetValue(forKey: key).append(track)
      }
      try parent.save()
      child.processPendingChanges()
      try child.save()
      try expectLists(theirs, ["c", "a", "b", "d", "e"], "in the parent")
      try expectLists(album, ["c", "a", "b", "d", "e"], "in the child")
    },
    deleting(.nullify, "nullify"), deleting(.cascade, "cascade"), deleting(.deny, "deny"),
  ]
}
