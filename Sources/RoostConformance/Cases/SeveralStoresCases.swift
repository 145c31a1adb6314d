// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Several stores behind one coordinator.
enum SeveralStoresCases {
  /// Reference data and notes: each has a configuration; tags are in both.
  private static func model() throws -> ManagedObjectModel {
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
  private static func two(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, any PersistentStore, any PersistentStore) throws
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

  /// A case on a store of the type under test and a reference store, both of which hold everything.
  private static func mixed(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, any PersistentStore, any PersistentStore) throws
      -> Void
  ) -> ConformanceCase {
    ConformanceCase(.severalStores, name, title) { stage in
      let stores = [try stage.makeStore(), try stage.makeReferenceStore()]
      let stack = try stage.open(try model(), on: stores)
      let added = stack.coordinator.persistentStores
      try body(stack, added[0], added[1])
    }
  }

  private static func store(of object: ManagedObject) -> String? {
    object.objectID.storeIdentity?.identifier
  }

  static let all: [ConformanceCase] = routing + union + relations + removal

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

  private static let union: [ConformanceCase] = [
    mixed("fetch", "a fetch covers all stores, in one order, without duplicates (B233, B136)") {
      stack, first, second in
      try spread(stack, first, second)
      try expectEqual(try stack.context.names("Tag"), (0..<10).map { "t\($0)" })
      try expectEqual(try stack.context.names("Tag", "size > 6"), ["t7", "t8", "t9"])
      let request = try stack.context.request("Tag", "size %% 2 == 0", [])
      try expectEqual(try stack.context.count(for: request), 5)
    },
    mixed("windows", "limit and offset apply once, over all stores (B125, B136)") {
      stack, first, second in
      try spread(stack, first, second)
      for offset in 0..<11 {
        for limit in [1, 3, 10] {
          let request = try stack.context.request("Tag", nil, [])
          request.fetchOffset = offset
          request.fetchLimit = limit
          let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
          let wanted = (0..<10).map { "t\($0)" }.dropFirst(offset).prefix(limit)
          try expectEqual(found, Array(wanted), "offset \(offset), limit \(limit)")
          try expectEqual(try stack.context.count(for: request), wanted.count, "the count")
        }
      }
    },
    mixed("descending", "a descending order over several stores has nil last (B124)") {
      stack, first, second in
      try spread(stack, first, second)
      for store in [first, second] {
        let tag = try stack.context.make("Tag", ["name": "nil"])
        try stack.context.assign(tag, to: store)
      }
      try stack.context.save()
      let request = FetchRequest<ManagedObject>(entityName: "Tag")
      request.sortDescriptors = [SortOrdering("size", ascending: false), SortOrdering("name")]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, (0..<10).reversed().map { "t\($0)" } + ["nil", "nil"])
    },
    mixed("affected", "a fetch can be narrowed to some stores (B136)") { stack, first, second in
      try spread(stack, first, second)
      let request = try stack.context.request("Tag", nil, [])
      request.affectedStoreIdentifiers = [second.identity.identifier]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, ["t1", "t3", "t5", "t7", "t9"])
      try expectEqual(try stack.context.count(for: request), 5)
      request.affectedStoreIdentifiers = []
      try expectEqual(try stack.context.fetch(request).count, 0, "what no store has")
    },
    mixed("dictionaries", "groups and aggregates span all stores (B134, B233)") {
      stack, first, second in
      try spread(stack, first, second)
      let request = FetchRequest<[String: Any]>(entityName: "Tag")
      request.propertiesToFetch = [
        ExpressionDescription(
          name: "sum", expression: FetchExpression.function(.sum, [.keyPath(["size"])]),
          resultType: .integer64),
        ExpressionDescription(
          name: "n", expression: FetchExpression.function(.count, [.keyPath(["name"])]),
          resultType: .integer64),
      ]
      let found = try stack.context.fetch(request)
      try expectEqual(found.map { whole($0["sum"]) }, [45], "the sum")
      try expectEqual(found.map { whole($0["n"]) }, [10], "the count")
    },
    mixed("ids", "IDs of several stores come in one order (B130, B233)") { stack, first, second in
      try spread(stack, first, second)
      let request = FetchRequest<ObjectID>(entityName: "Tag")
      request.sortDescriptors = [SortOrdering("size", ascending: false)]
      let ids = try stack.context.fetch(request)
      try expectEqual(ids.count, 10, "the number of IDs")
      try expectEqual(Set(ids).count, 10, "the number of different IDs")
      let first = try stack.context.existingObject(with: ids[0])
      try expectEqual(try first.text("name"), "t9")
    },
    mixed("pending", "unsaved objects are merged with those of all stores (B121, B233)") {
      stack, first, second in
      try spread(stack, first, second)
      try stack.context.make("Tag", ["name": "t45", "size": 4])
      stack.context.delete(try stack.context.named("Tag", "t5"))
      let request = try stack.context.request("Tag", nil, [])
      request.fetchOffset = 4
      request.fetchLimit = 3
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, ["t4", "t45", "t6"])
    },
  ]

  /// Ten tags, even ones in the first store, odd ones in the second.
  private static func spread(
    _ stack: ConformanceStack, _ first: any PersistentStore, _ second: any PersistentStore
  ) throws {
    for index in 0..<10 {
      let tag = try stack.context.make("Tag", ["name": "t\(index)", "size": index])
      try stack.context.assign(tag, to: index % 2 == 0 ? first : second)
    }
    try stack.context.save()
    stack.context.reset()
  }

  private static let relations: [ConformanceCase] = [
    two("crossing", "a relationship across stores cannot be saved (B73)") { stack, reference, _ in
      let country = try stack.context.make("Country", ["name": "c"])
      try stack.context.save()
      let note = try stack.context.make("Note", ["name": "n"])
      let tag = try stack.context.make("Tag", ["name": "t"])
      try stack.context.assign(tag, to: reference)
      try note.add(tag, to: "tags")
      try expectError(.externalRelationship) { try stack.context.save() }
      try expect(note.isInserted && tag.isInserted, "everything is pending")
      try expectEqual(try stack.makeContext().names("Note"), [], "nothing is written")
      try note.remove(tag, from: "tags")
      try country.add(tag, to: "tags")
      try stack.context.save()
    },
    two("split", "a save sends each store only its objects (B234)") { stack, reference, notes in
      try stack.context.make("Country", ["name": "c"])
      try stack.context.make("Note", ["name": "n"])
      let before = (stack.coordinator.counters(for: reference), stack.coordinator.counters(for: notes))
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
    two("reopened", "every store has its own part after a reopening (B229, B234)") { stack, _, notes in
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

  private static let removal: [ConformanceCase] = [
    two("removed", "objects of a removed store lose their context (B235)") { stack, _, notes in
      let note = try stack.context.make("Note", ["name": "n"])
      let country = try stack.context.make("Country", ["name": "c"])
      try stack.context.save()
      try stack.coordinator.remove(notes)
      try expectEqual(stack.coordinator.persistentStores.count, 1, "the stores")
      try country.set("size", 1)
      try stack.context.save()
      try expect(note.managedObjectContext == nil, "the note has no context")
      try expectEqual(try stack.context.names("Country"), ["c"])
    },
    two("removed-fetch", "a removed store is not asked any more (B233, B235)") { stack, _, notes in
      try stack.context.make("Tag", ["name": "t"])
      let note = try stack.context.make("Note", ["name": "n"])
      try note.add(try stack.context.make("Tag", ["name": "u"]), to: "tags")
      try stack.context.save()
      try stack.coordinator.remove(notes)
      let context = stack.makeContext()
      try expectEqual(try context.names("Tag"), ["t"])
    },
    two("removed-twice", "a store that was removed cannot be removed again (B235)") { stack, _, notes in
      try stack.coordinator.remove(notes)
      do {
        try stack.coordinator.remove(notes)
        throw ExpectationFailure(message: "it is accepted", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expectEqual(error.code, .storeRemoved, "the error")
      }
    },
    ConformanceCase(
      .severalStores, "read-only", "a read-only store is read, not written (B236)",
      needs: [.reopening]
    ) { stage in
      let description = try stage.makeStore()
      let writing = try stage.open(CompanyModel.make(), on: [description])
      try CompanyModel.fill(writing.context)
      writing.close()
      var readOnly = description
      readOnly.isReadOnly = true
      let stack = try stage.open(CompanyModel.make(), on: [readOnly])
      try expect(stack.coordinator.persistentStores[0].isReadOnly, "it says so")
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 40)
      try expectError(.readOnlyStore, "an update") { try stack.context.save() }
      stack.context.rollback()
      try stack.context.make("Person", ["name": "Zoe"])
      do {
        try stack.context.save()
        throw ExpectationFailure(message: "an insertion is saved", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expect(
          [.readOnlyStore, .noStore].contains(error.code), "an insertion is refused (B160)")
      }
      stack.context.rollback()
      try expectEqual(try stack.context.names("Person").count, 5)
    },
    ConformanceCase(
      .severalStores, "read-only-first", "a new object goes to the first store that can be written (B230)",
      needs: [.reopening]
    ) { stage in
      let description = try stage.makeStore()
      try stage.open(CompanyModel.make(), on: [description]).close()
      var readOnly = description
      readOnly.isReadOnly = true
      let stack = try stage.open(CompanyModel.make(), on: [readOnly, try stage.makeStore()])
      let zoe = try stack.context.make("Person", ["name": "Zoe"])
      try stack.context.save()
      try expectEqual(
        store(of: zoe), stack.coordinator.persistentStores[1].identity.identifier, "her store")
    },
  ]
}
