// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

/// Relationships from one store into another.
enum AcrossStoresCases {
  static let all: [ConformanceCase] = [
    links, placing, reading, deleting, asking, measured, corners, apart, missing, moving,
    versions, moments, HistoryCases.acrossStores, removing, reborn, hops, owners, separate, grouped,
  ].flatMap(\.self)

  /// Photos on a device, albums on a server, tags on both.
  ///
  /// - Parameters:
  ///   - crossing: Whether relationships may lead from one store into the other.
  ///   - within: The names of relationships that may not, all the same.
  static func model(
    crossing: Bool = true, within: Set<String> = []
  ) throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Photo", [.string("name"), .integer("size")])
    sketch.add("Note", [.string("name")])
    sketch.add("Album", [.string("name"), .integer("size")])
    sketch.add("Owner", [.string("name")])
    sketch.add("Tag", [.string("name"), .integer("size")])
    sketch.relate(.init("Photo", "album", .one), .init("Album", "photos", .many))
    sketch.relate(.init("Photo", "slideOf", .one), .init("Album", "slides", .ordered))
    sketch.relate(.init("Photo", "coverOf", .one), .init("Album", "cover", .one))
    sketch.relate(.init("Photo", "tags", .many), .init("Tag", "photos", .many))
    sketch.relate(.init("Photo", "lists", .ordered), .init("Album", "listed", .ordered))
    sketch.relate(.init("Photo", "mentions", .many), to: "Album")
    sketch.relate(.init("Note", "album", .one), .init("Album", "notes", .many, rule: .cascade))
    sketch.relate(.init("Note", "guard", .one), .init("Album", "guards", .many, rule: .deny))
    sketch.relate(.init("Album", "owner", .one), .init("Owner", "albums", .many))
    sketch.relateToItself(.init("Tag", "related", .many))
    let model = sketch.make()
    for entity in model.entities where entity.name != "Owner" {
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        relationship.mayCrossStores = crossing && !within.contains(relationship.name)
      }
    }
    try model.setEntities(
      ["Photo", "Note", "Tag"].map { sketch[$0] }, forConfigurationName: "Device")
    try model.setEntities(
      ["Album", "Owner", "Tag"].map { sketch[$0] }, forConfigurationName: "Server")
    return model
  }

  /// Where the two stores of a case are.
  enum Pair: String, CaseIterable {
    /// Two stores of the kind under test.
    case alike
    /// The references are in the store under test, and lead into the reference store.
    case out
    /// The other way round.
    case back
  }

  /// A case on each pair of stores; the first has photos, the second albums, both have tags.
  static func pairs(
    _ name: String, _ title: String, _ pairs: [Pair] = Pair.allCases,
    _ body:
      @escaping @Sendable (ConformanceStack, any PersistentStore, any PersistentStore) throws
      -> Void
  ) -> [ConformanceCase] {
    pairs.map { pair in
      ConformanceCase(.acrossStores, "\(name).\(pair)", title) { stage in
        let stack = try open(pair, on: stage)
        let stores = stack.coordinator.persistentStores
        try body(stack, stores[0], stores[1])
      }
    }
  }

  static func open(_ pair: Pair, on stage: ConformanceStage) throws -> ConformanceStack {
    let other = try pair == .alike ? stage.makeStore() : stage.makeReferenceStore()
    let own = try stage.makeStore()
    var (device, server) = pair == .back ? (other, own) : (own, other)
    device.configuration = "Device"
    server.configuration = "Server"
    return try stage.open(try model(), on: [device, server])
  }

  private static let links: [ConformanceCase] = [
    pairs("to-one", "a to-one relationship and its inverse lead across (X41, X42)") {
      stack, device, server in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p", "album": album])
      let other = try stack.context.make("Photo", ["name": "q", "album": album])
      try stack.context.make("Photo", ["name": "r"])
      try stack.context.save()
      try expectEqual(
        photo.objectID.storeIdentity?.identifier, device.identity.identifier, "its store")
      try expectEqual(
        album.objectID.storeIdentity?.identifier, server.identity.identifier, "its store")
      try stack.readAnew()
      let read = try stack.context.named("Photo", "p")
      try expectEqual(try read.one("album")?.text("name"), "Rome")
      try expectEqual(try read.one("album")?.objectID, album.objectID, "the ID")
      try expect(try stack.context.named("Photo", "r").one("album") == nil, "the third has none")
      try expectEqual(try stack.context.named("Album", "Rome").names("photos"), ["p", "q"])
      try stack.context.named("Photo", "q").set("album", nil)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Album", "Rome").names("photos"), ["p"])
      _ = other
    },
    pairs("one-to-one", "a one-to-one relationship leads across from both sides (X42)") {
      stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p"])
      try album.set("cover", photo)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Album", "Rome").one("cover")?.text("name"), "p")
      try expectEqual(try stack.context.named("Photo", "p").one("coverOf")?.text("name"), "Rome")
      let second = try stack.context.make("Photo", ["name": "q"])
      try second.set("coverOf", try stack.context.named("Album", "Rome"))
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Album", "Rome").one("cover")?.text("name"), "q")
      try expect(try stack.context.named("Photo", "p").one("coverOf") == nil, "it lost its album")
    },
    pairs("many", "links lie in the store of their owner, and are seen from both sides (X42)") {
      stack, _, server in
      let tags = try ["a", "b", "c"].map { try stack.context.make("Tag", ["name": $0]) }
      for tag in tags.dropFirst() { try stack.context.assign(tag, to: server) }
      let photo = try stack.context.make("Photo", ["name": "p"])
      let other = try stack.context.make("Photo", ["name": "q"])
      try photo.add(tags[0], to: "tags")
      try photo.add(tags[1], to: "tags")
      try tags[1].add(other, to: "photos")
      try tags[2].add(other, to: "photos")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "p").names("tags"), ["a", "b"])
      try expectEqual(try stack.context.named("Photo", "q").names("tags"), ["b", "c"])
      try expectEqual(try stack.context.named("Tag", "b").names("photos"), ["p", "q"])
      let read = try stack.context.named("Photo", "p")
      try read.remove(try stack.context.named("Tag", "b"), from: "tags")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Tag", "b").names("photos"), ["q"])
    },
    pairs("symmetric", "a relationship that is its own inverse leads across (X42)") {
      stack, _, server in
      let tags = try ["a", "b", "c"].map { try stack.context.make("Tag", ["name": $0]) }
      try stack.context.assign(tags[1], to: server)
      try stack.context.assign(tags[2], to: server)
      try tags[0].add(tags[1], to: "related")
      try tags[2].add(tags[0], to: "related")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Tag", "a").names("related"), ["b", "c"])
      try expectEqual(try stack.context.named("Tag", "b").names("related"), ["a"])
      // Both ends have each link, but it is stored in one store only.
      try expectEqual(try stack.context.names("Tag", "related.@count == 2"), ["a"])
      try expectEqual(try stack.context.names("Tag", "related.@count == 1"), ["b", "c"])
      let read = try stack.context.named("Tag", "b")
      try read.remove(try stack.context.named("Tag", "a"), from: "related")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Tag", "a").names("related"), ["c"])
      try expectEqual(try stack.context.named("Tag", "b").names("related"), [])
    },
    pairs("no-inverse", "links without an inverse lead across (X42)") { stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let photo = try stack.context.make("Photo", ["name": "p"])
      try photo.add(album, to: "mentions")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "p").names("mentions"), ["Rome"])
      stack.context.delete(try stack.context.named("Album", "Rome"))
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Photo", "p").names("mentions"), [])
    },
    pairs("ordered", "destinations in another store keep their order (X42)") { stack, _, _ in
      let album = try stack.context.make("Album", ["name": "Rome"])
      let second = try stack.context.make("Album", ["name": "Oslo"])
      let photos = try ["c", "a", "b"].map { try stack.context.make("Photo", ["name": $0]) }
      try album.set("slides", photos)
      try photos[0].set("lists", [second, album])
      try photos[1].set("lists", [second])
      try stack.context.save()
      try stack.readAnew()
      func ordered(_ entity: String, _ name: String, _ key: String) throws -> [String?] {
        try stack.context.named(entity, name).many(key).map { try $0.text("name") }
      }
      try expectEqual(try ordered("Album", "Rome", "slides"), ["c", "a", "b"])
      try expectEqual(try ordered("Photo", "c", "lists"), ["Oslo", "Rome"])
      try expectEqual(Set(try ordered("Album", "Oslo", "listed")), ["c", "a"])
      let read = try stack.context.named("Album", "Rome")
      let slides = try read.many("slides")
      try read.set("slides", [slides[2], slides[0]])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try ordered("Album", "Rome", "slides"), ["b", "c"])
    },
  ].flatMap(\.self)
}
