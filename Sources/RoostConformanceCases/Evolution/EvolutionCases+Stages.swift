// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

// Staged migrations by several programs at once, and the progress reports of migrations of all kinds.
extension EvolutionCases {
  /// A thread-safe list of notes from handlers and observers.
  final class Notes<Note: Sendable>: Sendable {
    private let list = Mutex<[Note]>([])
    var all: [Note] { list.withLock { $0 } }
    func add(_ note: Note) { list.withLock { $0.append(note) } }
  }

  /// Version 1 has the things, version 2 adds an attribute, version 3 also renames the size and drops the ratio.
  private static func version(_ number: Int) -> ManagedObjectModel {
    things {
      if number > 1 { addMore($0) }
      if number > 2 {
        $0.rename("size", to: "extent")
        $0.drop("ratio")
      }
    }.make()
  }

  private static func reference(_ number: Int) -> ManagedObjectModelReference {
    let model = version(number)
    return ManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  /// A custom stage, whose second handler adds 1 to a number of each record, and an inferred one.
  private static func stages(_ calls: Notes<String>) -> StagedMigrationManager {
    let first = CustomMigrationStage(migratingFrom: reference(1), to: reference(2))
    first.willMigrateHandler = { _, _ in
      calls.add("will")
      Thread.sleep(forTimeInterval: 0.05)
    }
    first.didMigrateHandler = { manager, _ in
      calls.add("did")
      guard let context = manager.container?.newBackgroundContext() else { return }
      for thing in try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing")) {
        try thing.set("more", (try thing.number("more") ?? 0) + 1)
      }
      try context.save()
      Thread.sleep(forTimeInterval: 0.05)
    }
    return StagedMigrationManager([
      first, LightweightMigrationStage([2, 3].map { version($0).versionChecksum }),
    ])
  }

  private static func expectLast(_ context: ManagedObjectContext) throws {
    try EvolutionThings.expect(context, renamed: ["size": "extent"], except: ["ratio"])
    try expectEqual(
      try context.names("Thing", "more == 4").count, EvolutionThings.count, "the handler ran once")
  }

  private static func written(_ stage: ConformanceStage) throws -> PersistentStoreDescription {
    let stack = try stage.open(version(1))
    try EvolutionThings.fill(stack.context)
    try stack.context.save()
    stack.close()
    return stack.stores[0]
  }

  /// Opens a store with the last version, and collects the progress reports.
  static func follow(
    _ store: PersistentStoreDescription, _ model: ManagedObjectModel
  ) throws -> (reports: [MigrationProgress], done: [Double]) {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let progress = coordinator.migrations.progress
    let notes = Notes<(MigrationProgress, Double)>()
    coordinator.migrations.observe { notes.add(($0, progress.fractionCompleted)) }
    let opened = try coordinator.addPersistentStore(with: store)
    try coordinator.remove(opened)
    try expectEqual(progress.fractionCompleted, 1, "the fraction at the end")
    return (notes.all.map(\.0), notes.all.map(\.1))
  }

  /// Expects reports of steps in order, and fractions that never decrease.
  static func expectOrder(
    _ told: (reports: [MigrationProgress], done: [Double]), steps: Int
  ) throws {
    let (reports, done) = told
    try expect(done.allSatisfy { (0..<1).contains($0) }, "what is done is no whole yet: \(done)")
    try expect(zip(done, done.dropFirst()).allSatisfy { $0 <= $1 }, "what is done grows: \(done)")
    var last = 0
    for report in reports where report.step != last {
      try expectEqual(report.step, last + 1, "the next step")
      last = report.step
      try expect(report.step <= report.stepCount, "a step of all steps: \(report)")
    }
    try expect(last >= steps, "\(steps) steps or more, not \(last): \(reports.map(\.title))")
    try expect(
      reports.allSatisfy { ($0.secondsLeft ?? 0) >= 0 && $0.completed <= $0.total },
      "what is left: \(reports)")
    let open = reports.filter { $0.completed > 0 && $0.completed < $0.total }
    try expect(open.allSatisfy { $0.secondsLeft != nil }, "the time that is left: \(open)")
  }

