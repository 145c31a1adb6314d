// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// References whose store is not attached, or whose record is deleted.
extension AcrossStoresCases {
  static let missing: [ConformanceCase] = [
    pairs("detached", "a reference into a store that is not attached stays (X45)") {
      stack, _, server in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      try photo.add(album, to: "mentions")
      try stack.context.save()
      let id = album.objectID
      try stack.coordinator.remove(server)
      let context = stack.makeContext()
      let read = try context.named("Photo", "p")
      try expectEqual(try context.names("Photo", "album != nil"), ["p"])
      try expectEqual(try context.names("Photo", "album == nil"), [])
      let fault = try require(try read.one("album"), "the album")
      try expectEqual(fault.objectID, id, "its ID")
      try expectEqual(try read.many("mentions").map(\.objectID), [id])
      let error = try expectError(.storeRemoved) { _ = try context.existingObject(with: id) }
      try expectEqual(error.store, id.storeIdentity?.identifier, "the store that is named")
      try read.set("name", "q")
      try context.save()
      try expectEqual(try context.names("Photo", "album != nil"), ["q"])
      // Predicates in memory and batch deletions find nothing there and lose nothing.
      try expectEqual(
        try context.names("Photo", "SUBQUERY(mentions, $m, $m.name == 'Rome').@count == 1"), [])
      try expectEqual(try context.names("Photo", "album.size + 0 == 1"), [])
      let lonely = try context.make("Photo", ["name": "z", "album": fault])
      try lonely.set("coverOf", fault)
      try context.save()
      let doomed = FetchRequest<ManagedObject>(entityName: "Photo")
      doomed.predicate = try FetchPredicate(format: "name == 'z'", argumentArray: [])
      try context.execute(BatchDeleteRequest(fetchRequest: doomed))
      try expectEqual(try stack.makeContext().names("Photo"), ["q"])
      try read.set("album", nil)
      try context.save()
      try expectEqual(try stack.makeContext().names("Photo", "album == nil"), ["q"])
    },
    pairs("dangling", "references that lead nowhere are listed and cleared (X45)") {
      stack, device, server in
      let rome = try stack.context.make("Album", ["name": "Rome"])
      let oslo = try stack.context.make("Album", ["name": "Oslo"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": rome])
      let other = try stack.context.make("Photo", ["name": "q", "album": oslo])
      try photo.add(rome, to: "mentions")
      try stack.context.save()
      try expect(try stack.coordinator.danglingReferences(in: device).isEmpty, "all are there")
      try stack.coordinator.remove(server)
      let detached = try stack.coordinator.danglingReferences(in: device)
      try expectEqual(detached.count, 3, "references into the store that is gone")
      try expect(detached.allSatisfy { $0.cause == .storeNotAttached }, "why")
      try expectEqual(
        Set(detached.map(\.destination)), [rome.objectID, oslo.objectID], "where they lead")
      let cleared = try detached.filter { $0.destination == rome.objectID }.nullify()
      try expectEqual(cleared, 2, "how many were cleared")
      let context = stack.makeContext()
      try expectEqual(try context.names("Photo", "album == nil"), ["p"])
      try expectEqual(try context.named("Photo", "p").many("mentions").count, 0, "links")
      try expectEqual(
        try context.named("Photo", "q").one("album")?.objectID, oslo.objectID, "the other")
      _ = other
    },
    pairs("gone", "a reference to a record that is gone is listed (X45)", [.alike]) {
      stack, device, server in
      let album = try stack.context.make("Album", ["name": "Rome"])
      try stack.context.make("Photo", ["name": "p", "album": album])
      try stack.context.save()
      // Not through the coordinator, which would clear the reference.
      let attached = try require(stack.coordinator.attachedStore(for: server), "the store")
      let key = album.objectID.key
      let row = try require(try attached.store.row(forKey: key), "the row")
      _ = try attached.store.commit(
        StoreChangeSet(deleted: [RowVersion(key: key, version: row.version)]))
      let dangling = try stack.coordinator.danglingReferences(in: device)
      try expectEqual(dangling.map(\.cause), [.recordGone], "why")
      try expectEqual(dangling.map(\.destination), [album.objectID], "where it leads")
      try expectEqual(try stack.makeContext().names("Photo", "album.name == nil"), ["p"])
      try expectEqual(try stack.makeContext().names("Photo", "album != nil"), ["p"])
      try expectEqual(try dangling.nullify(), 1, "how many were cleared")
      try expectEqual(try stack.makeContext().names("Photo", "album == nil"), ["p"])
    },
  ].flatMap(\.self)
}
