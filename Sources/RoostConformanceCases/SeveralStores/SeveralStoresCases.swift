// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// Several stores behind one coordinator.
enum SeveralStoresCases {
  /// A model with two configurations, reference data and notes; tags are in both.
  static func model() throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Country", [.string("name"), .integer("size")])
    sketch.add("Note", [.string("name"), .integer("size")])
    sketch.add("Line", [.string("name")])
    sketch.add("Tag", [.string("name"), .integer("size")])
    sketch.relate(.init("Note", "lines", .many, rule: .cascade), .init("Line", "note", .one))
    sketch.relate(.init("Note", "tags", .many), .init("Tag", "notes", .many))
    sketch.relate(.init("Country", "tags", .many), .init("Tag", "countries", .many))
    sketch.relate(.init("Tag", "parent", .one), .init("Tag", "children", .many))
    let model = sketch.make()
    let reference = [sketch["Country"], sketch["Tag"]]
    let notes = [sketch["Note"], sketch["Line"], sketch["Tag"]]
    try model.setEntities(reference, forConfigurationName: "Reference")
    try model.setEntities(notes, forConfigurationName: "Notes")
    return model
  }

  /// A case on two stores of the store under test, each with a configuration of its own.
  static func two(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ConformanceStack, any PersistentStore, any PersistentStore) throws
      -> Void
  ) -> ConformanceCase {
    ConformanceCase(.severalStores, name, title) { stage in
      var (first, second) = (try stage.makeStore(), try stage.makeStore())
      first.configuration = "Reference"
      second.configuration = "Notes"
      let stack = try stage.open(try model(), on: [first, second])
      let stores = stack.coordinator.persistentStores
      try body(stack, stores[0], stores[1])
    }
  }

  /// A case on a store of the type under test and a reference store, each with all entities.
  static func mixed(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ConformanceStack, any PersistentStore, any PersistentStore) throws
      -> Void
  ) -> ConformanceCase {
    ConformanceCase(.severalStores, name, title) { stage in
      let stores = [try stage.makeStore(), try stage.makeReferenceStore()]
      let stack = try stage.open(try model(), on: stores)
      let added = stack.coordinator.persistentStores
      try body(stack, added[0], added[1])
    }
  }

  static func store(of object: ManagedObject) -> String? {
    object.objectID.storeIdentity?.identifier
  }

  static let all: [ConformanceCase] =
    routing + union + relations + removal + assignments + waysOut
    + TogetherCases.ofSeveralStores + pages + AtomicSaveCases.all

  private static let routing: [ConformanceCase] = [
    two("configuration", "a store takes the entities of its configuration (B229)") {
      stack, reference, notes in
      let country = try stack.context.make("Country", ["name": "c"])
      let note = try stack.context.make("Note", ["name": "n"])
      try stack.context.save()
      try expectEqual(store(of: country), reference.identity.identifier, "the country's store")
      try expectEqual(store(of: note), notes.identity.identifier, "the note's store")
    },
    two("first", "what several stores could take goes to the first (B230)") { stack, reference, _ in
      let tag = try stack.context.make("Tag", ["name": "t"])
      try stack.context.save()
      try expectEqual(store(of: tag), reference.identity.identifier, "the tag's store")
    },
    two("assigned", "an assigned object goes where it was assigned to (B230)") { stack, _, notes in
      let tag = try stack.context.make("Tag", ["name": "t"])
      try stack.context.assign(tag, to: notes)
      try stack.context.save()
      try expectEqual(store(of: tag), notes.identity.identifier, "the tag's store")
    },
    two("related", "a new object follows the saved object that it is related to (B74, B230)") {
      stack, _, notes in
      let note = try stack.context.make("Note", ["name": "n"])
      try stack.context.save()
      let tag = try stack.context.make("Tag", ["name": "t"])
      try note.add(tag, to: "tags")
      try stack.context.save()
      try expectEqual(store(of: tag), notes.identity.identifier, "the tag's store")
    },
    relatedOneWay,
    two("related-new", "new objects that are related go to one store (B74)") { stack, _, notes in
      let tag = try stack.context.make("Tag", ["name": "t"])
      let child = try stack.context.make("Tag", ["name": "u", "parent": tag])
      let note = try stack.context.make("Note", ["name": "n"])
      try note.add(child, to: "tags")
      try stack.context.save()
      for object in [tag, child] {
        try expectEqual(store(of: object), notes.identity.identifier, "the tags' store")
      }
    },
    two("bad-assignment", "an assignment that makes no sense throws (B231)") {
      stack, reference, notes in
      let note = try stack.context.make("Note", ["name": "n"])
      try expectError(.invalidStoreAssignment, "a store without the entity") {
        try stack.context.assign(note, to: reference)
      }
      try stack.context.save()
      try expectError(.invalidStoreAssignment, "a saved object") {
        try stack.context.assign(note, to: notes)
      }
    },
    two("obtained", "permanent IDs are of the store that the save would choose (B28)") {
      stack, _, notes in
      let tag = try stack.context.make("Tag", ["name": "t"])
      try stack.context.assign(tag, to: notes)
      try stack.context.obtainPermanentIDs(for: [tag])
      try expectEqual(store(of: tag), notes.identity.identifier, "the tag's store")
      try stack.context.save()
      try expectEqual(store(of: tag), notes.identity.identifier, "the tag's store after the save")
    },
    ConformanceCase(
      .severalStores, "no-store", "what no store can take cannot be saved (B232)"
    ) { stage in
      var only = try stage.makeStore()
      only.configuration = "Reference"
      let stack = try stage.open(try model(), on: [only])
      let note = try stack.context.make("Note", ["name": "n"])
      try expectError(.noStore) { try stack.context.save() }
      try expect(note.isInserted, "the object is still pending")
    },
  ]

  private static let relations: [ConformanceCase] = [
    two("crossing", "a relationship across stores cannot be saved (B73)") { stack, reference, _ in
      let country = try stack.context.make("Country", ["name": "c"])
      try stack.context.save()
      let note = try stack.context.make("Note", ["name": "n"])
      let tag = try stack.context.make("Tag", ["name": "t"])
      try stack.context.assign(tag, to: reference)
      try note.add(tag, to: "tags")
      let error = try expectError(.externalRelationship) { try stack.context.save() }
      try expectEqual(Set(error.objectIDs), [note.objectID, tag.objectID], "what is named (B171)")
      try expect(note.isInserted && tag.isInserted, "everything is pending")
      try expectEqual(try stack.makeContext().names("Note"), [], "nothing is written")
      try note.remove(tag, from: "tags")
      try country.add(tag, to: "tags")
      try stack.context.save()
    },
    two("split", "a save sends each store only its objects (B234)") { stack, reference, notes in
      try stack.context.make("Country", ["name": "c"])
      try stack.context.make("Note", ["name": "n"])
      let before = (
        stack.coordinator.counters(for: reference), stack.coordinator.counters(for: notes)
      )
      try stack.context.save()
      try expectEqual(
        stack.coordinator.counters(for: reference).commits - before.0.commits, 1, "the commits")
      try expectEqual(
        stack.coordinator.counters(for: notes).commits - before.1.commits, 1, "the commits")
      let country = try stack.context.named("Country", "c")
      try country.set("size", 1)
      try stack.context.save()
      try expectEqual(
        stack.coordinator.counters(for: notes).commits - before.1.commits, 1,
        "the commits of the store that nothing concerns")
    },
    two(
      "reopened", "every store has its own part after a reopening (B229, B234)"
    ) { stack, _, notes in
      let note = try stack.context.make("Note", ["name": "n"])
      try stack.context.make("Country", ["name": "c"])
      let tag = try stack.context.make("Tag", ["name": "t"])
      try note.add(tag, to: "tags")
      try stack.context.save()
      let identifier = notes.identity.identifier
      try stack.readAnew()
      try expectEqual(try stack.context.names("Country"), ["c"])
      let found = try stack.context.named("Note", "n")
      try expectEqual(store(of: found), identifier, "the note's store")
      try expectEqual(try found.names("tags"), ["t"])
    },
    two("cascade", "a deletion in one store leaves the other alone (B86, B234)") { stack, _, _ in
      let note = try stack.context.make("Note", ["name": "n"])
      try stack.context.make("Line", ["name": "l", "note": note])
      try stack.context.make("Country", ["name": "c"])
      try stack.context.save()
      stack.context.delete(note)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Line"), [])
      try expectEqual(try stack.context.names("Country"), ["c"])
    },
  ]

  /// The new object does not know of the one that leads to it, which is in the second store.
  private static let relatedOneWay = ConformanceCase(
    .severalStores, "related-one-way", "a saved object draws a new one into its store (B74, B230)"
  ) { stage in
    var sketch = ModelSketch()
    sketch.add("Holder", [.string("name")])
    sketch.add("Thing", [.string("name")])
    sketch.relate(.init("Holder", "thing", .one), to: "Thing")
    let stores = [try stage.makeStore(), try stage.makeStore()]
    let stack = try stage.open(sketch.make(), on: stores)
    let second = stack.coordinator.persistentStores[1]
    let holder = try stack.context.make("Holder", ["name": "h"])
    try stack.context.assign(holder, to: second)
    try stack.context.save()
    let thing = try stack.context.make("Thing", ["name": "t"])
    try holder.set("thing", thing)
    try stack.context.save()
    try expect(thing.objectID.storeIdentity === second.identity, "both are in the second store")
    try stack.readAnew()
    try expectEqual(try stack.context.named("Holder", "h").one("thing")?.text("name"), "t")
  }
}
