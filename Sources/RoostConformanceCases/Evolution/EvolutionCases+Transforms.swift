// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Migrations with a program's own code.
extension EvolutionCases {
  /// The size becomes a required text in the new version.
  private static let sizeAsText: @Sendable (EntityDescription) -> Void = { thing in
    thing.attribute("size").type = .string
    thing.attribute("size").isOptional = false
    thing.rename("note", to: "remark")
    thing.declaredProperties.append(AttributeDescription.string("half"))
  }

  private static let transform = EntityTransform(
    "Thing", toEntity: "Thing", setting: ["size"]
  ) { old, new, _ in
    let size: Int64? = try old["size"]
    try new.set("size", size.map { "\($0)" } ?? "none")
    let note: String = try old["note"] ?? ""
    try new.set("half", String(note.prefix(note.count / 2)))
  }

  private static let textPair = pair(
    to: sizeAsText,
    expect: { context in
      try EvolutionThings.expect(context, renamed: ["note": "remark"], except: ["size"])
      let request = FetchRequest<ManagedObject>(entityName: "Thing")
      request.sortDescriptors = [SortOrdering("name")]
      for (index, object) in try context.fetch(request).enumerated() {
        let size = EvolutionThings.size(index).map { "\($0)" } ?? "none"
        try expectEqual(try object.get("size"), .string(size), "the size of \(index)")
        let note = EvolutionThings.note(index) ?? ""
        let half = String(note.prefix(note.count / 2))
        try expectEqual(try object.get("half"), .string(half), "half the note of \(index)")
      }
    })

  /// Teams of many people; in the new version people are in one team.
  private static func teams(areMany: Bool) -> ModelSketch {
    var sketch = ModelSketch()
    sketch.add("Person", [.string("name")])
    sketch.add("Team", [.string("name")])
    sketch.relate(
      .init("Person", "team", areMany ? .many : .one), .init("Team", "people", .many))
    return sketch
  }

  private struct TransformFailure: Error {}

  static let transforms: [ConformanceCase] = [
    .evolution(
      "transform-type",
      "a transform gives an attribute of another type its values; the rest is inferred (B269, M21)",
      textPair.with { $0.migration = CustomMigration([transform]) }),
    .refusedEvolution(
      "transform-required",
      "a value that a transform leaves out and the new version demands is told, and nothing is done (M24)",
      .validationMultipleErrors,
      textPair.with {
        $0.migration = CustomMigration([
          EntityTransform("Thing", toEntity: "Thing", setting: ["size"]) { _, _, _ in }
        ])
      }),
    .refusedEvolution(
      "transform-unknown", "a transform of a property that is not there is told beforehand (M20)",
      .unknownKey, naming: ["weight"],
      textPair.with {
        $0.migration = CustomMigration([
          EntityTransform("Thing", toEntity: "Thing", setting: ["size", "weight"]) { _, _, _ in
            throw TransformFailure()
          }
        ])
      }),
    ConformanceCase(
      .evolution, "transform-throws",
      "what a transform throws comes out of the opening, and the store is as it was (B262)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(things().make())
      try EvolutionThings.fill(stack.context)
      try stack.context.save()
      stack.close()
      var description = stack.stores[0]
      description.migration = CustomMigration([
        EntityTransform("Thing", toEntity: "Thing", setting: ["size"]) { old, new, _ in
          if try old["name"] == "t007" { throw TransformFailure() }
          try new.set("size", "0")
        }
      ])
      var hasThrown = false
      do {
        _ = try stage.open(things("Thing", sizeAsText).make(), on: [description])
      } catch is TransformFailure {
        hasThrown = true
      }
      try expect(hasThrown, "the error of the transform comes out")
      let old = try stage.open(things().make(), on: stack.stores)
      try EvolutionThings.expect(old.context)
    },
    ConformanceCase(
      .evolution, "transform-links",
      "a transform drops and adds objects, and chooses one of many (M11, M21)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(teams(areMany: true).make())
      let names = ["red", "blue", "green"]
      let all = try names.map { name in
        let team = try stack.context.insert("Team")
        try team.set("name", name)
        return team
      }
      for (index, name) in ["Ada", "Bob", "Cy", "Dot"].enumerated() {
        let person = try stack.context.insert("Person")
        try person.set("name", name)
        try person.set("team", Set(all.prefix(index)))
      }
      try stack.context.save()
      stack.close()
      var description = stack.stores[0]
      description.migration = CustomMigration([
        EntityTransform("Person", toEntity: "Person", setting: ["team"]) { old, new, step in
          if try old["name"] == "Bob" { step.drop() }
          if try old["name"] == "Cy" {
            let twin = try step.insert(entityNamed: "Person")
            try twin.set("name", "Cy 2")
          }
        } connecting: { old, new, step in
          let teams = try old.records("team")
          let last = try teams.max { (try $0["name"] ?? "") < (try $1["name"] ?? "") }
          try new.setValue(last.flatMap { step.object(of: $0) }, forKey: "team")
        }
      ])
      let new = try stage.open(teams(areMany: false).make(), on: [description])
      func lines() throws -> [String] {
        try new.context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map { person in
          let team = try person.value(forKeyPath: "team.name") as? String ?? "-"
          return "\(try person.value(forKey: "name") as? String ?? "") \(team)"
        }.sorted()
      }
      let expected = ["Ada -", "Cy 2 -", "Cy red", "Dot red"]
      try expectEqual(try lines(), expected, "people and their teams")
      try new.reopen()
      try expectEqual(try lines(), expected, "people and their teams, opened again")
    },
  ]
}
