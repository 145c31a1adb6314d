// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Changes that cannot be followed, or only where records allow it: the store is as it was.
extension EvolutionCases {
  static let refusals: [ConformanceCase] = [
    .refusedEvolution(
      "demanded-without-default", "a new attribute that must have a value needs a default (M9)",
      .inferredMappingModel, naming: ["more"],
      pair(to: {
        $0.declaredProperties.append(AttributeDescription.string("more", optional: false))
      })),
    .refusedEvolution(
      "type", "another type of an attribute is not inferred (M10, B257)", .inferredMappingModel,
      naming: ["size"], pair(to: { $0.attribute("size").type = .string })),
    .refusedEvolution(
      "narrower", "a narrower type is not inferred (M10)", .inferredMappingModel, naming: ["size"],
      pair(to: { $0.attribute("size").type = .integer16 })),
    .refusedEvolution(
      "claimed-twice", "two attributes that claim the same old one are refused (M8)",
      .inferredMappingModel, naming: ["a", "b"],
      pair(to: {
        $0.rename("note", to: "a")
        let second = AttributeDescription.string("b")
        second.renamingIdentifier = "note"
        $0.declaredProperties.append(second)
      })),
    .refusedEvolution(
      "to-one", "a relationship to many that is now to one is not inferred (M11)",
      .inferredMappingModel, naming: ["others"],
      EvolutionPair(
        old: {
          $0 = things()
          $0.relate(.init("Thing", "others", .many), to: "Thing")
        },
        new: {
          $0 = things()
          $0.relate(.init("Thing", "others", .one), to: "Thing")
        }, fill: { try EvolutionThings.fill($0) })),
    .refusedEvolution(
      "abstract-with-records", "an entity with records does not become abstract (M12)", .migration,
      naming: ["Thing"],
      EvolutionPair(
        old: {
          $0 = things()
          $0.add("Part", [.string("more")], parent: "Thing")
        },
        new: {
          $0.add("Thing", EvolutionThings.attributes(), isAbstract: true)
          $0.add("Part", [.string("more")], parent: "Thing")
        }, fill: { try EvolutionThings.fill($0) })),
    .refusedEvolution(
      "united", "two hierarchies are not united without a common superentity (M12, B256)",
      .inferredMappingModel, naming: [],
      EvolutionPair(
        old: {
          $0.add("A", [.string("name")])
          $0.add("B", [.string("name")])
        },
        new: {
          $0.add("Base", [.string("name")], isAbstract: true)
          $0.add("A", [], parent: "Base")
          $0.add("B", [], parent: "Base")
        },
        fill: { context in
          try context.make("A", ["name": "a"])
          try context.make("B", ["name": "b"])
        })),
    .refusedEvolution(
      "loss", "a loss is refused where the policy forbids it (M17)", .migration, naming: ["note"],
      pair(to: { $0.drop("note") }).with { $0.evolution = .automatic.allowLoss(false) }),
    .refusedEvolution(
      "not-inferred", "without inference a mapping model must be there (M2)",
      .migrationMissingMappingModel, naming: [],
      pair(to: { $0.declaredProperties.append(AttributeDescription.string("more")) }).with {
        $0.shouldInferMappingModelAutomatically = false
      }),
    .refusedEvolution(
      "not-migrated", "a store is not migrated where that is switched off (M2, B253)",
      .persistentStoreIncompatibleVersionHash, naming: ["Thing"],
      pair(to: { $0.declaredProperties.append(AttributeDescription.string("more")) }).with {
        $0.shouldMigrateStoreAutomatically = false
      }),
    .refusedEvolution(
      "policy", "a policy can refuse every other version (M2)",
      .persistentStoreIncompatibleVersionHash, naming: ["Thing"],
      pair(to: { $0.declaredProperties.append(AttributeDescription.string("more")) }).with {
        $0.evolution = .refuse
      }),
    .refusedEvolution(
      "read-only", "a store that is only read is not migrated (M54)",
      .persistentStoreIncompatibleVersionHash, naming: ["reading only"],
      pair(to: { $0.declaredProperties.append(AttributeDescription.string("more")) }).with {
        $0.isReadOnly = true
      }),
  ]

