// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension SeveralStoresCases {
  /// A stack that has a filled store open for reading, and the closed stack that filled it.
  static func openForReading(
    _ stage: ConformanceStage
  ) throws -> (reading: ConformanceStack, writing: ConformanceStack) {
    let description = try stage.makeStore()
    let writing = try stage.open(CompanyModel.make(), on: [description])
    try CompanyModel.fill(writing.context)
    writing.close()
    var readOnly = description
    readOnly.isReadOnly = true
    return (try stage.open(CompanyModel.make(), on: [readOnly]), writing)
  }

  static let removal: [ConformanceCase] = [
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
    two(
      "removed-pending",
      "what was not saved in objects of a removed store goes with them, in all contexts (B235)"
    ) { stack, _, notes in
      try stack.context.make("Note", ["name": "n", "size": 0])
      try stack.context.make("Country", ["name": "c", "size": 0])
      try stack.context.save()
      let contexts = [stack.context, stack.makeContext()]
      let found = try contexts.map { try $0.named("Note", "n") }
      let countries = try contexts.map { try $0.named("Country", "c") }
      for note in found { try note.set("size", 1) }
      try countries[0].set("size", 2)
      try stack.coordinator.remove(notes)
      for (context, note) in zip(contexts, found) {
        context.processPendingChanges()
        try expect(note.managedObjectContext == nil, "the note has no context")
        try expect(!context.updatedObjects.contains(note), "the note is no change of its context")
        try context.save()
        try expect(!context.hasChanges, "nothing is left to be saved")
      }
      try expectEqual(try contexts[0].names("Country", "size == 2"), ["c"], "the other store")
      for context in contexts {
        try context.make("Note", ["name": "late"])
        try expectError(.noStore, "a save of a new note") { try context.save() }
        context.rollback()
      }
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
    two(
      "removed-twice", "a store that was removed cannot be removed again (B235)"
    ) { stack, _, notes in
      try stack.coordinator.remove(notes)
      do {
        try stack.coordinator.remove(notes)
        throw ExpectationFailure(message: "it is accepted", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expectEqual(error.code, .storeRemoved, "the error")
      }
    },
    ConformanceCase(
      .severalStores, "read-only",
      "a read-only store is read, and a change is refused when it is saved (B160, B236)",
      needs: [.reopening]
    ) { stage in
      let (stack, _) = try openForReading(stage)
      try expect(stack.coordinator.persistentStores[0].isReadOnly, "it says so")
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 40)
      try expect(ada.isUpdated, "a change is accepted")
      try expectError(.readOnlyStore, "an update") { try stack.context.save() }
      stack.context.rollback()
      try stack.context.make("Person", ["name": "Zoe"])
      do {
        try stack.context.save()
        throw ExpectationFailure(message: "an insertion is saved", file: #fileID, line: #line)
      } catch let error as PersistenceError {
        try expect(
          [.readOnlyStore, .noStore].contains(error.code), "an insertion is refused")
      }
      stack.context.rollback()
      try expectEqual(try stack.context.names("Person").count, 5)
    },
    ConformanceCase(
      .severalStores, "read-only-first",
      "a new object goes to the first store that can be written (B230)",
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
