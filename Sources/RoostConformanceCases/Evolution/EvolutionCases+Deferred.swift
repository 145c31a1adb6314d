// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// Deferred steps of a migration.
extension EvolutionCases {
  /// Things, with an entity, links and an attribute that the migration removes.
  private static func before() -> ModelSketch {
    var sketch = things()
    sketch.add("Other", [.string("name"), .integer("weight")])
    sketch.relate(.init("Thing", "others", .many), .init("Other", "things", .many))
    return sketch
  }

  /// The version without them, and with an index.
  private static func after() -> ModelSketch {
    things {
      $0.drop("size")
      $0.indexes = [
        FetchIndexDescription(
          name: "byNote", elements: [FetchIndexElementDescription(property: $0.attribute("note"))])
      ]
    }
  }

  private static func expectAfter(_ context: ManagedObjectContext) throws {
    try EvolutionThings.expect(context, except: ["size"])
    for note in ["", "NULL"] {
      try expectEqual(
        try context.names("Thing", "note == %@", note),
        EvolutionThings.names { EvolutionThings.note($0) == note }, "what an index could find")
    }
  }

  private static func fill(_ context: ManagedObjectContext) throws {
    try EvolutionThings.fill(context)
    let others = try ["a", "b"].map {
      try context.make("Other", ["name": $0, "weight": Int64(7)])
    }
    for thing in try context.all("Thing") {
      for other in others { try thing.add(other, to: "others") }
    }
  }

  /// A store of the second version with everything left for later that can be, opened with a third one or the second.
  private static func opened(
    _ stage: ConformanceStage, _ option: Bool = true
  ) throws -> ConformanceStack {
    let stack = try stage.open(before().make())
    try fill(stack.context)
    try stack.context.save()
    stack.close()
    var description = stack.stores[0]
    try description.setOption(
      .boolean(option), forKey: StoreOption.deferredLightweightMigration)
    let plan = try require(try MigrationPlan(for: description, model: after().make()), "a plan")
    let next = try stage.open(after().make(), on: [description])
    try expectEqual(
      next.hasDeferredMigration, option && plan.steps.contains(where: \.isDeferrable),
      "something is left exactly when the plan says that it can be")
    return next
  }

