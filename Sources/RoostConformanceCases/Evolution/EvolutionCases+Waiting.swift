// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// A migration that has made the new store waits until all programs have closed the old one. Until then they may write.
extension EvolutionCases {
  /// Migrates a store in another thread, and calls `body` when only the replacement is left.
  private static func migrating(
    _ store: PersistentStoreDescription, to model: @escaping @Sendable () -> ManagedObjectModel,
    _ body: () throws -> Void
  ) throws -> Result<Void, any Error> {
    let (last, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let results = Notes<Result<Void, any Error>>()
    Thread.detachNewThread {
      results.add(
        Result {
          let coordinator = try PersistentStoreCoordinator(managedObjectModel: model())
          coordinator.migrations.observe { report in
            if report.step == report.stepCount { last.signal() }
          }
          let opened = try coordinator.addPersistentStore(with: store)
          try coordinator.remove(opened)
        })
      last.signal()
      end.signal()
    }
    last.wait()
    // Nothing reports the end of the last step.
    Thread.sleep(forTimeInterval: 0.3)
    defer { end.wait() }
    try body()
    end.wait()
    end.signal()
    return try require(results.all.first, "a result")
  }

  static let waiting: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "saved-while-waiting",
      "what an old program saves before the migrated store takes its place is not lost (M34, M50)",
      needs: [.reopening, .evolution, .secondHandle]
    ) { stage in
      let old = try stage.open(things().make())
      try EvolutionThings.fill(old.context)
      try old.context.save()
      var store = old.stores[0]
      store.migration = CustomMigration([
        EntityTransform("Thing", toEntity: "Thing", setting: ["more"]) { _, new, _ in
          try new.set("more", 1)
        }
      ])
      var count = EvolutionThings.count
      let result = try migrating(store, to: { things("Thing", addMore).make() }) {
        try old.context.make("Thing", ["name": "late"])
        // A store that does not wait refuses the save.
        if (try? old.context.save()) != nil { count += 1 }
        old.close()
      }
      if case .failure(let error) = result {
        // A store in memory is not open with two versions of a model at once.
        let codes: [PersistenceError.Code] = [.storeBusy, .migrationManagerSourceStore]
        let code = (error as? PersistenceError)?.code
        try expect(code.map(codes.contains) ?? false, "it is refused with storeBusy: \(error)")
        let again = try stage.open(things().make(), on: old.stores)
        try expectEqual(try again.context.all("Thing").count, count, "the old store")
        again.close()
      }
      let new = try stage.open(things("Thing", addMore).make(), on: [store])
      try expectEqual(try new.context.all("Thing").count, count, "the acknowledged records")
      try expectEqual(try new.context.names("Thing", "more == 1").count, count, "transformed")
    }
  ]
}
