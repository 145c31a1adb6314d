// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The places in ordered relationships of objects whose deletion is taken back.
extension DeleteRuleCases {
  /// How a relationship with an order is stored: as rows, or as links.
  private static let kinds = [
    (id: "rows", entity: "Album", key: "tracks"), (id: "links", entity: "Mix", key: "songs"),
  ]

  private static func model() -> ManagedObjectModel {
    var sketch = ModelSketch()
    for name in ["Album", "Mix", "Track"] { sketch.add(name, [.string("name")]) }
    sketch.relate(.init("Album", "tracks", .ordered), .init("Track", "album", .one))
    sketch.relate(.init("Mix", "songs", .ordered), .init("Track", "mixes", .many))
    return sketch.make()
  }

  /// A case with an owner of tracks whose order is that of their names.
  private static func tracks(
    _ name: String, _ title: String, _ entity: String, _ key: String,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.deleteRules, "returning-order.\(name)", title) { stage in
      let stack = try stage.open(model())
      let owner = try stack.context.make(entity, ["name": "A"])
      let names = (0..<12).map { String(UnicodeScalar(97 + UInt8($0))) }
      try owner.set(key, try names.map { try stack.context.make("Track", ["name": $0]) })
      try stack.context.save()
      try body(stack, owner)
      try expectEqual(try owner.names(key), names, "the order")
      try expect(!owner.hasPersistentChangedValues, "the owner is unchanged")
      try owner.set("name", "B")
      try stack.context.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try withExtendedLifetime(fresh) {
        try expectEqual(try fresh.named(entity, "B").names(key), names, "the stored order")
      }
    }
  }

  /// Deletes objects in one event, and inserts them again in another.
  private static func deleteAndInsert(
    _ objects: [ManagedObject], _ stack: ConformanceStack
  ) throws {
    for object in objects { stack.context.delete(object) }
    stack.context.processPendingChanges()
    for object in objects { stack.context.insert(object) }
    stack.context.processPendingChanges()
  }

  static let returningOrders: [ConformanceCase] = kinds.flatMap { kind in
    [
      tracks(
        "\(kind.id).owner", "an owner that is inserted again has its order (B19, B78)",
        kind.entity, kind.key
      ) { stack, owner in
        _ = try owner.names(kind.key)
        try deleteAndInsert([owner], stack)
      },
      tracks(
        "\(kind.id).members", "members that are inserted again have their places (B19, B78)",
        kind.entity, kind.key
      ) { stack, owner in
        let members = try owner.many(kind.key)
        try deleteAndInsert([members[0]], stack)
        try deleteAndInsert([members[7], members[3], members[11], members[4]], stack)
      },
      tracks(
        "\(kind.id).refused", "an owner that wins against its deletion has its order (B184)",
        kind.entity, kind.key
      ) { stack, owner in
        let context = stack.context
        context.mergePolicy = .mergeByPropertyStoreTrump
        _ = try owner.names(kind.key)
        let other = stack.makeContext()
        try other.named(kind.entity, "A").set("name", "theirs")
        try other.save()
        context.delete(owner)
        try context.save()
        try expect(!owner.isDeleted && !context.hasChanges, "the deletion is taken back")
      },
    ]
  }
}
