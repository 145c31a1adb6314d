// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// Remedies of the error catalogue when no store, the wrong store or only some stores accept a save.
extension SeveralStoresCases {
  /// A note and a tag of another store, with a relationship whose save was refused.
  private static func refusedPair(
    _ stack: ConformanceStack, _ reference: any PersistentStore
  ) throws -> (note: ManagedObject, tag: ManagedObject) {
    let tag = try stack.context.make("Tag", ["name": "t"])
    try stack.context.assign(tag, to: reference)
    let note = try stack.context.make("Note", ["name": "n"])
    try note.add(tag, to: "tags")
    try expectError(.externalRelationship) { try stack.context.save() }
    return (note, tag)
  }

  static let waysOut: [ConformanceCase] = [
    two(
      "way-out.externalRelationship.code",
      "a value that identifies an object of another store is kept instead of the object (B73)"
    ) { stack, reference, _ in
      let context = stack.context
      let (note, tag) = try refusedPair(stack, reference)
      try note.remove(tag, from: "tags")
      try context.save()
      try note.set("name", tag.objectID.uriRepresentation().absoluteString)
      try context.save()
      try stack.readAnew()
      let kept = try require(try stack.context.all("Note").first?.text("name"))
      let url = try require(URL(string: kept), "the URI")
      let id = try require(stack.coordinator.managedObjectID(forURIRepresentation: url), "the ID")
      try expectEqual(try stack.context.existingObject(with: id).text("name"), "t")
    },
    two(
      "way-out.externalRelationship.assigned",
      "objects that are assigned to one store can be related (B73, B230)"
    ) { stack, reference, notes in
      let context = stack.context
      let (_, tag) = try refusedPair(stack, reference)
      try context.assign(tag, to: notes)
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Note", "n").names("tags"), ["t"])
    },
    ConformanceCase(
      .severalStores, "way-out.noStore",
      "an object that no store can take is saved once such a store was added (B232)"
    ) { stage in
      var only = try stage.makeStore()
      only.configuration = "Reference"
      let stack = try stage.open(try model(), on: [only])
      try stack.context.make("Note", ["name": "n"])
      let error = try expectError(.noStore) { try stack.context.save() }
      try expectEqual(error.entityName, "Note", "the error's entity")
      try expect(
        error.message.contains("configuration"), "the message says why: \(error.message)")
      try stack.coordinator.addPersistentStore(with: stage.makeReferenceStore())
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Note"), ["n"])
    },
    ConformanceCase(
      .severalStores, "way-out.noStore.none",
      "a coordinator without stores says that none was added, and what that asks for (B232)"
    ) { stage in
      let stack = try stage.open(try model(), on: [])
      for what in ["a fetch", "a save"] {
        let error = try expectError(.noStore, what) {
          if what == "a fetch" {
            _ = try stack.context.names("Note")
          } else {
            try stack.context.make("Note", ["name": "n"])
            try stack.context.save()
          }
        }
        try expect(
          error.message.contains("loadPersistentStores"), "\(what) says so: \(error.message)")
      }
      try stack.coordinator.addPersistentStore(with: stage.makeReferenceStore())
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Note"), ["n"])
    },
    ConformanceCase(
      .severalStores, "way-out.noStore.failed",
      "a coordinator whose store could not be added says so, and why (B232)"
    ) { stage in
      var wrong = try stage.makeStore()
      wrong.configuration = "Nobody's"
      let stack = try stage.open(try model(), on: [])
      let failure = try expectError(.persistentStoreIncompatibleSchema) {
        try stack.coordinator.addPersistentStore(with: wrong)
      }
      try stack.context.make("Note", ["name": "n"])
      let error = try expectError(.noStore) { try stack.context.save() }
      try expectEqual(error.underlyingErrors.map(\.message), [failure.message], "the reason")
      wrong.configuration = nil
      try stack.coordinator.addPersistentStore(with: wrong)
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Note"), ["n"])
    },
    two(
      "way-out.invalidStoreAssignment",
      "an object is assigned to a store that has its entity, before it is saved (B231)"
    ) { stack, reference, notes in
      let note = try stack.context.make("Note", ["name": "n"])
      try expectError(.invalidStoreAssignment) { try stack.context.assign(note, to: reference) }
      try stack.context.assign(note, to: notes)
      try stack.context.save()
      try expectEqual(store(of: note), notes.identity.identifier, "the note's store")
    },
    two("way-out.storeRemoved", "a request that names the attached stores is answered (B136, B235)")
    {
      stack, reference, notes in
      try stack.context.make("Tag", ["name": "t"])
      try stack.context.save()
      try stack.coordinator.remove(notes)
      let request = try stack.context.request("Tag", nil, [])
      request.affectedStores = [notes]
      try expectError(.storeRemoved) { _ = try stack.context.fetch(request) }
      request.affectedStores = [reference]
      try expectEqual(try stack.context.fetch(request).count, 1, "the tags")
    },
    ConformanceCase(
      .severalStores, "way-out.persistentStoreIncompleteSave",
      "what is left of a save that one of two stores refused can be saved again (B170, B171)"
    ) { stage in
      let faults = FaultSwitch()
      // Stores in memory are written last.
      var (first, second) = (
        try stage.makeStore().interposed(faults), try stage.makeStore().interposed(faults)
      )
      first.configuration = "Reference"
      second.configuration = "Notes"
      let stack = try stage.open(try model(), on: [first, second])
      stack.coordinator.saveTraffic.policy = .perStore
      let new = [
        try stack.context.make("Country", ["name": "c"]),
        try stack.context.make("Note", ["name": "n"]),
      ]
      faults.fail(.commit, number: 2)
      let error = try expectError(.persistentStoreIncompleteSave) { try stack.context.save() }
      try expectEqual(error.underlyingErrors.map(\.code), [FaultSwitch.error.code], "the stores")
      try expect(error.underlyingErrors.allSatisfy { $0.store != nil }, "each names its store")
      try expectEqual(new.count(where: \.hasChanges), 1, "what is not written is pending")
      try stack.context.save()
      let fresh = stack.makeContext()
      try expectEqual(try fresh.names("Country"), ["c"])
      try expectEqual(try fresh.names("Note"), ["n"])
    },
    ConformanceCase(
      .severalStores, "way-out.readOnlyStore",
      "the store that was opened for reading is opened for writing, and the save repeated (B236)",
      needs: [.reopening]
    ) { stage in
      let (stack, writing) = try openForReading(stage)
      try stack.context.named("Person", "Ada").set("age", 40)
      try expectError(.readOnlyStore) { try stack.context.save() }
      stack.close()
      try writing.reopen()
      try expectEqual(try writing.context.named("Person", "Ada").number("age"), 36, "nothing")
      try writing.context.named("Person", "Ada").set("age", 40)
      try writing.context.save()
    },
  ]
}
