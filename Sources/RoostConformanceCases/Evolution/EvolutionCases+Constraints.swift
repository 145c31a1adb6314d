// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

// Constraints that come, and that records violate.
extension EvolutionCases {
  static let constraints: [ConformanceCase] = [
    .evolution(
      "unique-two", "a new constraint over two attributes is over both together (M13)",
      pair(
        to: { $0.uniquenessConstraints = [["size", "name"]] },
        expect: { context in
          try EvolutionThings.expect(context)
          try expectViolation(context, ["name": EvolutionThings.name(7), "size": size(7)])
          let other = try context.make("Thing", ["name": "t007", "size": size(7) + 1])
          try context.save()
          context.delete(other)
          try context.save()
        }, exceedsOld: true), needs: [.reopening, .evolution, .uniqueness]),
    .evolution(
      "unique-renamed",
      "a constraint follows the attribute that it is on to another name (M8, M13)",
      pair(
        to: {
          $0.rename("name", to: "title")
          $0.uniquenessConstraints = [["title"]]
        }, from: { $0.uniquenessConstraints = [["name"]] },
        expect: { context in
          try EvolutionThings.expect(context, renamed: ["name": "title"])
          try expectViolation(context, ["title": EvolutionThings.name(250)])
        }), needs: [.reopening, .evolution, .uniqueness]),
    .evolution(
      "unique-inherited", "a new constraint holds between an entity and its subentities (M13)",
      EvolutionPair(
        old: { heirs(&$0) },
        new: {
          heirs(&$0)
          $0["Person"].uniquenessConstraints = [["name"]]
        },
        fill: { try fillHeirs($0, ["p1", "p2"], ["w1", "w2"]) },
        expectation: { context in
          try expectEqual(try context.names("Person"), ["p1", "p2", "w1", "w2"])
          try expectViolation(context, ["name": "w1"], entity: "Person")
          try expectViolation(context, ["name": "p2"], entity: "Worker")
        }), needs: [.reopening, .evolution, .uniqueness]),
    duplicates(
      "duplicates-inherited",
      "a constraint that a record and one of a subentity violate is refused (M13)",
      2,
      EvolutionPair(
        old: { heirs(&$0) },
        new: {
          heirs(&$0)
          $0["Person"].uniquenessConstraints = [["name"]]
        },
        fill: { try fillHeirs($0, ["p1", "same"], ["same", "w2"]) })),
    duplicates(
      "duplicates-of-two", "a constraint over two attributes is refused where both are equal (M13)",
      2,
      EvolutionPair(
        old: { $0.add("Person", [.string("name"), .integer("size")]) },
        new: {
          $0.add("Person", [.string("name"), .integer("size")], unique: [["name", "size"]])
        },
        fill: { context in
          for (name, size) in [("a", 1), ("a", 2), ("b", 1), ("a", 2)] {
            try context.make("Person", ["name": name, "size": Int64(size)])
          }
          // Records without one of the values claim nothing.
          for _ in 0..<2 { try context.make("Person", ["name": "a"]) }
        })),
    duplicates(
      "duplicates-by-default",
      "a constraint on an attribute that gets the same default everywhere is refused (M9, M13)",
      EvolutionThings.count,
      pair(to: {
        $0.declaredProperties.append(
          AttributeDescription.of("code2", .string, optional: false, default: .string("x")))
        $0.uniquenessConstraints = [["code2"]]
      })),
    duplicates(
      "duplicates-by-demand",
      "a constraint is refused where what was nil gets the same default (M9, M13)", 2,
      EvolutionPair(
        old: { $0.add("Person", [.string("name"), .string("code")]) },
        new: {
          $0.add(
            "Person",
            [.string("name"), .of("code", .string, optional: false, default: .string("none"))],
            unique: [["code"]])
        },
        fill: { context in
          try context.make("Person", ["name": "a", "code": "1"])
          for name in ["b", "c"] { try context.make("Person", ["name": name]) }
        })),
    duplicates(
      "duplicates-by-type",
      "a constraint is refused whose values become another type and are not unique (M10, M13)", 2,
      doubled()),
  ]

  private static func size(_ index: Int) -> Int64 { EvolutionThings.size(index) ?? 0 }

  /// Refuses a constraint with the IDs of all records that violate it, up to a hundred.
  private static func duplicates(
    _ name: String, _ title: String, _ count: Int, _ pair: EvolutionPair
  ) -> ConformanceCase {
    ConformanceCase(
      .evolution, name, title, needs: [.reopening, .evolution, .uniqueness]
    ) { stage in
      let error = try pair.expectRefusal(.migrationConstraintViolation, stage)
      try expectEqual(error.objectIDs.count, min(count, 100), "the duplicates: \(error)")
      try expect(error.message.contains("\(count)"), "it has their number: \(error)")
    }
  }

  private static func expectViolation(
    _ context: ManagedObjectContext, _ values: KeyValuePairs<String, Any?>,
    entity: String = "Thing"
  ) throws {
    let second = try context.make(entity, values)
    try expectError(.managedObjectConstraintMerge) { try context.save() }
    context.delete(second)
    try context.save()
  }

  private static func heirs(_ sketch: inout ModelSketch) {
    sketch.add("Person", [.string("name")])
    sketch.add("Worker", [.string("role")], parent: "Person")
  }

  private static func fillHeirs(
    _ context: ManagedObjectContext, _ people: [String], _ workers: [String]
  ) throws {
    for name in people { try context.make("Person", ["name": name]) }
    for name in workers { try context.make("Worker", ["name": name, "role": "r"]) }
  }

  /// The numbers of a constraint become doubles.
  private static func doubled() -> EvolutionPair {
    var pair = EvolutionPair(
      old: { $0.add("Person", [.string("name"), .of("size", .integer32)]) },
      new: { $0.add("Person", [.string("name"), .of("size", .double)], unique: [["size"]]) },
      fill: { context in
        for (name, size) in [("a", 1), ("b", 2), ("c", 1)] {
          try context.make("Person", ["name": name, "size": Int64(size)])
        }
      })
    pair.policy = { $0.evolution = .automatic.allowLosslessTypeChanges(true) }
    return pair
  }
}