  static let stages: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "at-once-staged",
      "of three that lead an old store through stages at once one calls the handlers (M28, M33)",
      needs: [.reopening, .evolution, .secondHandle, .equalModels]
    ) { stage in
      for _ in 0..<3 {
        let store = try written(stage)
        let calls = Notes<String>()
        let failures = Notes<any Error>()
        let opened = Notes<PersistentStoreCoordinator>()
        DispatchQueue.concurrentPerform(iterations: 3) { _ in
          do {
            var description = store
            description.migration = stages(calls)
            let coordinator = try PersistentStoreCoordinator(managedObjectModel: version(3))
            try coordinator.addPersistentStore(with: description)
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait { try expectLast(context) }
            opened.add(coordinator)
          } catch {
            failures.add(error)
          }
        }
        for coordinator in opened.all {
          for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        if let failure = failures.all.first { throw failure }
        try expectEqual(calls.all, ["will", "did"], "the calls of all")
      }
    },
    ConformanceCase(
      .evolution, "progress-stages",
      "each handler and each change of the version is a part of the progress of stages (M25, M28)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let calls = Notes<String>()
      store.migration = stages(calls)
      let told = try follow(store, version(3))
      try expectOrder(told, steps: 4)
      func first(_ title: String) throws -> Double {
        told.done[try require(told.reports.firstIndex { $0.title.hasPrefix(title) }, title)]
      }
      try expectEqual(try first("before"), 0, "at the first handler")
      try expect(abs(try first("after") - 0.5) < 0.01, "half is done after the first change")
      let handlers = told.reports.filter {
        $0.title.hasPrefix("before") || $0.title.hasPrefix("after")
      }
      try expect(
        handlers.count < told.reports.count, "the steps of the changes are told: \(told.reports)")
    },
    ConformanceCase(
      .evolution, "cancelled-stages",
      "stages that are cancelled leave the version that was reached, and go on later (M25, M28)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let calls = Notes<String>()
      store.migration = stages(calls)
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: version(3))
      let progress = coordinator.migrations.progress
      // The last change is running then, and only its own reports arrive.
      coordinator.migrations.observe { _ in
        if progress.fractionCompleted > 0.7 { progress.cancel() }
      }
      try expectError(.migrationCancelled) { try coordinator.addPersistentStore(with: store) }
      let second = try stage.open(version(2), on: [store])
      try EvolutionThings.expect(second.context)
      second.close()
      try expectLast(try stage.open(version(3), on: [store]).context)
      try expectEqual(calls.all, ["will", "did"], "the calls")
    },
    ConformanceCase(
      .evolution, "progress-transform",
      "a migration by code has three steps from the start (M18, M25)",
      needs: [.reopening, .evolution]
    ) { stage in
      var store = try written(stage)
      let stack = try stage.open(version(1), on: [store])
      // More records than one batch holds.
      for index in 0..<600 { try stack.context.make("Thing", ["name": "u\(index)"]) }
      try stack.context.save()
      stack.close()
      store.migration = CustomMigration([
        EntityTransform("Thing", toEntity: "Thing", setting: ["more"]) { _, new, _ in
          try new.set("more", 1)
        }
      ])
      let told = try follow(store, version(2))
      try expectOrder(told, steps: 3)
      try expect(
        told.reports.contains { $0.secondsLeft ?? 0 > 0 }, "the time that is left is told")
      try expect(told.reports.allSatisfy { $0.stepCount == 3 }, "three: \(told.reports)")
      for (report, done) in zip(told.reports, told.done) {
        let inStep = report.total > 0 ? Double(report.completed) / Double(report.total) : 0
        let wanted = (Double(report.step - 1) + inStep) / 3
        // Observers are called after the progress was updated.
        try expect(abs(done - wanted) < 0.01, "\(done) is done, not \(wanted): \(report)")
      }
    },
    ConformanceCase(
      .evolution, "cancelled-last",
      "a migration that is cancelled while its last step is done leaves the store as it was (M25, M51)",
      needs: [.reopening, .evolution]
    ) { stage in
      let store = try written(stage)
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: version(2))
      let progress = coordinator.migrations.progress
      coordinator.migrations.observe { report in
        if report.step == report.stepCount { progress.cancel() }
      }
      try expectError(.migrationCancelled) { try coordinator.addPersistentStore(with: store) }
      let old = try stage.open(version(1), on: [store])
      try EvolutionThings.expect(old.context)
    },
    ConformanceCase(
      .evolution, "cancelled-middle",
      "a migration that is cancelled between two batches of a step leaves the store as it was (M25, M51)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(version(1))
      try EvolutionThings.fill(stack.context)
      // More records than one batch holds.
      for index in 0..<3_000 { try stack.context.make("Thing", ["name": "u\(index)"]) }
      try stack.context.save()
      stack.close()
      let withoutNote = 3_000 + EvolutionThings.names { EvolutionThings.note($0) == nil }.count
      let filled = things {
        $0.attribute("note").isOptional = false
        $0.attribute("note").defaultValue = "none"
      }.make()
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: filled)
      let progress = coordinator.migrations.progress
      let open = Notes<MigrationProgress>()
      coordinator.migrations.observe { report in
        guard report.completed > 0, report.completed < report.total else { return }
        open.add(report)
        progress.cancel()
      }
      try expectError(.migrationCancelled) {
        try coordinator.addPersistentStore(with: stack.stores[0])
      }
      try expectEqual(open.all.count, 1, "the batches that were told: \(open.all)")
      let old = try stage.open(version(1), on: stack.stores)
      try expectEqual(
        try old.context.names("Thing", "note == nil").count, withoutNote, "the things without it")
      old.close()
      let new = try stage.open(filled, on: stack.stores)
      try expectEqual(try new.context.names("Thing", "note == nil"), [])
      try expectEqual(
        try new.context.names("Thing", "note == 'none'").count, withoutNote, "the filled ones")
    },
    ConformanceCase(
      .evolution, "other-text",
      "the model that the program names is taken where the text in the store is of another one (M7)",
      needs: [.reopening, .evolution]
    ) { stage in
      func marked() -> ManagedObjectModel {
        things { $0.versionHashModifier = "2" }.make()
      }
      var store = try written(stage)
      // As after a program that has changed the metadata by hand.
      let driver = store.type.driver
      var metadata = try require(try driver.metadata(of: store), "the metadata")
      metadata.entityVersionHashes = marked().entityVersionHashesByName
      metadata.versionChecksum = marked().versionChecksum
      try driver.setMetadata(metadata, of: store)
      let error = try expectError(.migrationMissingSourceModel) {
        _ = try stage.open(version(2), on: [store])
      }
      try expect(error.message.contains("earlierModels"), "it says where: \(error.message)")
      store.migration = CustomMigration([], from: [marked()])
      try EvolutionThings.expect(try stage.open(version(2), on: [store]).context)
    },
  ]
}
