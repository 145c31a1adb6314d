// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

// References when a store moves to another place, or when a model temporarily forbids them.
extension AcrossStoresCases {
  static let moving: [ConformanceCase] =
    [
      pairs("moved", "references follow a store that is migrated to another place (X50)") {
        stack, device, server in
        let rome = try stack.context.make("Album", ["name": "Rome"])
        let photo = try stack.context.make("Photo", ["name": "p", "album": rome])
        try photo.add(rome, to: "lists")
        try rome.set("cover", photo)
        try stack.context.save()
        stack.context.reset()
        let moved = try stack.coordinator.migratePersistentStore(
          server, to: nil, type: .reference)
        let context = stack.makeContext()
        let read = try context.named("Photo", "p")
        let album = try require(try read.one("album"), "the album")
        try expectEqual(
          album.objectID.storeIdentity?.identifier, moved.identity.identifier, "its store")
        try expectEqual(try album.text("name"), "Rome")
        try expectEqual(try read.names("lists"), ["Rome"])
        try expectEqual(try album.names("photos"), ["p"])
        try expectEqual(try album.one("cover")?.text("name"), "p", "what the moved store refers to")
        try expect(try stack.coordinator.danglingReferences(in: device).isEmpty, "none dangles")
        stack.close()
      },
      pairs("moved-symmetric", "links that are their own inverse go after a move (X42, X50)") {
        stack, _, server in
        // The store that it is moved to takes no part in atomic saves.
        stack.coordinator.saveTraffic.policy = .atomicWherePossible
        let near = try stack.context.make("Tag", ["name": "near"])
        let far = try stack.context.make("Tag", ["name": "far"])
        try stack.context.assign(far, to: server)
        try stack.context.save()
        stack.context.reset()
        var place = server
        // The order of the UUIDs determines the store of a link, and changes with some of the moves.
        for round in 1...6 {
          let context = stack.makeContext()
          try context.named("Tag", "near").add(try context.named("Tag", "far"), to: "related")
          try context.save()
          place = try stack.coordinator.migratePersistentStore(place, to: nil, type: .reference)
          let later = stack.makeContext()
          let read = try later.named("Tag", "near")
          try expectEqual(try read.names("related"), ["far"], "round \(round)")
          try read.remove(try later.named("Tag", "far"), from: "related")
          try later.save()
          let last = stack.makeContext()
          for name in ["near", "far"] {
            try expectEqual(
              try last.named("Tag", name).names("related"), [], "\(name) in round \(round)")
          }
        }
        _ = near
        stack.close()
      },
    ].flatMap(\.self) + places

