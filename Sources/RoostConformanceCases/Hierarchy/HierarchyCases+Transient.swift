// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Transient relationships: a child gets them from its parent, and returns them.
extension HierarchyCases {
  private static func model() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Card", [.string("name")])
    sketch.relate(.init("Card", "chosen", .one), .init("Card", "choosers", .many))
    let model = sketch.make()
    for name in ["chosen", "choosers"] {
      model.entitiesByName["Card"]?.relationshipsByName[name]?.isTransient = true
    }
    return model
  }

  private static func cards(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ManagedObjectContext, ManagedObjectContext, [ManagedObject]) throws
      -> Void
  ) -> ConformanceCase {
    ConformanceCase(.hierarchy, name, title) { stage in
      let parent = try stage.open(model()).context
      let cards = try ["a", "b", "c"].map { try parent.make("Card", ["name": $0]) }
      try cards[0].set("chosen", cards[1])
      try parent.save()
      try body(parent, ManagedObjectContext(.privateQueue, parent: parent), cards)
    }
  }

  static let transient: [ConformanceCase] = [
    cards("transient-read", "a child has its parent's transient relationships (B203, B59)") {
      parent, child, cards in
      let grandchild = ManagedObjectContext(.privateQueue, parent: child)
      for context in [child, grandchild] {
        let a = try context.named("Card", "a")
        try expectEqual(try a.one("chosen")?.text("name"), "b", "the destination")
        try expectEqual(try context.named("Card", "b").names("choosers"), ["a"], "the inverse")
        try expectEqual(try context.named("Card", "c").names("choosers"), [], "another one's")
        try expect(!context.hasChanges, "reading changes nothing")
      }
      try cards[2].set("chosen", cards[1])
      let fresh = ManagedObjectContext(.privateQueue, parent: parent)
      try expectEqual(try fresh.named("Card", "b").names("choosers"), ["a", "c"], "unsaved ones")
    },
    cards("transient-saved", "a child's transient relationships go to its parent (B200, B59)") {
      parent, child, cards in
      let a = try child.named("Card", "a")
      try a.set("chosen", try child.named("Card", "c"))
      try expectEqual(try child.named("Card", "b").names("choosers"), [], "the old one, here")
      try child.save()
      try expect(try cards[0].one("chosen") === cards[2], "the parent's destination")
      try expectEqual(try cards[1].names("choosers"), [], "the old one's")
      try expectEqual(try cards[2].names("choosers"), ["a"], "the new one's")
      try a.set("chosen", nil)
      try child.save()
      try expect(try cards[0].one("chosen") == nil, "there is none")
      try child.named("Card", "b").add(a, to: "choosers")
      try child.save()
      try expect(try cards[0].one("chosen") === cards[1], "set from the other side")
      try parent.save()
      try expectEqual(try a.one("chosen")?.text("name"), "b", "after the parent's save")
    },
  ]
}
