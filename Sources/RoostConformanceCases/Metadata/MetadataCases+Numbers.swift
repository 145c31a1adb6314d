// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

/// Numbers of deleted records, which references may still name.
extension MetadataCases {
  static let numbers: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "last-sequence", "no number that was given exceeds the last one (B30)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let store = stack.coordinator.persistentStores[0]
      try expect(try store.lastSequence() >= 0, "a new store")
      for count in [1, 5, 70] {
        let given = try store.reserveSequences(count)
        try expect(try store.lastSequence() >= given.upperBound, "after \(given)")
      }
    },
    ConformanceCase(
      .metadata, "copied-numbers",
      "a copy gives no new record the number of one that was deleted before (B238, B30)"
    ) { stage in
      let reference = try stage.makeReferenceStore()
      for (from, to) in [
        (try stage.makeStore(), reference), (try stage.makeReferenceStore(), try stage.makeStore()),
        (try stage.makeStore(), try stage.makeStore()),
      ] {
        try copy(from, to, stage)
      }
    },
  ]

  /// A record refers to one that is deleted, and a copy gives new records other numbers than that had.
  private static func copy(
    _ from: PersistentStoreDescription, _ to: PersistentStoreDescription, _ stage: ConformanceStage
  ) throws {
    var sketch = ModelSketch()
    sketch.add("Album", [.string("name")])
    sketch.add("Photo", [.string("name")])
    sketch.relate(.init("Photo", "album", .one), to: "Album")
    let stack = try stage.open(sketch.make(), on: [from])
    let photo = try stack.context.make("Photo", ["name": "p"])
    try stack.context.save()
    let album = try stack.context.make("Album", ["name": "deleted"])
    try photo.set("album", album)
    try stack.context.save()
    stack.context.delete(album)
    try stack.context.save()
    try stack.coordinator.migratePersistentStore(
      stack.coordinator.persistentStores[0], to: to.url, options: to.options, type: to.type)
    let context = stack.makeContext()
    let named = try context.named("Photo", "p").one("album")?.objectID
    for number in 1...5 {
      let new = try context.make("Album", ["name": "new \(number)"])
      try context.save()
      try expect(new.objectID != named, "the photo is in no new album (\(number))")
    }
    stack.close()
  }
}