  private static let places: [ConformanceCase] = [
    ConformanceCase(
      .acrossStores, "move-refused", "a move that a store cannot follow leaves no copy (X50)",
      needs: [.reopening]
    ) { stage in
      var (device, server) = (try stage.makeStore(), try stage.makeStore())
      device.configuration = "Device"
      server.configuration = "Server"
      let stack = try stage.open(try model(), on: [device, server])
      let rome = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": rome])
      try stack.context.save()
      stack.close()
      device.isReadOnly = true
      let again = try stage.open(try model(), on: [device, server])
      let place = try stage.makeStore()
      for _ in 1...2 {
        try expectError(.readOnlyStore) {
          try again.coordinator.migratePersistentStore(
            again.coordinator.persistentStores[1], to: place.url, options: place.options,
            type: place.type)
        }
      }
      try expect((try? place.type.driver.metadata(of: place)) == nil, "there is no copy")
      let photo = try again.context.named("Photo", "p")
      try expectEqual(try photo.one("album")?.text("name"), "Rome")
    },
    ConformanceCase(
      .acrossStores, "moved-later",
      "references follow a store that was moved while theirs was not attached (X50)",
      needs: [.reopening]
    ) { stage in
      let scene = try MovingScene(stage)
      // Twice, and the program knows only the second place.
      let places = try [stage.makeStore(), stage.makeStore()]
      var server = scene.server
      for place in places {
        let alone = try stage.open(scene.model, on: [server])
        let moved = try alone.coordinator.migratePersistentStore(
          alone.coordinator.persistentStores[0], to: place.url, options: place.options,
          type: place.type)
        server = moved.description
        alone.close()
      }
      for order in [[scene.device, server], [server, scene.device]] {
        try scene.expectAlbum(order)
      }
    },
    ConformanceCase(
      .acrossStores, "moved-and-written",
      "references to what was written at the old place after a move lead to no other record (X41, X50)",
      needs: [.reopening]
    ) { stage in
      let scene = try MovingScene(stage)
      let place = try stage.makeStore()
      let alone = try stage.open(scene.model, on: [scene.server])
      let moved = try alone.coordinator.migratePersistentStore(
        alone.coordinator.persistentStores[0], to: place.url, options: place.options,
        type: place.type)
      let new = moved.description
      for index in 0..<600 { try alone.context.make("Album", ["name": "new \(index)"]) }
      try alone.context.save()
      alone.close()
      // The photo that was there follows. A program that knows only the old place goes on there.
      try scene.expectAlbum([scene.device, new])
      let old = try stage.open(scene.model, on: [scene.device, scene.server])
      let rome = try old.context.named("Album", "Rome")
      for (name, album) in [("late", try old.context.make("Album", ["name": "late"])), ("r", rome)]
      {
        try old.context.make("Photo", ["name": name, "album": album])
      }
      try old.context.save()
      old.close()
      for order in [[scene.device, new], [new, scene.device]] {
        let both = try stage.open(scene.model, on: order)
        try expectEqual(
          try both.context.named("Photo", "p").one("album")?.text("name"), "Rome", "moved")
        for condition in ["album.name BEGINSWITH 'new'", "album.name == 'late'"] {
          try expectEqual(try both.context.names("Photo", condition), [], condition)
        }
        try expectEqual(try both.context.named("Album", "Rome").names("photos"), ["p"], "photos")
        let device = try require(
          both.coordinator.persistentStores.first { $0.description.configuration == "Device" },
          "the store of the photos")
        // The second one names Rome at its old place, and another number names it at the new one.
        try expectEqual(
          try both.coordinator.danglingReferences(in: device).map(\.cause),
          [.storeNotAttached, .storeNotAttached], "what dangles")
        both.close()
      }
      // Nothing is lost for the program that knows the old place.
      let again = try stage.open(scene.model, on: [scene.device, scene.server])
      for (name, album) in [("late", "late"), ("r", "Rome")] {
        try expectEqual(
          try again.context.named("Photo", name).one("album")?.text("name"), album, name)
      }
    },
    ConformanceCase(
      .acrossStores, "moved-in-part",
      "references lead to the records after a move that was killed between two stores (X50)",
      needs: [.reopening]
    ) { stage in
      let scene = try MovingScene(stage)
      let place = try stage.makeStore()
      let stack = try stage.open(scene.model, on: [scene.device, scene.server])
      let old = stack.coordinator.persistentStores[1].metadata
      let moved = try stack.coordinator.migratePersistentStore(
        stack.coordinator.persistentStores[1], to: place.url, options: place.options,
        type: place.type)
      let (new, identifier) = (moved.description, moved.identity.identifier)
      let move = try require(moved.metadata.predecessors?.last, "what the new store remembers")
      try expectEqual(move.identifier, old.identifier, "where the records come from")
      stack.close()
      // As if the process had been killed after writing the one store, before the move was complete.
      let left = try stage.open(scene.model, on: [scene.server])
      var metadata = left.coordinator.persistentStores[0].metadata
      try expect(metadata.successor == nil, "a move that is over")
      metadata.successor = StoreSuccession(
        identifier: identifier, codes: move.codes, offset: move.offset, largest: move.largest)
      _ = try left.coordinator.persistentStores[0].commit(StoreChangeSet(metadata: metadata))
      left.close()
      // The program opens the stores that it knows: the old place, then the new one, and the old one again.
      for server in [scene.server, new, scene.server] {
        try scene.expectAlbum([scene.device, server])
      }
      // With both of them attached there is nothing to copy.
      let both = try stage.open(scene.model, on: [scene.device, scene.server, new])
      try expectEqual(
        try both.context.named("Photo", "p").one("album")?.objectID.storeIdentity?.identifier,
        old.identifier, "the store of the album")
      both.close()
    },
    ConformanceCase(
      .acrossStores, "not-allowed-for-a-while",
      "links to other stores stay while a model does not allow them (X40, X41)",
      needs: [.reopening]
    ) { stage in
      var (device, server) = (try stage.makeStore(), try stage.makeStore())
      device.configuration = "Device"
      server.configuration = "Server"
      let stack = try stage.open(try model(), on: [device, server])
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": rome])
      try photo.add(rome, to: "mentions")
      try photo.add(rome, to: "lists")
      try stack.context.save()
      try stack.reopen(model: try model(crossing: false))
      try stack.context.make("Photo", ["name": "q"])
      try stack.context.save()
      try stack.reopen(model: try model())
      let read = try stack.context.named("Photo", "p")
      try expectEqual(try read.one("album")?.text("name"), "Rome")
      try expectEqual(try read.names("mentions"), ["Rome"])
      try expectEqual(try read.names("lists"), ["Rome"])
    },
  ]
}

/// A photo on a device, and its album on a server that is moved.
private struct MovingScene {
  let stage: ConformanceStage
  let model: ManagedObjectModel
  let device: PersistentStoreDescription
  let server: PersistentStoreDescription

  init(_ stage: ConformanceStage) throws {
    var (device, server) = (try stage.makeStore(), try stage.makeStore())
    device.configuration = "Device"
    server.configuration = "Server"
    (self.stage, self.device, self.server) = (stage, device, server)
    model = try AcrossStoresCases.model()
    let stack = try stage.open(model, on: [device, server])
    // The records' numbers are other ones in a copy.
    for name in ["a", "b"] { try stack.context.make("Owner", ["name": name]) }
    let rome = try stack.context.make("Album", ["name": "Rome"])
    let photo = try stack.context.make("Photo", ["name": "p", "album": rome])
    try photo.add(rome, to: "lists")
    try stack.context.save()
    stack.close()
  }

  func expectAlbum(_ descriptions: [PersistentStoreDescription]) throws {
    let stack = try stage.open(model, on: descriptions)
    let photo = try stack.context.named("Photo", "p")
    try expectEqual(try photo.one("album")?.text("name"), "Rome", "the album")
    try expectEqual(try photo.names("lists"), ["Rome"], "the lists")
    try expectEqual(try stack.context.names("Photo", "album.name == 'Rome'"), ["p"], "asked")
    let device = try require(
      stack.coordinator.persistentStores.first { $0.description.configuration == "Device" },
      "the store of the photo")
    try expect(try stack.coordinator.danglingReferences(in: device).isEmpty, "none dangles")
    stack.close()
  }
}
