// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

// A version in which the other end of a relationship stores the links into other stores.
extension AcrossStoresCases {
  private typealias End = ModelSketch.End

  /// A change after which links would have to be in the other store.
  private struct OwnerChange: Sendable {
    let name: String
    let title: String
    let old: @Sendable (inout ModelSketch) -> Void
    let new: @Sendable (inout ModelSketch) -> Void
    /// The relationship with the links in the old version, and whether the album has it.
    let relationship: String
    var isOfAlbum = false
    /// The name that albums have in the old version.
    var album = "Album"
  }

  private static let changes = [
    OwnerChange(
      name: "to-many",
      title: "a relationship to one into another store cannot lead to many (M11, X41)",
      old: { $0.relate(End("Photo", "albums", .one), End("Album", "photos", .many)) },
      new: { $0.relate(End("Photo", "albums", .many), End("Album", "photos", .many)) },
      relationship: "albums"),
    OwnerChange(
      name: "other-table",
      title: "links into another store cannot pass to an entity of another name (M11, X41)",
      old: { $0.relate(End("Photo", "albums", .many), End("Zalbum", "photos", .many)) },
      new: { $0.relate(End("Photo", "albums", .many), End("Album", "photos", .many)) },
      relationship: "albums", album: "Zalbum"),
    OwnerChange(
      name: "new-inverse",
      title: "links into another store cannot pass to a new inverse (M11, X41)",
      old: { $0.relate(End("Album", "photos", .many), to: "Photo") },
      new: { $0.relate(End("Album", "photos", .many), End("Photo", "album", .one)) },
      relationship: "photos", isOfAlbum: true),
    OwnerChange(
      name: "new-one-to-one",
      title: "links into another store have no other side for a new inverse to one (M11, X41)",
      old: { $0.relate(End("Photo", "album", .one), to: "Album") },
      new: { $0.relate(End("Photo", "album", .one), End("Album", "photo", .one)) },
      relationship: "album"),
  ]

  private static func model(
    _ album: String, earlier: String? = nil, isConfigured: Bool,
    _ relate: (inout ModelSketch) -> Void
  ) throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Photo", [.string("name")])
    sketch.add(album, [.string("name")]).renamingIdentifier = earlier
    relate(&sketch)
    let model = sketch.make()
    model.letRelationshipsCrossStores()
    if isConfigured {
      try model.setEntities([sketch["Photo"]], forConfigurationName: "Device")
      try model.setEntities([sketch[album]], forConfigurationName: "Server")
    }
    return model
  }

  private static func check(
    _ change: OwnerChange, _ stage: ConformanceStage, isConfigured: Bool
  ) throws {
    func old() throws -> ManagedObjectModel {
      try model(change.album, isConfigured: isConfigured, change.old)
    }
    func new() throws -> ManagedObjectModel {
      try model("Album", earlier: change.album, isConfigured: isConfigured, change.new)
    }
    var stores = [try stage.makeStore(), try stage.makeStore()]
    // The store with the links is the first one to be migrated.
    let (device, server) = change.isOfAlbum ? (1, 0) : (0, 1)
    if isConfigured {
      stores[device].configuration = "Device"
      stores[server].configuration = "Server"
    }
    let stack = try stage.open(old(), on: stores)
    let places = stack.coordinator.persistentStores
    let photo = try stack.context.make("Photo", ["name": "p"])
    let album = try stack.context.make(change.album, ["name": "Rome"])
    try stack.context.assign(photo, to: places[device])
    try stack.context.assign(album, to: places[server])
    let (from, to) = change.isOfAlbum ? (album, photo) : (photo, album)
    func link(_ from: ManagedObject, _ to: ManagedObject?) throws {
      if from.entity.relationshipsByName[change.relationship]?.isToMany == true {
        try from.set(change.relationship, to.map { [$0] } ?? [])
      } else {
        try from.set(change.relationship, to)
      }
    }
    try link(from, to)
    try stack.context.save()
    stack.close()
    let error = try expectError(.migration, "the links cannot follow") {
      try stage.open(new(), on: stores).close()
    }
    try expect(error.message.contains("1 record"), "it counts them: \(error.message)")
    try expectEqual(error.key, change.relationship)
    // The old version still has everything.
    let again = try stage.open(old(), on: stores)
    let name = change.isOfAlbum ? (change.album, "Rome") : ("Photo", "p")
    let read = try again.context.named(name.0, name.1)
    let isToMany = read.entity.relationshipsByName[change.relationship]?.isToMany == true
    let found =
      try isToMany
      ? read.names(change.relationship)
      : [read.one(change.relationship)?.text("name") ?? ""]
    try expectEqual(found, [change.isOfAlbum ? "p" : "Rome"], "the link")
    // Without the link it is migrated.
    try link(read, nil)
    try again.context.save()
    again.close()
    let later = try stage.open(new(), on: stores)
    try expectEqual(try later.context.names("Photo"), ["p"])
    try expectEqual(try later.context.names("Album"), ["Rome"])
  }

  static let owners: [ConformanceCase] =
    changes.map { change in
      ConformanceCase(
        .acrossStores, "owner.\(change.name)", change.title, needs: [.evolution, .reopening]
      ) { stage in
        try check(change, stage, isConfigured: false)
        try check(change, stage, isConfigured: true)
      }
    } + [
      ConformanceCase(
        .acrossStores, "moved-mapped",
        "records are found after a move and a mapping model by those that were detached (X42, M21)",
        needs: [.evolution, .reopening]
      ) { stage in
        func model(_ isLater: Bool) -> ManagedObjectModel {
          var sketch = ModelSketch()
          sketch.add("Photo", [.string("name")])
          sketch.add("Album", [.string("name")] + (isLater ? [.string("more")] : []))
          sketch.relate(End("Photo", "album", .one), End("Album", "photos", .many))
          let model = sketch.make()
          model.letRelationshipsCrossStores()
          return model
        }
        let stores = [try stage.makeStore(), try stage.makeStore()]
        let stack = try stage.open(model(false), on: stores)
        let album = try stack.context.make("Album", ["name": "Rome"])
        try stack.context.assign(album, to: stack.coordinator.persistentStores[1])
        let photo = try stack.context.make("Photo", ["name": "p", "album": album])
        try stack.context.assign(photo, to: stack.coordinator.persistentStores[0])
        try stack.context.save()
        stack.close()
        // The albums move while the photos are not attached.
        let alone = try stage.open(model(false), on: [stores[1]])
        var place = try stage.makeStore()
        try alone.coordinator.migratePersistentStore(
          alone.coordinator.persistentStores[0], to: place.url, options: place.options,
          type: place.type)
        for store in alone.coordinator.persistentStores { try alone.coordinator.remove(store) }
        alone.close()
        place.migration = CustomMigration([
          EntityTransform("Album", toEntity: "Album", setting: ["more"]) { _, new, _ in
            try new.set("more", "m")
          }
        ])
        try stage.open(model(true), on: [place]).close()
        place.migration = nil
        let both = try stage.open(model(true), on: [stores[0], place])
        let read = try both.context.named("Photo", "p")
        try expectEqual(try read.one("album")?.text("more"), "m")
        try expectEqual(try both.context.named("Album", "Rome").names("photos"), ["p"])
      }
    ]
}