  private static func deferredCase(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [.reopening, .evolution],
    _ body: @escaping @Sendable (ConformanceStage) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.evolution, name, title, needs: needs, body: body)
  }

  static let deferred: [ConformanceCase] = [
    deferredCase(
      "deferred-many", "many records are changed in portions, and removed in portions later (M31)"
    ) { stage in
      let (things, others) = (2_100, 10_050)
      func sketch(_ isLater: Bool) -> ManagedObjectModel {
        var sketch = ModelSketch()
        let thing = sketch.add(
          "Thing", [.string("name"), .string("note"), .of("data", .binaryData)])
        if isLater {
          thing.attribute("note").isOptional = false
          thing.attribute("note").defaultConstant = .string("none")
          thing.indexes = [
            FetchIndexDescription(
              name: "byNote",
              elements: [FetchIndexElementDescription(property: thing.attribute("note"))])
          ]
        } else {
          sketch.add("Other", [.string("name")])
        }
        return sketch.make()
      }
      let stack = try stage.open(sketch(false))
      for index in 0..<things {
        let object = try stack.context.make("Thing", ["name": "t\(index)"])
        try object.set("data", Data(repeating: UInt8(index & 0xFF), count: 100))
        if index % 3 == 0 { try object.set("note", "n\(index)") }
      }
      for index in 0..<others { try stack.context.make("Other", ["name": "o\(index)"]) }
      try stack.context.save()
      stack.close()
      var description = stack.stores[0]
      description.evolution = .automatic.deferLightweightMigration(true).verify(.checksums)
      let next = try stage.open(sketch(true), on: [description])
      func expectAll(_ context: ManagedObjectContext) throws {
        try expectEqual(try context.names("Thing").count, things)
        try expectEqual(try context.names("Thing", "note == 'none'").count, things / 3 * 2)
        try expectEqual(try context.names("Thing", "note == 'n3'"), ["t3"])
      }
      try expectAll(next.context)
      while next.hasDeferredMigration {
        try next.coordinator.finishDeferredLightweightMigrationTask()
        try expectEqual(try next.makeContext().names("Thing", "note == 'n3'"), ["t3"])
      }
      try next.reopen()
      try expectAll(next.context)
    },
    deferredCase(
      "deferred-off", "nothing is left for later unless that is asked for (M31)"
    ) { stage in
      let stack = try opened(stage, false)
      try expectAfter(stack.context)
      try stack.coordinator.finishDeferredLightweightMigration()
      try expectAfter(stack.makeContext())
    },
    deferredCase(
      "deferred-while-opening",
      "what another program does of what is left stays done though the store is opened meanwhile (M31, M34)",
      needs: [.reopening, .evolution, .secondHandle, .equalModels]
    ) { stage in
      let stack = try opened(stage)
      let store = stack.stores[0].overtaken {
        try stack.coordinator.finishDeferredLightweightMigration()
      }
      // The opening has metadata of its own to write: the identifier of its model.
      let model = after().make()
      model.versionIdentifiers = ["2"]
      let late = try stage.open(model, on: [store])
      try expect(!late.hasDeferredMigration, "nothing is left")
      try expectAfter(late.context)
      late.close()
      try stack.reopen()
      try expect(!stack.hasDeferredMigration, "nothing is left in the store")
      try expectAfter(stack.context)
    },
    deferredCase(
      "deferred-all", "what is left for later is done by one call (M31, B264)"
    ) { stage in
      let stack = try opened(stage)
      try expectAfter(stack.context)
      try stack.coordinator.finishDeferredLightweightMigration()
      try expect(!stack.hasDeferredMigration, "nothing is left")
      try expectAfter(stack.makeContext())
      try stack.coordinator.finishDeferredLightweightMigrationTask()
      try stack.reopen()
      try expect(!stack.hasDeferredMigration, "nothing is left after opening again")
      try expectAfter(stack.context)
    },
    deferredCase(
      "deferred-closed",
      "what is left for later is done step by step, by openings without the option as well (M31)"
    ) { stage in
      let stack = try opened(stage)
      stack.close()
      var plain = stack.stores[0]
      plain.evolution.defersLightweightMigration = false
      for _ in 0..<100 {
        let next = try stage.open(after().make(), on: [plain])
        try expectAfter(next.context)
        let isLeft = next.hasDeferredMigration
        try next.coordinator.finishDeferredLightweightMigrationTask()
        try expectAfter(next.makeContext())
        next.close()
        guard isLeft else { return }
      }
      try expect(false, "the steps come to an end")
    },
    deferredCase(
      "deferred-saves", "saves and fetches go on while it is done (M31, M32)"
    ) { stage in
      let stack = try opened(stage)
      let coordinator = stack.coordinator
      let failures = Mutex<[any Error]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { number in
        do {
          if number == 0 { return try coordinator.finishDeferredLightweightMigration() }
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          try context.performAndWait {
            for round in 0..<20 {
              let object = try context.make(
                "Thing", ["name": "x\(number)-\(round)", "note": "saved"])
              try context.save()
              try object.set("note", "changed")
              try context.save()
              try expectEqual(
                try context.names("Thing", "note == 'changed' AND name BEGINSWITH 'x\(number)-'")
                  .count,
                round + 1)
            }
          }
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
      if let failure = failures.withLock({ $0.first }) { throw failure }
      try stack.coordinator.finishDeferredLightweightMigration()
      try stack.reopen()
      try expect(!stack.hasDeferredMigration, "nothing is left")
      try expectEqual(try stack.context.names("Thing", "note == 'changed'").count, 40)
      try expectEqual(try stack.context.names("Thing", "note == 'saved'"), [])
    },
    deferredCase(
      "deferred-metadata", "metadata that were set before it was done do not bring it back (M31)"
    ) { stage in
      let stack = try opened(stage)
      let store = try require(stack.coordinator.persistentStores.first, "a store")
      var metadata = try stack.coordinator.metadata(for: store)
      metadata.userValues["by"] = .string("program")
      try stack.coordinator.setMetadata(metadata, for: store)
      try stack.coordinator.finishDeferredLightweightMigration()
      try stack.context.save()
      try stack.reopen()
      try expect(!stack.hasDeferredMigration, "nothing is left")
      let found = try require(stack.coordinator.persistentStores.first, "a store").metadata
      try expectEqual(found.userValues["by"], .string("program"), "what the program has set")
    },
    deferredCase(
      "deferred-third", "a third version comes while something is left for later (M31)"
    ) { stage in
      let stack = try opened(stage)
      stack.close()
      let third = things {
        $0.drop("size")
        $0.rename("note", to: "remark")
        addMore($0)
        $0.indexes = [
          FetchIndexDescription(
            name: "byNote",
            elements: [FetchIndexElementDescription(property: $0.attribute("remark"))])
        ]
      }
      let next = try stage.open(third.make(), on: stack.stores)
      func expectThird(_ context: ManagedObjectContext) throws {
        try EvolutionThings.expect(context, renamed: ["note": "remark"], except: ["size"])
        try expectEqual(
          try context.names("Thing", "remark == 'NULL'"),
          EvolutionThings.names { EvolutionThings.note($0) == "NULL" })
        try expectEqual(try context.names("Thing", "more == 3").count, EvolutionThings.count)
      }
      try expectThird(next.context)
      try next.coordinator.finishDeferredLightweightMigration()
      try expectThird(next.makeContext())
      try next.reopen()
      try expect(!next.hasDeferredMigration, "nothing is left")
      try expectThird(next.context)
    },
    deferredCase(
      "deferred-same-names",
      "an attribute and an entity under the names of removed ones have none of their values (M31)"
    ) { stage in
      let stack = try opened(stage)
      stack.close()
      let next = try stage.open(before().make(), on: [back(stack.stores[0])])
      func expectNone(_ context: ManagedObjectContext) throws {
        try EvolutionThings.expect(context, except: ["size"])
        try expectEqual(try context.names("Thing", "size != nil"), [])
        try expectEqual(try context.names("Other"), [])
        try expectEqual(try context.names("Thing", "others.@count > 0"), [])
      }
      try expectNone(next.context)
      let other = try next.context.make("Other", ["name": "new", "weight": Int64(1)])
      try next.context.named("Thing", "t001").add(other, to: "others")
      try next.context.named("Thing", "t001").set("size", Int64(5))
      try next.context.save()
      try next.coordinator.finishDeferredLightweightMigration()
      try next.reopen()
      try expectEqual(try next.context.names("Other"), ["new"])
      try expectEqual(try next.context.names("Thing", "size == 5"), ["t001"])
      try expectEqual(try next.context.names("Thing", "ANY others.name == 'new'"), ["t001"])
    },
  ]

  private static func back(_ store: PersistentStoreDescription) -> PersistentStoreDescription {
    var store = store
    store.evolution.allowsEarlierVersion = true
    return store
  }
}
