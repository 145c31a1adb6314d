// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

// References to other stores when the model changes, and their history.
extension AcrossStoresCases {
  /// Photos and albums, which may be in any store; the later version has no special albums.
  private static func version(_ isLater: Bool) -> ManagedObjectModel {
    var sketch = ModelSketch()
    var attributes: [AttributeDescription] = [.string("name")]
    if isLater {
      attributes.append(.of("stars", .integer64, optional: false, default: .integer(3)))
    }
    sketch.add("Photo", attributes)
    sketch.add("Album", [.string("name")])
    if !isLater { sketch.add("Special", [.integer("rank")], parent: "Album") }
    sketch.relate(.init("Photo", "album", .one), .init("Album", "photos", .many))
    sketch.relate(.init("Photo", "lists", .many), .init("Album", "listed", .many))
    sketch.relate(.init("Photo", "mentions", .ordered), to: "Album")
    let model = sketch.make()
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        relationship.mayCrossStores = true
      }
    }
    return model
  }

  /// Gives the reference of a photo a number whose negation ends in the bits of the code of a removed entity.
  private static func nameLikeGone(_ gone: EntityDescription, _ stack: ConformanceStack) throws {
    let store = stack.coordinator.attachedStores[0]
    let ability = try require(store.store.foreignReferences, "the ability")
    let number = Int64(4_096 - (try require(store.schema.code(of: gone), "its code")))
    let album = try stack.context.named("Album", "a0")
    let reference = ForeignReference(
      store: album.objectID.storeIdentity?.identifier ?? "", key: album.objectID.key,
      entity: "Album")
    let former = try require(try ability.numbers(of: [reference]).first ?? nil, "its number")
    let filler = ForeignReference(store: "5F1E", key: number << 12 | 1, entity: "Album")
    try ability.rewrite([(former, filler), (number, reference)])
    try stack.reopen()
    let photo = try stack.context.named("Photo", "p0")
    try photo.set("album", nil)
    try stack.context.save()
    try photo.set("album", try stack.context.named("Album", "a0"))
    try stack.context.save()
    let row = try require(
      try stack.coordinator.attachedStores[0].store.row(forKey: photo.objectID.key), "its row")
    let slot = try require(row.layout.slot(named: "album"), "its slot")
    try expectEqual(row.reference(slot), -number, "how it names the album")
  }

  static let versions: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "evolved", "references stay when the store follows its model (X41, M12)",
      needs: [.evolution, .reopening]
    ) { stage in
      let stack = try stage.open(version(false), on: [stage.makeStore(), stage.makeStore()])
      let stores = stack.coordinator.persistentStores
      let first = try require(stores[0].foreignReferences, "the ability")
      // The negations of some of these numbers end in the bits of the code of a removed entity.
      let fillers = (1...4_100).map {
        ForeignReference(store: "5F1E", key: Int64($0) << 12 | 1, entity: "Album")
      }
      _ = try first.intern(fillers)
      for index in 0..<12 {
        let album = try stack.context.make("Album", ["name": "a\(index)"])
        try stack.context.assign(album, to: stores[1])
        let photo = try stack.context.make("Photo", ["name": "p\(index)", "album": album])
        try stack.context.assign(photo, to: stores[0])
        try photo.add(album, to: "lists")
        try photo.add(album, to: "mentions")
      }
      let special = try stack.context.make("Special", ["name": "s"])
      try stack.context.assign(special, to: stores[0])
      let lost = try stack.context.make("Photo", ["name": "q", "album": special])
      try stack.context.assign(lost, to: stores[0])
      try stack.context.save()
      try nameLikeGone(special.entity, stack)
      try stack.reopen(model: version(true))
      for index in 0..<12 {
        let read = try stack.context.named("Photo", "p\(index)")
        try expectEqual(try read.number("stars"), 3)
        try expectEqual(try read.one("album")?.text("name"), "a\(index)", "photo \(index)")
        if index > 0 {
          try expectEqual(try read.names("lists"), ["a\(index)"])
          try expectEqual(try read.names("mentions"), ["a\(index)"])
        }
      }
      try expect(try stack.context.named("Photo", "q").one("album") == nil, "what went is gone")
      stack.close()
    },
    ConformanceCase(
      .acrossStores, "renamed", "references are known when their entity has another name (X45, M8)",
      needs: [.evolution, .reopening]
    ) { stage in
      func model(_ name: String) -> ManagedObjectModel {
        var sketch = ModelSketch()
        sketch.add("Photo", [.string("name")])
        sketch.add(name, [.string("name")]).renamingIdentifier = "Album"
        sketch.relate(.init("Photo", "album", .one), .init(name, "photos", .many))
        let model = sketch.make()
        model.letRelationshipsCrossStores()
        return model
      }
      let stores = [try stage.makeStore(), try stage.makeStore()]
      let stack = try stage.open(model("Album"), on: stores)
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.assign(album, to: stack.coordinator.persistentStores[1])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.assign(photo, to: stack.coordinator.persistentStores[0])
      try stack.context.save()
      stack.close()
      // The other store is not attached, so the entity's name there is unknown.
      let alone = try stage.open(model("Book"), on: [stores[0]])
      let fault = try require(try alone.context.named("Photo", "p").one("album"), "the album")
      try expectEqual(fault.entity.name, "Book")
      try expectError(.storeRemoved) {
        _ = try alone.context.existingObject(with: fault.objectID)
      }
      alone.close()
      let both = try stage.open(model("Book"), on: stores)
      let read = try both.context.named("Photo", "p")
      try expectEqual(try read.one("album")?.text("name"), "Rome")
      try expectEqual(try both.context.named("Book", "Rome").names("photos"), ["p"])
      // Nothing is left of the entity: neither there nor in the model.
      both.close()
      var sketch = ModelSketch()
      sketch.add("Photo", [.string("name")])
      sketch.add("Shelf", [.string("name")])
      sketch.relate(.init("Photo", "album", .one), .init("Shelf", "photos", .many))
      let last = sketch.make()
      last.letRelationshipsCrossStores()
      let later = try stage.open(last, on: stores)
      try expect(try later.context.named("Photo", "p").one("album") == nil, "nothing to lead to")
    },
    ConformanceCase(
      .acrossStores, "history", "the history says which objects of other stores there were (X50)",
      needs: [.history]
    ) { stage in
      var device = try stage.makeStore()
      try device.setOption(.string("values"), forKey: StoreOption.historyLevel)
      device.configuration = "Device"
      var server = try stage.makeStore()
      server.configuration = "Server"
      let stack = try stage.open(try model(), on: [device, server])
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let oslo = try stack.context.make("Album", ["name": "Oslo"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": rome])
      try photo.add(rome, to: "mentions")
      try stack.context.save()
      try photo.set("album", oslo)
      try photo.remove(rome, from: "mentions")
      try stack.context.save()
      let transactions = try stack.history()
      let changes = transactions.flatMap { $0.changes ?? [] }
      let update = changes.last { $0.changedObjectID == photo.objectID && $0.changeType == .update }
      try expectEqual(
        try require(update, "the change").earlierValues?["album"], .objectID(rome.objectID))
      try expect(
        update?.updatedProperties?.contains { $0.name == "album" } ?? false, "what was changed")
      // The transaction is reverted, and a context of the past sees the earlier values.
      let transaction = try require(
        transactions.last { $0.storeID == photo.objectID.storeIdentity?.identifier },
        "the transaction")
      let outcome = try stack.context.revert(transaction)
      try expect(outcome.conflicts.isEmpty && outcome.missing.isEmpty, "all of it: \(outcome)")
      try stack.context.save()
      try stack.readAnew()
      let read = try stack.context.named("Photo", "p")
      try expectEqual(try read.one("album")?.text("name"), "Rome")
      try expectEqual(try read.names("mentions"), ["Rome"])
    },
  ]
}
