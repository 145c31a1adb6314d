// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Programs that write to the metadata of a store while another one migrates it.
extension EvolutionCases {
  private struct HandlerFailure: Error {}

  /// Adds a user value to the metadata of a store, like a program that has had it open for a while.
  private static func note(_ name: String, in stack: ConformanceStack) throws {
    let store = try require(stack.coordinator.persistentStores.first, "a store")
    var metadata = try stack.coordinator.metadata(for: store)
    metadata.userValues[name] = .string("program")
    try stack.coordinator.setMetadata(metadata, for: store)
    try stack.context.save()
  }

  private static func stored(_ store: PersistentStoreDescription) throws -> StoreMetadata {
    try require(try store.type.driver.metadata(of: store), "the metadata")
  }

  private static let first = things().make()
  private static let second = things("Thing", addMore).make()

  /// A single stage with `handler` as its first handler.
  private static func stage(
    _ handler: @escaping (StagedMigrationManager) throws -> Void
  ) -> StagedMigrationManager {
    let stage = CustomMigrationStage(
      migratingFrom: ManagedObjectModelReference(
        model: first, versionChecksum: first.versionChecksum),
      to: ManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
    stage.willMigrateHandler = { manager, _ in try handler(manager) }
    return StagedMigrationManager([stage])
  }

  static let programs: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "values-of-two",
      "what two programs write to the metadata stays, also of one that knew nothing of the other (B244, M34)",
      needs: [.secondHandle]
    ) { stage in
      let one = try stage.open(first)
      let other = try stage.open(one.model, on: one.stores)
      try note("one", in: one)
      try note("other", in: other)
      try note("again", in: one)
      let values = try stored(one.stores[0]).userValues
      try expectEqual(values.keys.sorted(), ["again", "one", "other"], "the values")
      // A program that has read a value can remove it.
      let store = try require(one.coordinator.persistentStores.first, "a store")
      var metadata = try one.coordinator.metadata(for: store)
      metadata.userValues["one"] = nil
      try one.coordinator.setMetadata(metadata, for: store)
      try one.context.save()
      let left = try stored(one.stores[0]).userValues
      try expectEqual(left.keys.sorted(), ["again", "other"], "the values that are left")
    },
    ConformanceCase(
      .evolution, "values-while-opening",
      "what a program writes to the metadata stays though another one opens the store meanwhile (B244, M34)",
      needs: [.secondHandle]
    ) { stage in
      let one = try stage.open(first)
      // The second opening has metadata of its own to write: the identifier of its model.
      let openings: [(name: String, identifiers: Set<String>)] = [("same", []), ("other", ["2"])]
      for (name, identifiers) in openings {
        let model = things().make()
        model.versionIdentifiers = identifiers
        let store = one.stores[0].overtaken { try note(name, in: one) }
        let two = try stage.open(model, on: [store])
        let known = try two.coordinator.metadata(for: two.coordinator.persistentStores[0])
        try expectEqual(known.versionIdentifiers.sorted(), identifiers.sorted(), "the identifiers")
        try note("two \(name)", in: two)
        two.close()
      }
      let values = try stored(one.stores[0]).userValues
      try expectEqual(values.keys.sorted(), ["other", "same", "two other", "two same"])
    },
    ConformanceCase(
      .evolution, "identifiers-of-two",
      "a program that writes metadata leaves the identifiers that another one has given meanwhile (B244, M34)",
      needs: [.secondHandle]
    ) { stage in
      let one = try stage.open(first)
      let named = things().make()
      named.versionIdentifiers = ["2"]
      let other = try stage.open(named, on: one.stores)
      // It knows of no identifier.
      try note("one", in: one)
      try expectEqual(try stored(one.stores[0]).versionIdentifiers, ["2"], "after the first")
      try note("other", in: other)
      try expectEqual(try stored(one.stores[0]).versionIdentifiers, ["2"], "after the second")
      let values = try stored(one.stores[0]).userValues
      try expectEqual(values.keys.sorted(), ["one", "other"], "the values")
    },
    ConformanceCase(
      .evolution, "old-program-staged",
      "stages know that a handler has begun, and values stay, though an old program writes meanwhile (M28, M34)",
      needs: [.reopening, .evolution, .secondHandle]
    ) { stage in
      let old = try stage.open(first)
      try EvolutionThings.fill(old.context)
      try note("before", in: old)
      var store = old.stores[0]
      store.migration = EvolutionCases.stage { _ in
        try note("meanwhile", in: old)
        throw HandlerFailure()
      }
      do {
        _ = try stage.open(second, on: [store])
        try expect(false, "the error of the handler is thrown")
      } catch is HandlerFailure {
        // The store is of the first version, and the handler has begun.
      }
      let repeated = Notes<Bool>()
      store.migration = EvolutionCases.stage { repeated.add($0.isRepeated) }
      let new = try stage.open(second, on: [store])
      try expectEqual(repeated.all, [true], "whether the handler may have run before")
      try EvolutionThings.expect(new.context)
      let values = try stored(store).userValues
      try expectEqual(values.keys.sorted(), ["before", "meanwhile"], "the values")
      try expectError(.persistentStoreIncompatibleVersionHash) { try note("late", in: old) }
      old.close()
      try expectEqual(try stored(store).userValues, values, "the values after the refusal")
    },
    ConformanceCase(
      .evolution, "stale-metadata",
      "metadata that were read before a migration are not written over those of the new version (M34)",
      needs: [.reopening, .evolution]
    ) { stage in
      let old = try stage.open(first)
      try EvolutionThings.fill(old.context)
      try old.context.save()
      old.close()
      let (stores, model) = (old.stores, second)
      var stale = try stored(stores[0])
      stale.userValues["label"] = .string("x")
      try stage.open(model, on: stores).close()
      let error = try expectError(.invalidValue) {
        try stores[0].type.driver.setMetadata(stale, of: stores[0])
      }
      try expect(error.message.contains("version"), "it says why: \(error.message)")
      let new = try stage.open(model, on: stores)
      try EvolutionThings.expect(new.context)
      try expectEqual(try new.context.names("Thing", "more == 3").count, EvolutionThings.count)
    },
    ConformanceCase(
      .evolution, "throttle",
      "a throttle is refused where it concerns nothing, or is no share of the time (M40)",
      needs: [.reopening, .evolution]
    ) { stage in
      let old = try stage.open(first)
      try EvolutionThings.fill(old.context)
      try old.context.save()
      old.close()
      func refuse(_ policy: EvolutionPolicy) throws {
        var store = old.stores[0]
        store.evolution = policy
        try expectError(.invalidValue, "\(policy.throttle ?? 0)") {
          _ = try stage.open(second, on: [store])
        }
      }
      for share in [0, -0.5, 1.5, .nan, .infinity] { try refuse(.expand.throttle(share)) }
      try refuse(.automatic.throttle(0.5))
      try EvolutionThings.expect(try stage.open(second, on: old.stores).context)
    },
  ]
}
