// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Ordered relationships after a save that the store has refused.
extension SavingCases {
  private static func model() -> ManagedObjectModel {
    var sketch = ModelSketch()
    for name in ["Album", "Mix", "Track", "Label"] { sketch.add(name, [.string("name")]) }
    sketch.relate(.init("Album", "tracks", .ordered), .init("Track", "album", .one))
    sketch.relate(.init("Mix", "songs", .ordered), .init("Track", "mixes", .many))
    return sketch.make()
  }

  /// A case in which a save with the order *c*, *a*, *b* is refused, because of a label that another context has
  /// changed. Afterwards `react` brings the order back to *a*, *b*, *c*.
  private static func refused(
    _ name: String, _ title: String, _ entity: String, _ key: String,
    react: @escaping @Sendable (ManagedObjectContext, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.saving, "refused-order.\(name)", title) { stage in
      let stack = try stage.open(model())
      let context = stack.context
      context.undoManager = ChangeUndoManager()
      let owner = try context.make(entity, ["name": "A"])
      try owner.set(key, try ["a", "b", "c"].map { try context.make("Track", ["name": $0]) })
      let label = try context.make("Label", ["name": "x"])
      try context.save()
      try label.set("name", "mine")
      context.processPendingChanges()
      let other = stack.makeContext()
      try other.named("Label", "x").set("name", "theirs")
      try other.save()
      let list = try owner.mutableOrderedSetValue(forKey: key)
      list.move(fromOffsets: [2], toOffset: 0)
      context.processPendingChanges()
      let changed = context.updatedObjects
      try expectError(.managedObjectMerge, "the save") { try context.save() }
      try expectEqual(try owner.names(key), ["c", "a", "b"], "the order after the refusal")
      try expectEqual(context.updatedObjects, changed, "the changed objects after the refusal")
      try react(context, owner)
      try context.refresh(label, mergeChanges: true)
      try owner.set("name", "B")
      try saves(stack, owner, key, ["a", "b", "c"])
      list.move(fromOffsets: [0], toOffset: 3)
      try saves(stack, owner, key, ["b", "c", "a"])
    }
  }

  /// Expects an order now, after a save, and in the store.
  private static func saves(
    _ stack: ConformanceStack, _ owner: ManagedObject, _ key: String, _ order: [String]
  ) throws {
    try expectEqual(try owner.names(key), order, "the order before the save")
    try stack.context.save()
    try expectEqual(try owner.names(key), order, "the order after the save")
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    try withExtendedLifetime(fresh) {
      let found = try fresh.named(owner.entity.name ?? "", "B")
      try expectEqual(try found.names(key), order, "the stored order")
    }
  }

  static let refusedOrders: [ConformanceCase] = [
    (id: "rows", entity: "Album", key: "tracks"), (id: "links", entity: "Mix", key: "songs"),
  ].flatMap { kind in
    [
      refused(
        "\(kind.id).moved-back",
        "an order that is set back after a refused save is the one stored (B78, B171)",
        kind.entity, kind.key
      ) { _, owner in
        try owner.mutableOrderedSetValue(forKey: kind.key).move(fromOffsets: [0], toOffset: 3)
      },
      refused(
        "\(kind.id).undone",
        "a move that is undone after a refused save is not stored (B110, B171)",
        kind.entity, kind.key
      ) { context, _ in context.undo() },
      refused(
        "\(kind.id).rolled-back",
        "a move that is rolled back after a refused save is not stored (B114, B171)",
        kind.entity, kind.key
      ) { context, _ in context.rollback() },
    ]
  }
}
