// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

// Entities that move into, out of and within a hierarchy, with links that lead to them.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  static let moves: [ConformanceCase] = [
    .evolution(
      "moved-in", "an entity that moves below another one keeps its values and links (M12)",
      moved(from: nil, to: "Person")),
    .evolution(
      "moved-out", "an entity that leaves its hierarchy keeps its values and links (M12)",
      moved(from: "Person", to: nil)),
    .evolution(
      "moved-deeper", "an entity that moves below a sibling keeps its values and links (M12)",
      moved(from: "Person", to: "Worker")),
    .evolution(
      "moved-higher", "an entity that moves up in its hierarchy keeps its values and links (M12)",
      moved(from: "Worker", to: "Person")),
    .evolution(
      "moved-across", "an entity that moves to another hierarchy keeps its values and links (M12)",
      moved(from: "Person", to: "Animal", renames: false)),
    .evolution(
      "moved-renamed",
      "an entity that moves below another one under another name keeps its values and links (M8, M12)",
      moved(from: nil, to: "Person", renames: true)),
    .evolution(
      "middle", "an entity that comes between two others has no records, and theirs stay (M12)",
      EvolutionPair(
        old: { tree(&$0, middle: false) }, new: { tree(&$0, middle: true) },
        fill: { try fillTree($0) },
        expectation: { context in
          try expectTree(context)
          try expectEqual(try context.names("Middle"), (0..<9).map { "leaf \($0)" })
        })),
    .evolution(
      "middle-gone", "where an abstract entity between two others goes their records stay (M12)",
      EvolutionPair(
        old: { tree(&$0, middle: true, isAbstract: true) }, new: { tree(&$0, middle: false) },
        fill: { try fillTree($0) }, expectation: { try expectTree($0) })),
    .evolution(
      "parent-gone", "where a superentity goes its subentities keep what they inherited (M12)",
      EvolutionPair(
        old: {
          $0.add("Base", [.string("name"), .integer("size")], isAbstract: true)
          $0.add("Top", [.string("label")], parent: "Base")
        },
        new: { $0.add("Top", [.string("name"), .integer("size"), .string("label")]) },
        fill: { context in
          for index in 0..<9 {
            try context.make("Top", ["name": "top \(index)", "label": "l\(index)", "size": index])
          }
        },
        expectation: { context in
          try expectEqual(try context.names("Top", "size > 6 AND label == 'l7'"), ["top 7"])
          try expectEqual(try context.names("Top").count, 9)
        })),
    .refusedEvolution(
      "entity-claimed-twice", "two entities that claim the same old one are refused (M8)",
      .inferredMappingModel, naming: ["First", "Second"],
      EvolutionPair(
        old: { $0 = things() },
        new: {
          for name in ["First", "Second"] {
            $0.add(name, EvolutionThings.attributes()).renamingIdentifier = "Thing"
          }
        }, fill: { try EvolutionThings.fill($0) })),
    .refusedEvolution(
      "destination-narrower",
      "a relationship that may lead to fewer entities is not inferred (M11)",
      .inferredMappingModel, naming: ["boss"],
      EvolutionPair(
        old: { bosses("Person", &$0) }, new: { bosses("Worker", &$0) },
        fill: { try fillBosses($0) })),
    .evolution(
      "destination-wider",
      "a relationship that may lead to more entities keeps its destinations (M11)",
      EvolutionPair(
        old: { bosses("Worker", &$0) }, new: { bosses("Person", &$0) },
        fill: { try fillBosses($0) },
        expectation: { context in
          for (index, team) in try context.all("Team").enumerated() {
            try expectEqual(try team.one("boss")?.text("name"), "w\(index)")
            try expectEqual(try team.names("crew"), ["w\(index)", "w\((index + 1) % 9)"].sorted())
          }
          try expectEqual(try context.names("Team", "boss.name == 'w3'"), ["t3"])
        })),
  ]

  // MARK: Moves

  /// Things move to another superentity; others lead to them, and they to others.
  private static func moved(
    from old: String?, to new: String?, renames: Bool = false
  ) -> EvolutionPair {
    let name = renames ? "Article" : "Thing"
    return EvolutionPair(
      old: { beings(&$0, "Thing", below: old) },
      new: {
        beings(&$0, name, below: new)
        if renames { $0[name].renamingIdentifier = "Thing" }
      },
      fill: { context in
        try EvolutionThings.fill(context)
        let things = try context.all("Thing")
        let tags = try (0..<5).map { try context.make("Tag", ["name": "w\($0)"]) }
        for (index, thing) in things.enumerated() {
          try thing.set("tag", tags[index % 5])
          try thing.add(tags[(index + 2) % 5], tags[(index + 3) % 5], to: "marks")
        }
        for index in 0..<9 {
          try context.make("Person", ["label": "p\(index)"])
          try context.make("Worker", ["label": "w\(index)", "role": "r\(index % 2)"])
          try context.make("Animal", ["kind": "a\(index)"])
        }
      },
      expectation: { try expectMoved($0, name) })
  }

  private static func beings(_ sketch: inout ModelSketch, _ name: String, below parent: String?) {
    sketch.add("Person", [.string("label")])
    sketch.add("Worker", [.string("role")], parent: "Person")
    sketch.add("Animal", [.string("kind")])
    sketch.add("Tag", [.string("name")])
    sketch.add(name, EvolutionThings.attributes(), parent: parent)
    sketch.relate(End(name, "tag", .one), End("Tag", "things", .many))
    sketch.relate(End(name, "marks", .many), End("Tag", "marked", .many))
  }

  private static func expectMoved(_ context: ManagedObjectContext, _ name: String) throws {
    try EvolutionThings.expect(context, entity: name)
    for (index, thing) in try context.all(name).enumerated() {
      try expectEqual(try thing.one("tag")?.text("name"), "w\(index % 5)", "the tag of \(index)")
      try expectEqual(
        Set(try thing.many("marks").map { try $0.text("name") }),
        ["w\((index + 2) % 5)", "w\((index + 3) % 5)"], "the marks of \(index)")
    }
    let tag = try context.named("Tag", "w1")
    try expectEqual(try tag.names("things"), EvolutionThings.names { $0 % 5 == 1 })
    try expectEqual(
      try tag.names("marked"), EvolutionThings.names { [($0 + 2) % 5, ($0 + 3) % 5].contains(1) })
    func count(_ entity: String, _ condition: String) throws -> Int {
      let request = FetchRequest<ManagedObject>(entityName: entity)
      request.predicate = try FetchPredicate(format: condition, argumentArray: [])
      return try context.count(for: request)
    }
    try expectEqual(try count("Person", "label BEGINSWITH 'p'"), 9)
    try expectEqual(try count("Worker", "role == 'r1'"), 4)
    try expectEqual(try count("Animal", "kind BEGINSWITH 'a'"), 9)
  }

  // MARK: Middles

  private static func tree(_ sketch: inout ModelSketch, middle: Bool, isAbstract: Bool = false) {
    sketch.add("Root", [.string("name"), .integer("size")])
    if middle { sketch.add("Middle", [], parent: "Root", isAbstract: isAbstract) }
    sketch.add("Leaf", [.string("label")], parent: middle ? "Middle" : "Root")
  }

  private static func fillTree(_ context: ManagedObjectContext) throws {
    for index in 0..<9 {
      try context.make("Root", ["name": "root \(index)", "size": index])
      try context.make("Leaf", ["name": "leaf \(index)", "size": index, "label": "l\(index)"])
    }
  }

  private static func expectTree(_ context: ManagedObjectContext) throws {
    try expectEqual(try context.names("Root", "size == 4"), ["leaf 4", "root 4"])
    try expectEqual(try context.names("Leaf", "size > 6 AND label == 'l8'"), ["leaf 8"])
    try expectEqual(try context.names("Root").count, 18)
  }

  // MARK: Destinations

  private static func bosses(_ destination: String, _ sketch: inout ModelSketch) {
    sketch.add("Person", [.string("name")])
    sketch.add("Worker", [.string("role")], parent: "Person")
    sketch.add("Team", [.string("name")])
    sketch.relate(End("Team", "boss", .one), to: destination)
    sketch.relate(End("Team", "crew", .many), to: destination)
  }

  private static func fillBosses(_ context: ManagedObjectContext) throws {
    let workers = try (0..<9).map { try context.make("Worker", ["name": "w\($0)"]) }
    for index in 0..<9 {
      let team = try context.make("Team", ["name": "t\(index)"])
      try team.set("boss", workers[index])
      try team.add(workers[index], workers[(index + 1) % 9], to: "crew")
    }
  }
}
