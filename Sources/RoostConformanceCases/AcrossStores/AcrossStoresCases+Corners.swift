// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// Requests that name or use objects of other stores in less common ways.
extension AcrossStoresCases {
  static let corners: [ConformanceCase] =
    [
      pairs("batches", "batches of a fetch look into other stores (X46, X47)") {
        stack, _, server in
        try fill(stack.context, server)
        try stack.readAnew()
        func names(_ format: String, _ arguments: Any?...) throws -> [String?] {
          let request = try stack.context.request("Photo", format, arguments)
          request.fetchBatchSize = 2
          request.sortDescriptors = [
            SortOrdering("album.name", ascending: false), SortOrdering("name"),
          ]
          return try stack.context.fetchBatches(request).map { try $0.text("name") }
        }
        let rome = try stack.context.named("Album", "Rome")
        try expectEqual(try names("album.name == 'Rome'"), ["a", "b"])
        try expectEqual(try names("album.name != 'Rome'"), ["c", "d", "e"])
        try expectEqual(try names("album == %@", rome), ["a", "b"])
        try expectEqual(try names("size > 0"), ["a", "b", "c", "d", "e"])
      },
      pairs("nested", "objects of other stores are named within expressions (X46)") {
        stack, _, server in
        try fill(stack.context, server)
        let photo = try stack.context.named("Photo", "a")
        try photo.set("coverOf", try stack.context.named("Album", "Rome"))
        try stack.context.save()
        try stack.readAnew()
        let context = stack.context
        let rome = try context.named("Album", "Rome")
        let oslo = try context.named("Album", "Oslo")
        let a = try context.named("Photo", "a")
        let b = try context.named("Photo", "b")
        let covers = "SUBQUERY(albums, $a, $a.cover == %@).@count > 0"
        try expectEqual(try context.names("Owner", covers, a), ["ann"])
        try expectEqual(try context.names("Owner", covers, b), [])
        try expectEqual(
          try context.names("Photo", "TERNARY(album == %@, 1, 2) == 1", rome), ["a", "b"])
        try expectEqual(try context.names("Photo", "TERNARY(album == %@, 1, 2) == 1", oslo), ["c"])
        try expectEqual(
          try context.names("Tag", "SUBQUERY(photos, $p, $p.album == %@).@count > 0", oslo),
          ["near"])
      },
      pairs("pages", "a place in the order of objects is no reference (X46, B122)", [.alike]) {
        stack, _, server in
        try fill(stack.context, server)
        try stack.readAnew()
        for tag in try stack.context.all("Tag") {
          for comparison in ["SELF > %@", "SELF <= %@"] {
            try expectEqual(
              try stack.context.names("Tag", comparison + " AND NONE photos.name == 'z'", tag),
              try stack.context.names("Tag", comparison, tag), comparison)
          }
        }
      },
      pairs("computed", "a batch update computes with values of other stores (X48)") {
        stack, _, server in
        try fill(stack.context, server)
        let update = BatchUpdateRequest(entityName: "Photo")
        update.predicate = try FetchPredicate("album.name == 'Rome'")
        update.propertiesToUpdate = ["name": try FetchExpression(format: "album.name")]
        try stack.context.execute(update)
        try stack.readAnew()
        try expectEqual(try stack.context.names("Photo"), ["Rome", "Rome", "c", "d", "e"])
      },
    ].flatMap(\.self) + limits

  private static let limits: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "one-of-two",
      "a relationship that may not cross is refused beside one that may (X40)"
    ) { stage in
      var (device, server) = (try stage.makeStore(), try stage.makeStore())
      device.configuration = "Device"
      server.configuration = "Server"
      let model = try model(within: ["slideOf", "slides", "mentions"])
      let stack = try stage.open(model, on: [device, server])
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try photo.add(album, to: "lists")
      try photo.set("slideOf", album)
      let slot = try expectError(.externalRelationship) { try stack.context.save() }
      try expectEqual(slot.key, "slideOf")
      try photo.set("slideOf", nil)
      try photo.add(album, to: "mentions")
      let link = try expectError(.externalRelationship) { try stack.context.save() }
      try expectEqual(link.key, "mentions")
      try expectEqual(try stack.makeContext().names("Photo"), [], "nothing is written")
      try photo.remove(album, from: "mentions")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "p").names("lists"), ["Rome"])
    },
    ConformanceCase(
      .acrossStores, "derived",
      "a derived attribute of what may be in another store is refused (X40, B310)"
    ) { stage in
      for expression in ["album.name", "canonical:(album.name)"] {
        var sketch = ModelSketch()
        sketch.add("Photo", [.string("name"), .derived("title", .string, expression)])
        sketch.add("Album", [.string("name")])
        sketch.relate(.init("Photo", "album", .one), .init("Album", "photos", .many))
        let model = sketch.make()
        model.letRelationshipsCrossStores()
        let error = try expectError(.persistentStoreIncompatibleSchema) {
          _ = try stage.open(model, on: [stage.makeStore()])
        }
        try expect(error.message.contains("another store"), "why: \(error)")
      }
    },
  ]

  static let apart: [ConformanceCase] = [
    pairs("out-of-reach", "a context works with references that lead out of reach (X45)") {
      stack, _, server in
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let oslo = try stack.context.make("Album", ["name": "Oslo"])
      for (name, album) in [("p", rome), ("q", rome), ("r", oslo)] {
        let photo = try stack.context.make("Photo", ["name": name, "album": album])
        if name != "q" { try photo.set("coverOf", album) }
      }
      try stack.context.save()
      let ids = [rome.objectID, oslo.objectID]
      try stack.coordinator.remove(server)
      let context = stack.makeContext()
      // A condition on unsaved changes is evaluated on objects.
      let read = try context.named("Photo", "p")
      try read.set("size", 5)
      try expectEqual(try context.names("Photo", "album.name == 'Rome' OR size == 5"), ["p"])
      let fault = try require(try read.one("album"), "the album")
      try expectEqual(try context.names("Photo", "album == %@", fault), ["p", "q"])
      try expectEqual(
        try context.names("Photo", "TERNARY(album == %@, 1, 2) == 1", fault), ["p", "q"])
      try context.save()
      let grouped = FetchRequest<[String: Any]>(entityName: "Photo")
      grouped.propertiesToFetch = ["album"]
      grouped.propertiesToGroupBy = ["album"]
      let found = try context.fetch(grouped).map { $0["album"] as? ObjectID }
      try expectEqual(Set(found), Set(ids), "the groups")
      // Its cover is out of reach, and keeps its side.
      context.delete(read)
      try context.save()
      try expectEqual(try stack.makeContext().names("Photo"), ["q", "r"])
    }
  ].flatMap(\.self)
}
