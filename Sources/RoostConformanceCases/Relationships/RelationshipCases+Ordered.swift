// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension RelationshipCases {
  /// The ordered relationships of ``ScoreModel``: entity, its object and key.
  private static let kinds: [(id: String, entity: String, object: String, key: String)] = [
    ("rows", "Album", "l", "tracks"), ("links", "Mix", "m", "songs"),
    ("links-ordered-twice", "Mix", "m", "favourites"),
    ("links-without-inverse", "Mix", "m", "queue"),
  ]

  /// A change of order, written as the letters before and after it.
  private struct Change {
    let name: String
    let before: String
    let after: String

    init(_ name: String, _ before: String, _ after: String) {
      self.name = name
      self.before = before
      self.after = after
    }
  }

  private static let changes: [Change] = [
    Change("fill", "", "cab"), Change("append", "abc", "abcd"), Change("prepend", "bcd", "abcd"),
    Change("insert", "abd", "abcd"), Change("move-to-front", "abcd", "dabc"),
    Change("move-to-end", "abcd", "bcda"), Change("swap", "abcd", "acbd"),
    Change("reverse", "abcdef", "fedcba"), Change("remove-first", "abcd", "bcd"),
    Change("remove-middle", "abcd", "abd"), Change("remove-last", "abcd", "abc"),
    Change("empty", "abcd", ""), Change("replace-all", "abc", "xyz"),
    Change("remove-and-move", "abcde", "eca"), Change("everything", "abcdef", "gfxba"),
  ]

  static let ordered: [ConformanceCase] = kinds.flatMap { kind in
    changes.map { change in
      ConformanceCase(
        .relationships, "ordered.\(kind.id).\(change.name)",
        "\(change.before) becomes \(change.after) in \(kind.entity).\(kind.key), and stays so (B78)"
      ) { stage in
        let stack = try stage.open(ScoreModel.make())
        try ScoreModel.fill(stack.context, "abcdefgxyz")
        for letters in [change.before, change.after] {
          let context = stack.context
          let wanted = letters.map(String.init)
          let tracks = try wanted.map { try context.named("Track", $0) }
          try context.named(kind.entity, kind.object).set(kind.key, tracks)
          try settles(stack) {
            let found = try $0.named(kind.entity, kind.object).names(kind.key)
            try expectEqual(found, wanted, "the order")
          }
        }
      }
    }
  }

  static let inverseOrders: [ConformanceCase] = [
    score("ordered.append-by-inverse", "adding by the inverse appends at the end (B79)") { stack in
      let context = stack.context
      let album = try context.named("Album", "l")
      try album.set("tracks", [try context.named("Track", "c"), try context.named("Track", "a")])
      try context.save()
      try context.named("Track", "b").set("album", album)
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["c", "a", "b"])
      }
    },
    score("ordered.append-unloaded", "an order that was not read is appended to as well (B79)") {
      stack in
      let album = try stack.context.named("Album", "l")
      try album.set(
        "tracks", [try stack.context.named("Track", "c"), try stack.context.named("Track", "a")])
      try stack.context.save()
      try stack.readAnew()
      let context = stack.context
      try context.named("Track", "b").set("album", try context.named("Album", "l"))
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["c", "a", "b"])
      }
    },
    score(
      "ordered.links-by-inverse", "a link that is added by the inverse appends (B79)"
    ) { stack in
      let context = stack.context
      let mix = try context.named("Mix", "m")
      try mix.set("songs", [try context.named("Track", "c"), try context.named("Track", "a")])
      try context.save()
      try context.named("Track", "b").add(mix, to: "mixes")
      try settles(stack) {
        try expectEqual(try $0.named("Mix", "m").names("songs"), ["c", "a", "b"])
        try expectEqual(try $0.named("Track", "b").names("mixes"), ["m"])
      }
    },
    score(
      "ordered.both-sides", "each side of ordered links has an order of its own (B78)"
    ) { stack in
      let context = stack.context
      let mixes = try ["n", "o", "p"].map { try context.make("Mix", ["name": $0]) }
      let track = try context.named("Track", "a")
      try track.set("lovers", [mixes[2], mixes[0], mixes[1]])
      try mixes[0].set("favourites", [try context.named("Track", "b"), track])
      try settles(stack) {
        try expectEqual(try $0.named("Track", "a").names("lovers"), ["p", "n", "o"])
        try expectEqual(try $0.named("Mix", "n").names("favourites"), ["b", "a"])
      }
    },
    score(
      "ordered.move-between", "a member that moves to another list leaves the first (B66, B78)"
    ) {
      stack in
      let context = stack.context
      let (l, k) = (try context.named("Album", "l"), try context.make("Album", ["name": "k"]))
      let tracks = try "abc".map { try context.named("Track", String($0)) }
      try l.set("tracks", tracks)
      try context.save()
      try k.set("tracks", [tracks[1]])
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["a", "c"])
        try expectEqual(try $0.named("Album", "k").names("tracks"), ["b"])
      }
    },
    score("ordered.delete-member", "a deleted member leaves its list (B85)") { stack in
      let context = stack.context
      let tracks = try "cab".map { try context.named("Track", String($0)) }
      try context.named("Album", "l").set("tracks", tracks)
      try context.named("Mix", "m").set("songs", tracks)
      try context.save()
      context.delete(tracks[1])
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["c", "b"])
        try expectEqual(try $0.named("Mix", "m").names("songs"), ["c", "b"])
      }
    },
    score("ordered.few-rows", "moving one member of many writes few rows (B81)") { stack in
      let context = stack.context
      let tracks = try (0..<40).map { try context.make("Track", ["name": "t\($0)"]) }
      let album = try context.named("Album", "l")
      try album.set("tracks", tracks)
      try context.save()
      var order = tracks
      order.insert(order.remove(at: 30), at: 5)
      try album.set("tracks", order)
      try context.save()
      let written = try tracks.count { try stack.version(of: $0) > 1 }
      try expectEqual(written, 1, "the number of rows that the move wrote")
      try stack.readAnew()
      let found = try stack.context.named("Album", "l").names("tracks")
      try expectEqual(found, try order.map { try $0.text("name") ?? "" }, "the order")
    },
    score("ordered.many-moves", "an order survives many moves into one gap (B81)") { stack in
      let context = stack.context
      var order = try "abcdefgh".map { try context.named("Track", String($0)) }
      let album = try context.named("Album", "l")
      try album.set("tracks", order)
      try context.save()
      for _ in 0..<40 {
        order.insert(order.removeLast(), at: 1)
        try album.set("tracks", order)
        try context.save()
      }
      try stack.readAnew()
      let found = try stack.context.named("Album", "l").names("tracks")
      try expectEqual(found, try order.map { try $0.text("name") ?? "" }, "the order")
    },
    score(
      "ordered.replace", "an object that replaces another leaves its former place (B66, B78)"
    ) { stack in
      let context = stack.context
      let tracks = try "abcd".map { try context.named("Track", String($0)) }
      let album = try context.named("Album", "l")
      try album.set("tracks", tracks)
      let list = try album.mutableOrderedSetValue(forKey: "tracks")
      list.replaceObject(at: 0, with: tracks[2])
      try expectEqual(try album.names("tracks"), ["c", "b", "d"], "a later object moves up")
      try expect(try tracks[0].one("album") == nil, "what was replaced has left")
      list.replaceObject(at: 2, with: tracks[2])
      try expectEqual(try album.names("tracks"), ["b", "c"], "an earlier object moves down")
      list.replaceObject(at: 0, with: tracks[1])
      try expectEqual(try album.names("tracks"), ["b", "c"], "an object replaces itself")
      list.replaceObjects(at: [0, 1], with: [tracks[2], tracks[1]])
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["c", "b"], "exchanged")
      }
    },
    score(
      "ordered.primitive-undo", "a move by a hand-written setter can be undone (B78, B110)"
    ) { stack in
      let context = stack.context
      context.undoManager = ChangeUndoManager()
      let tracks = try "abc".map { try context.named("Track", String($0)) }
      let album = try context.named("Album", "l")
      try album.set("tracks", tracks)
      try context.save()
      context.undoManager?.removeAllActions()
      album.willChangeValue(forKey: "tracks")
      try album.setPrimitiveValue([tracks[2], tracks[0], tracks[1]], forKey: "tracks")
      album.didChangeValue(forKey: "tracks")
      context.processPendingChanges()
      try expectEqual(try album.names("tracks"), ["c", "a", "b"], "the order that was set")
      context.undo()
      try expectEqual(try album.names("tracks"), ["a", "b", "c"], "the order after undo")
      try expect(!context.hasChanges, "nothing is changed")
      context.redo()
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["c", "a", "b"])
      }
    },
    score("ordered.rollback", "a rollback brings the old order back (B114)") { stack in
      let context = stack.context
      let tracks = try "abc".map { try context.named("Track", String($0)) }
      let album = try context.named("Album", "l")
      try album.set("tracks", tracks)
      try context.save()
      try album.set("tracks", Array(tracks.reversed()))
      context.rollback()
      try expectEqual(try album.names("tracks"), ["a", "b", "c"])
      try album.set("tracks", [tracks[2]])
      context.rollback()
      try settles(stack) {
        try expectEqual(try $0.named("Album", "l").names("tracks"), ["a", "b", "c"])
      }
    },
  ]

  private static func score(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.relationships, name, title) { stage in
      let stack = try stage.open(ScoreModel.make())
      try ScoreModel.fill(stack.context, "abcdefgh")
      try body(stack)
    }
  }
}
