// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// The time of a migration, and its progress reports.
extension EvolutionCases {
  /// A store with records of the first version, and the second version.
  private static func written(
    _ stage: ConformanceStage
  ) throws -> (stores: [PersistentStoreDescription], model: ManagedObjectModel) {
    let stack = try stage.open(things().make())
    try EvolutionThings.fill(stack.context)
    try stack.context.save()
    stack.close()
    return (stack.stores, things("Thing", addMore).make())
  }

  static let addMore: @Sendable (EntityDescription) -> Void = {
    $0.declaredProperties.append(AttributeDescription.of("more", .integer64, default: .integer(3)))
  }

  static let openings: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "plan", "a plan says what would be done, and does nothing (M2, B255)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (stores, model) = try written(stage)
      let plan = try require(try MigrationPlan(for: stores[0], model: model), "a plan")
      try expect(!plan.steps.isEmpty, "it has steps")
      try expect(plan.changes.contains { $0.contains("more") }, "it names the change: \(plan)")
      try expect(!plan.isLossy, "nothing is lost")
      let old = try stage.open(things().make(), on: stores)
      try EvolutionThings.expect(old.context)
      old.close()
      try expect(
        try MigrationPlan(for: stores[0], model: things().make()) == nil, "no plan for the same")
    },
    ConformanceCase(
      .evolution, "plan-losses", "a plan counts the values that go (M17)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (stores, _) = try written(stage)
      let model = things("Thing") { $0.drop("size") }.make()
      let plan = try require(try MigrationPlan(for: stores[0], model: model), "a plan")
      try expect(plan.isLossy, "values are lost")
      try expectEqual(
        plan.losses.map(\.count), [EvolutionThings.names { EvolutionThings.size($0) != nil }.count],
        "how many: \(plan)")
    },
    ConformanceCase(
      .evolution, "versions",
      "a store goes through version after version, and all at once (B254, M8)",
      needs: [.reopening, .evolution]
    ) { stage in
      let versions: [@Sendable () -> ModelSketch] = [
        { things() }, { things("Thing", addMore) },
        {
          things {
            addMore($0)
            $0.rename("note", to: "remark")
            $0.drop("bytes")
          }
        },
        {
          var sketch = things("Object") {
            addMore($0)
            $0.rename("note", to: "comment")
            $0.drop("bytes")
          }
          sketch["Object"].renamingIdentifier = "Thing"
          sketch.add("Tag", [.string("name")])
          sketch.relate(.init("Object", "tags", .many), .init("Tag", "objects", .many))
          return sketch
        },
      ]
      func expectLast(_ context: ManagedObjectContext) throws {
        try EvolutionThings.expect(
          context, entity: "Object", renamed: ["note": "comment"], except: ["bytes"])
        try expectEqual(
          try context.names("Object", "more == 3").count, EvolutionThings.count)
      }
      let (stepwise, _) = try written(stage)
      for version in versions.dropFirst() {
        let stack = try stage.open(version().make(), on: stepwise)
        try expectEqual(
          try stack.context.count(
            for: FetchRequest<ManagedObject>(
              entityName: version().make().entitiesByName["Thing"] == nil ? "Object" : "Thing")),
          EvolutionThings.count)
        if stack.model.entitiesByName["Object"] != nil { try expectLast(stack.context) }
        stack.close()
      }
      let (leap, _) = try written(stage)
      try expectLast(try stage.open(versions[3]().make(), on: leap).context)
    },
    ConformanceCase(
      .evolution, "newer",
      "a store is not brought back to a version that it had before (M35, M36, B263)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (stores, model) = try written(stage)
      try stage.open(model, on: stores).close()
      let error = try expectError(.persistentStoreIncompatibleVersionHash) {
        _ = try stage.open(things().make(), on: stores)
      }
      try expect(error.message.contains("newer"), "it says so: \(error.message)")
      var description = stores[0]
      description.evolution = .automatic.allowEarlierVersion(true)
      let back = try stage.open(things().make(), on: [description])
      try EvolutionThings.expect(back.context)
      back.close()
      try stage.open(model, on: stores).close()
    },
    ConformanceCase(
      .evolution, "cancelled",
      "a migration that is cancelled leaves the store as it was (M25, M51)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (stores, model) = try written(stage)
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
      coordinator.migrations.observe { _ in throw CancellationError() }
      try expectError(.migrationCancelled) { try coordinator.addPersistentStore(with: stores[0]) }
      let old = try stage.open(things().make(), on: stores)
      try EvolutionThings.expect(old.context)
      old.close()
      let stack = try stage.open(model, on: stores)
      try EvolutionThings.expect(stack.context)
    },
    ConformanceCase(
      .evolution, "progress", "progress is told in order, and ends at the end (M25)",
      needs: [.reopening, .evolution]
    ) { stage in
      let (stores, _) = try written(stage)
      let model = things {
        $0.attribute("note").isOptional = false
        $0.attribute("note").defaultConstant = .string("x")
        addMore($0)
      }.make()
      let told = try follow(stores[0], model)
      try expectOrder(told, steps: 2)
      for (report, done) in zip(told.reports, told.done) {
        let inStep = report.total > 0 ? Double(report.completed) / Double(report.total) : 0
        let wanted = (Double(report.step - 1) + inStep) / Double(report.stepCount)
        try expect(abs(done - wanted) < 0.01, "\(done) is done, not \(wanted): \(report)")
      }
    },
    ConformanceCase(
      .evolution, "configuration", "a store is judged by its configuration's entities only (M3)",
      needs: [.reopening, .evolution]
    ) { stage in
      func model(_ edit: (EntityDescription) -> Void = { _ in }) throws -> ManagedObjectModel {
        var sketch = things()
        edit(sketch.add("Other", [.string("name")]))
        let model = sketch.make()
        try model.setEntities([sketch["Thing"]], forConfigurationName: "Things")
        try model.setEntities([sketch["Other"]], forConfigurationName: "Others")
        return model
      }
      var first = try stage.makeStore()
      first.configuration = "Things"
      var second = try stage.makeStore()
      second.configuration = "Others"
      let stack = try stage.open(try model(), on: [first, second])
      try EvolutionThings.fill(stack.context)
      try stack.context.make("Other", ["name": "o"])
      try stack.context.save()
      stack.close()
      let changed = try model { $0.declaredProperties.append(AttributeDescription.integer("more")) }
      try expect(try MigrationPlan(for: first, model: changed) == nil, "the first one fits")
      let later = try stage.open(changed, on: [first, second])
      try EvolutionThings.expect(later.context)
      try expectEqual(try later.context.names("Other", "more == nil"), ["o"])
    },
  ]

  static let policies: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "unclaimed", "a store that does not follow its model says so (M2, B246)",
      needs: [.reopening]
    ) { stage in
      let (stores, model) = try written(stage)
      do {
        let stack = try stage.open(model, on: stores)
        try expect(
          stack.coordinator.persistentStores.first?.evolution != nil, "a store that follows says so"
        )
        try EvolutionThings.expect(stack.context)
      } catch let error as PersistenceError {
        try expectEqual(error.code, .persistentStoreIncompatibleVersionHash, "the refusal")
        try EvolutionThings.expect(try stage.open(things().make(), on: stores).context)
      }
    },
    ConformanceCase(
      .evolution, "stale", "a coordinator with the old version refuses after a migration (M34)",
      needs: [.reopening, .evolution, .secondHandle]
    ) { stage in
      let old = try stage.open(things().make())
      try EvolutionThings.fill(old.context)
      try old.context.save()
      let first = try old.context.named("Thing", "t000")
      let model = things {
        $0.rename("note", to: "remark")
        $0.drop("size")
        addMore($0)
      }.make()
      let new: ConformanceStack
      do {
        new = try stage.open(model, on: old.stores)
      } catch let error as PersistenceError where error.code == .storeBusy {
        // A store may also refuse a migration while others have it open: then no reader sees wrong rows.
        try EvolutionThings.expect(old.context)
        return
      }
      try first.set("note", "written late")
      try expectError(.persistentStoreIncompatibleVersionHash, "the save") {
        try old.context.save()
      }
      old.context.rollback()
      let fresh = old.makeContext()
      fresh.stalenessInterval = 0
      try expectError(.persistentStoreIncompatibleVersionHash, "the fetch") {
        _ = try fresh.all("Thing", "size == 7")
      }
      try EvolutionThings.expect(
        new.context, renamed: ["note": "remark"], except: ["size"])
      old.close()
    },
    ConformanceCase(
      .evolution, "at-once", "of two that open an old store at once one migrates it (M33)",
      needs: [.reopening, .evolution, .secondHandle, .equalModels]
    ) { stage in
      for _ in 0..<3 {
        let (stores, _) = try written(stage)
        let failures = Mutex<[any Error]>([])
        // All stay open until the last one is open: the results do not depend on the order of the threads.
        let opened = Mutex<[PersistentStoreCoordinator]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { _ in
          do {
            let coordinator = try PersistentStoreCoordinator(
              managedObjectModel: things("Thing", addMore).make())
            try coordinator.addPersistentStore(with: stores[0])
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait { try EvolutionThings.expect(context) }
            opened.withLock { $0.append(coordinator) }
          } catch {
            failures.withLock { $0.append(error) }
          }
        }
        for coordinator in opened.withLock({ $0 }) {
          for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
      }
    },
  ]
}