  static let types: [ConformanceCase] = [
    .evolution(
      "wider", "an integer becomes wider where the policy allows it (M10)",
      lossless(from: { $0.attribute("size").type = .integer32 }, to: { _ in })
    ),
    .evolution(
      "integer-to-double", "a small integer becomes a double where the policy allows it (M10)",
      lossless(
        from: { $0.attribute("size").type = .integer32 },
        to: { $0.attribute("size").type = .double },
        expect: { context in
          for (index, thing) in try context.all("Thing").enumerated() {
            try expectEqual(
              ExactValue(try thing.get("size")),
              ExactValue(small(index).map { .double(Double($0)) } ?? .null))
          }
        })),
    .evolution(
      "uri-to-string", "a URI becomes a text where the policy allows it (M10)",
      lossless(
        from: { _ in }, to: { $0.attribute("link").type = .string },
        expect: { context in
          for (index, thing) in try context.all("Thing").enumerated() {
            let wanted = EvolutionThings.values(index)["link"] as? URL
            try expectEqual(try thing.text("link"), wanted?.absoluteString)
          }
        })),
    .evolution(
      "converted-demanded", "what becomes another type and must be there has its default (M9, M10)",
      lossless(
        from: { $0.attribute("size").type = .integer32 }, to: { demandOthers($0) },
        expect: { try expectDemanded($0) })),
    .evolution(
      "converted-moved",
      "records that become another type in another table have what must be there (M9, M10, M12)",
      converted()),
    .refusedEvolution(
      "string-to-uri", "a text that is no URI stays a text, and the error has its object (M10)",
      .migration, naming: ["note"],
      lossless(from: { _ in }, to: { $0.attribute("note").type = .uri })),
  ]

  /// Demands values of other types, with defaults.
  private static func demandOthers(_ thing: EntityDescription) {
    let changes: [(String, AttributeType, Value)] = [
      ("size", .double, .double(9)), ("link", .string, .string("none")),
    ]
    for (name, type, value) in changes {
      thing.attribute(name).type = type
      thing.attribute(name).isOptional = false
      thing.attribute(name).defaultConstant = value
    }
  }

  private static func expectDemanded(_ context: ManagedObjectContext) throws {
    for (index, thing) in try context.all("Thing").enumerated() {
      try expectEqual(
        ExactValue(try thing.get("size")),
        ExactValue(.double(small(index).map(Double.init) ?? 9)))
      let link = EvolutionThings.values(index)["link"] as? URL
      try expectEqual(try thing.text("link"), link?.absoluteString ?? "none")
    }
  }

  /// The same where the records move to the table of another entity, which becomes their superentity.
  private static func converted() -> EvolutionPair {
    var pair = lossless(from: { _ in }, to: { _ in }, expect: { try expectDemanded($0) })
    pair = EvolutionPair(
      old: {
        $0 = things("Thing") { $0.attribute("size").type = .integer32 }
        $0.add("Base", [.string("remark")])
      },
      new: {
        $0.add("Base", [.string("remark")])
        demandOthers($0.add("Thing", EvolutionThings.attributes(), parent: "Base"))
      }, fill: pair.fill, expectation: pair.expectation, policy: pair.policy)
    return pair
  }

  private static func small(_ index: Int) -> Int64? {
    EvolutionThings.size(index).map { Int64(Int32(truncatingIfNeeded: $0)) }
  }

  /// A change of type that the policy allows.
  static func lossless(
    from: @escaping @Sendable (EntityDescription) -> Void,
    to: @escaping @Sendable (EntityDescription) -> Void,
    expect: @escaping EvolutionPair.Step = { _ in }
  ) -> EvolutionPair {
    var pair = pair(
      to: to, from: from,
      fill: { context in
        for index in 0..<EvolutionThings.count {
          let thing = try context.insert("Thing")
          var values = EvolutionThings.values(index)
          values["size"] = small(index)
          for (key, value) in values { try thing.set(key, value) }
        }
      }, expect: expect)
    pair.policy = { $0.evolution = .automatic.allowLosslessTypeChanges(true) }
    return pair
  }

  // MARK: Uniqueness

  static let uniqueness: [ConformanceCase] = [
    .evolution(
      "add-unique", "a new constraint holds where no records violate it (M13)",
      pair(
        to: { $0.uniquenessConstraints = [["name"]] },
        expect: { context in
          try EvolutionThings.expect(context)
          let second = try context.make("Thing", ["name": "t003"])
          try expectError(.managedObjectConstraintMerge) { try context.save() }
          context.delete(second)
          try context.save()
        }), needs: [.reopening, .evolution, .uniqueness]),
    .evolution(
      "remove-unique", "a removed constraint holds no longer (M13)",
      pair(
        to: { _ in }, from: { $0.uniquenessConstraints = [["name"]] },
        expect: { context in
          try EvolutionThings.expect(context)
          let second = try context.make("Thing", ["name": "t003"])
          try context.save()
          context.delete(second)
          try context.save()
        }, exceedsOld: true), needs: [.reopening, .evolution, .uniqueness]),
    ConformanceCase(
      .evolution, "duplicates", "a constraint that records violate is refused with their IDs (M13)",
      needs: [.reopening, .evolution, .uniqueness]
    ) { stage in
      let pair = pair(
        to: {
          $0.uniquenessConstraints = [["size"]]
          $0.versionHashModifier = "2"
        },
        fill: { context in
          for index in 0..<7 {
            try context.make("Thing", ["name": "n\(index)", "size": index % 5])
          }
        })
      let error = try pair.expectRefusal(.migrationConstraintViolation, stage)
      try expectEqual(error.objectIDs.count, 4, "the duplicates")
      try expect(error.key == "size" || error.message.contains("size"), "it names it: \(error)")
    },
  ]
}
