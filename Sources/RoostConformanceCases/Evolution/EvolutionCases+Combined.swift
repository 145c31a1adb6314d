// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostStore

// Defaults and inverses, and several changes of one part at once.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  static let combined: [ConformanceCase] = [
    .evolution(
      "default-alone", "another default changes no record (M4, M9)",
      pair(
        to: { $0.attribute("size").defaultConstant = .integer(5) },
        from: { $0.attribute("size").defaultConstant = .integer(3) },
        fill: { context in
          try EvolutionThings.fill(context)
          // A nil value has the default of a new object otherwise.
          for (index, thing) in try context.all("Thing").enumerated()
          where EvolutionThings.size(index) == nil { try thing.set("size", nil) }
        })),
    .evolution(
      "renamed-all",
      "an attribute is renamed, gets a wider type and must have a value, in a renamed entity (M8, M9, M10)",
      renamedAll()),
    .evolution(
      "inverse-removed", "relationships that lose their inverses keep their destinations (M11)",
      teams(
        old: {
          $0.relate(End("Person", "team", .one), End("Team", "members", .many))
          $0.relate(End("Person", "fans", .many), End("Team", "fanOf", .many))
        },
        new: {
          $0.relate(End("Person", "team", .one), to: "Team")
          $0.relate(End("Person", "fans", .many), to: "Team")
        },
        expect: { context in
          for (index, person) in try context.all("Person").enumerated() {
            try expectEqual(try person.one("team")?.text("name"), "t\(index % 3)")
            try expectEqual(try person.names("fans"), fans(index))
          }
        })),
    .evolution(
      "inverse-replaced",
      "a relationship to one gets another inverse, which has what led there (M11)",
      teams(
        old: {
          $0.relate(End("Person", "team", .one), End("Team", "members", .many))
          $0.relate(End("Person", "fans", .many), End("Team", "fanOf", .many))
        },
        new: {
          $0.relate(End("Person", "team", .one), End("Team", "crew", .many))
          $0.relate(End("Person", "fans", .many), End("Team", "followers", .many))
        },
        expect: { context in
          for (number, team) in try context.all("Team").enumerated() {
            try expectEqual(
              try team.names("crew"), (0..<9).filter { $0 % 3 == number }.map { "p\($0)" })
            try expectEqual(
              try team.names("followers"),
              (0..<9).filter { fans($0).contains("t\(number)") }.map { "p\($0)" })
          }
        })),
    .evolution(
      "many-renamed",
      "a relationship to one is renamed, to many and ordered, with another inverse (M8, M11)",
      teams(
        old: {
          $0.relate(End("Person", "team", .one), End("Team", "members", .many))
          $0.relate(End("Person", "fans", .many), End("Team", "fanOf", .many))
        },
        new: {
          $0.relate(End("Person", "groups", .ordered), End("Team", "crew", .many))
          $0.relate(End("Person", "fans", .ordered), End("Team", "fanOf", .many))
          $0["Person"].declaredProperties.first { $0.name == "groups" }?.renamingIdentifier = "team"
        },
        expect: { context in
          for (index, person) in try context.all("Person").enumerated() {
            try expectEqual(try person.names("groups"), ["t\(index % 3)"])
            try expectEqual(Set(try person.names("fans")), Set(fans(index)))
          }
        })),
    .evolution(
      "replaced-destination",
      "an entity goes with what leads to it, and one that takes its place gets none of it (M11, M12)",
      teams(
        old: {
          $0.relate(End("Person", "team", .one), End("Team", "members", .many))
          $0.relate(End("Person", "fans", .many), End("Team", "fanOf", .many))
        },
        new: { $0.relate(End("Person", "squad", .one), End("Squad", "members", .many)) },
        place: "Squad",
        expect: { context in
          try expectEqual(try context.names("Squad"), [])
          try expectEqual(try context.names("Person", "squad == nil").count, 9)
        })),
    .refusedEvolution(
      "relationship-claimed-twice",
      "two relationships that claim the same old one are refused (M8)",
      .inferredMappingModel, naming: ["a", "b"],
      teams(
        old: { $0.relate(End("Person", "team", .one), to: "Team") },
        new: {
          for name in ["a", "b"] {
            $0.relate(End("Person", name, .one), to: "Team")
            $0["Person"].declaredProperties.last?.renamingIdentifier = "team"
          }
        }, links: false, expect: { _ in })),
    .evolution(
      "composite-changed",
      "a composite attribute is renamed, loses an element, and gets another one (M8, M9)",
      EvolutionPair(
        old: {
          $0.add(
            "Person", [.string("name"), place("home", [.string("city"), .integer("zip")])])
        },
        new: {
          let home = place(
            "address",
            [.string("city"), .of("land", .string, optional: false, default: .string("UA"))])
          home.renamingIdentifier = "home"
          $0.add("Person", [.string("name"), home])
        },
        fill: { context in
          for index in 0..<9 {
            let person = try context.make("Person", ["name": "p\(index)"])
            if index % 2 == 0 { try person.set("home.city", "c\(index)") }
            try person.set("home.zip", Int64(index))
          }
        },
        expectation: { context in
          try expectEqual(try context.names("Person", "address.city == 'c4'"), ["p4"])
          try expectEqual(
            try context.names("Person", "address.city == nil"), ["p1", "p3", "p5", "p7"])
          try expectEqual(try context.names("Person", "address.land == 'UA'").count, 9)
        })),
  ]

  // MARK: Combinations

  private static func shortSize(_ index: Int) -> Int64? {
    EvolutionThings.size(index).map { Int64(Int16(truncatingIfNeeded: $0)) }
  }

  private static func renamedAll() -> EvolutionPair {
    var pair = EvolutionPair(
      old: { $0 = things("Thing") { $0.attribute("size").type = .integer16 } },
      new: {
        $0 = things("Item") {
          $0.renamingIdentifier = "Thing"
          $0.rename("size", to: "extent")
          $0.attribute("extent").type = .integer64
          $0.attribute("extent").isOptional = false
          $0.attribute("extent").defaultConstant = .integer(-7)
          $0.rename("note", to: "size")
          $0.drop("flag")
          $0.declaredProperties.append(AttributeDescription.of("flag2", .boolean))
        }
      },
      fill: { context in
        for index in 0..<EvolutionThings.count {
          let thing = try context.insert("Thing")
          var values = EvolutionThings.values(index)
          values["size"] = shortSize(index)
          for (key, value) in values { try thing.set(key, value) }
        }
      },
      expectation: { context in
        try EvolutionThings.expect(
          context, entity: "Item", renamed: ["note": "size"], except: ["size", "flag"])
        for (index, item) in try context.all("Item").enumerated() {
          try expectEqual(
            try item.number("extent"), shortSize(index) ?? -7, "the extent of \(index)")
          try expectEqual(try item.get("flag2"), .null)
        }
      })
    pair.policy = { $0.evolution = .automatic.allowLosslessTypeChanges(true) }
    return pair
  }

  private static func place(
    _ name: String, _ elements: [AttributeDescription]
  ) -> AttributeDescription {
    CompositeAttributeDescription(name: name, elements: elements)
  }

  /// The teams that a person is a fan of.
  private static func fans(_ index: Int) -> [String] {
    ["t\((index + 1) % 3)", "t\((index + 2) % 3)"].sorted()
  }

  /// People of three teams.
  private static func teams(
    old: @escaping EvolutionPair.Edit, new: @escaping EvolutionPair.Edit, place: String = "Team",
    links: Bool = true, expect: @escaping EvolutionPair.Step
  ) -> EvolutionPair {
    EvolutionPair(
      old: {
        $0.add("Person", [.string("name")])
        $0.add("Team", [.string("name")])
        old(&$0)
      },
      new: {
        $0.add("Person", [.string("name")])
        $0.add(place, [.string("name")])
        new(&$0)
      },
      fill: { context in
        let people = try (0..<9).map { try context.make("Person", ["name": "p\($0)"]) }
        let teams = try (0..<3).map { try context.make("Team", ["name": "t\($0)"]) }
        try context.obtainPermanentIDs(for: people + teams)
        for (index, person) in people.enumerated() {
          try person.set("team", teams[index % 3])
          if links { try person.add(teams[(index + 1) % 3], teams[(index + 2) % 3], to: "fans") }
        }
      }, expectation: expect)
  }
}
