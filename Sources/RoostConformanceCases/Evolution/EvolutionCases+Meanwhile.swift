// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Another program goes on with what a migration has left while a third version comes.
extension EvolutionCases {
  private static let indexed = [
    "name", "note", "size", "ratio", "when", "flag", "code", "price", "link",
  ]

  /// The version with an index for each of many attributes.
  private static func withIndexes(
    _ edit: @Sendable (EntityDescription) -> Void = { _ in }
  ) -> ModelSketch {
    things("Thing") { thing in
      thing.versionHashModifier = "2"
      thing.indexes = indexed.map { name in
        FetchIndexDescription(
          name: "by\(name)",
          elements: [FetchIndexElementDescription(property: thing.attribute(name))])
      }
      edit(thing)
    }
  }

  static let meanwhile: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "third-meanwhile",
      "a third version comes though another program does what is left at the same time (M31, M33)",
      needs: [.reopening, .evolution, .secondHandle]
    ) { stage in
      let first = try stage.open(things().make())
      try EvolutionThings.fill(first.context)
      try first.context.save()
      first.close()
      var store = first.stores[0]
      store.evolution.defersLightweightMigration = true
      let second = try stage.open(withIndexes().make(), on: [store])
      // Portions of what is left, as many as an opening has attempts.
      var portions = 0
      let overtaken = store.overtakenMigrating {
        guard second.hasDeferredMigration else { return }
        portions += 1
        try second.coordinator.finishDeferredLightweightMigrationTask()
      }
      func expectThird(_ context: ManagedObjectContext) throws {
        try EvolutionThings.expect(context, renamed: ["note": "remark"])
        for note in ["NULL", ""] {
          try expectEqual(
            try context.names("Thing", "remark == %@", note),
            EvolutionThings.names { EvolutionThings.note($0) == note }, "what an index finds")
        }
        try expectEqual(
          try context.names("Thing", "size == 7"),
          EvolutionThings.names { EvolutionThings.size($0) == 7 })
      }
      let left = second.hasDeferredMigration
      let third = try stage.open(
        withIndexes { $0.rename("note", to: "remark") }.make(), on: [overtaken])
      try expectEqual(portions, left ? 1 : 0, "the migration was not planned anew")
      try expectThird(third.context)
      second.close()
      try third.coordinator.finishDeferredLightweightMigration()
      try expectThird(third.makeContext())
      third.close()
      let again = try stage.open(
        withIndexes { $0.rename("note", to: "remark") }.make(), on: [store])
      try expect(!again.hasDeferredMigration, "nothing is left")
      try expectThird(again.context)
    }
  ]
}
