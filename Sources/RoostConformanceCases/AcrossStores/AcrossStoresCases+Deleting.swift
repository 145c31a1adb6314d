// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Delete rules and limits across stores, for objects and for batch requests.
extension AcrossStoresCases {
  static let deleting: [ConformanceCase] = [
    pairs("nullify", "a deletion clears the references in other stores (X44)") { stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try photo.set("coverOf", album)
      try photo.add(album, to: "lists")
      try stack.context.save()
      try stack.readAnew()
      stack.context.delete(try stack.context.named("Album", "Rome"))
      try stack.context.save()
      try stack.readAnew()
      let read = try stack.context.named("Photo", "p")
      try expect(try read.one("album") == nil && read.one("coverOf") == nil, "nothing is left")
      try expectEqual(try read.names("lists"), [])
      try expectEqual(try stack.context.names("Photo", "album != nil"), [], "in the store, too")
    },
    pairs("cascade", "a cascade reaches another store (X44)") { stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Note", ["name": "n", "album": album])
      try stack.context.make("Note", ["name": "m"])
      try stack.context.save()
      try stack.readAnew()
      stack.context.delete(try stack.context.named("Album", "Rome"))
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Note"), ["m"])
    },
    pairs("deny", "a destination in another store denies a deletion (X44)", [.alike]) {
      stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let note = try stack.context.make("Note", ["name": "n", "guard": album])
      try stack.context.save()
      stack.context.delete(album)
      try expectError(.validationRelationshipDeniedDelete) { try stack.context.save() }
      stack.context.delete(note)
      try stack.context.save()
      try expectEqual(try stack.context.names("Album"), [])
    },
    pairs("batch", "a batch deletion follows delete rules across stores (X44)") { stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try photo.set("slideOf", album)
      try photo.add(album, to: "lists")
      try photo.add(album, to: "mentions")
      try stack.context.make("Note", ["name": "n", "album": album])
      try stack.context.make("Album", ["name": "Oslo"])
      try stack.context.save()
      let fetch = FetchRequest<ManagedObject>(entityName: "Album")
      fetch.predicate = try FetchPredicate(format: "name == 'Rome'", argumentArray: [])
      try stack.context.execute(BatchDeleteRequest(fetchRequest: fetch))
      try stack.readAnew()
      try expectEqual(try stack.context.names("Album"), ["Oslo"])
      try expectEqual(try stack.context.names("Note"), [], "what goes with it")
      let read = try stack.context.named("Photo", "p")
      try expect(try read.one("album") == nil && read.one("slideOf") == nil, "what named it")
      try expectEqual(try read.names("lists"), [])
      try expectEqual(try read.names("mentions"), [])
    },
    [
      ConformanceCase(
        .acrossStores, "refused",
        "without the option a relationship across stores is refused (X40)", needs: [.reopening]
      ) { stage in
        var (device, server) = (try stage.makeStore(), try stage.makeStore())
        device.configuration = "Device"
        server.configuration = "Server"
        let stack = try stage.open(try model(crossing: false), on: [device, server])
        let album = try stack.context.make("Album", ["name": "Rome"])
        let photo = try stack.context.make("Photo", ["name": "p", "album": album])
        let error = try expectError(.externalRelationship) { try stack.context.save() }
        try expect(error.message.contains(".crossesStores"), "it names the option: \(error)")
        try expect(photo.isInserted && album.isInserted, "nothing is written")
        try photo.set("album", nil)
        try stack.context.save()
        try expectEqual(try stack.context.names("Photo"), ["p"])
        // The version hash is the same, so the model can begin to allow it.
        try stack.reopen(model: try model())
        let read = try stack.context.named("Photo", "p")
        try read.set("album", try stack.context.named("Album", "Rome"))
        try stack.context.save()
        try expectEqual(try stack.makeContext().names("Photo", "album.name == 'Rome'"), ["p"])
      }
    ],
  ].flatMap(\.self)
}
