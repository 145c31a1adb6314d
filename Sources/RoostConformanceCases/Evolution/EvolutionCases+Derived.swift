// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

// Derived attributes whose expressions stay, while the values that they are computed from change.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  /// People with a name, in capital letters too.
  private static func person(_ name: AttributeDescription) -> EvolutionPair.Edit {
    {
      $0.add(
        "Person", [.string("id"), name, .derived("upper", .string, "uppercase:(name)")])
    }
  }

  /// A team that counts its members and sums up their points.
  private static func team(_ edit: @escaping EvolutionPair.Edit) -> EvolutionPair.Edit {
    {
      $0.add(
        "Team",
        [
          .string("name"), .derived("size", .integer64, "members.@count"),
          .derived("points", .integer64, "members.points.@sum"),
        ])
      edit(&$0)
      $0.relate(End("Team", "members", .many), End("Person", "team", .one))
    }
  }

  /// A team with a member of each entity, whose points are 1, 2, and so on.
  private static func join(_ context: ManagedObjectContext, _ entities: [String]) throws {
    let team = try context.make("Team", ["name": "t"])
    for (index, entity) in entities.enumerated() {
      try context.make(entity, ["name": "m\(index)", "points": index + 1]).set("team", team)
    }
  }

  private static func expectTeam(
    _ context: ManagedObjectContext, size: Int64, points: Int64
  ) throws {
    let team = try context.named("Team", "t")
    try expectEqual(try team.number("size"), size, "the number of the members")
    try expectEqual(try team.number("points"), points, "their points")
    try expectEqual(
      try context.names("Team", "size == \(size) AND points == \(points)"), ["t"], "the team found")
  }

  static let derivedValues: [ConformanceCase] = [
    .evolution(
      "derived-demanded",
      "what is derived of an attribute that may no longer be nil follows its default (M9, M14)",
      EvolutionPair(
        old: person(.string("name")),
        new: person(.of("name", .string, optional: false, default: .string("none"))),
        fill: { context in
          try context.make("Person", ["id": "1", "name": "ann"])
          try context.make("Person", ["id": "2"])
        },
        expectation: { context in
          let found = try context.all("Person").map { try $0.text("upper") }
          try expectEqual(Set(found), ["ANN", "NONE"], "the derived values")
          try expectEqual(try context.names("Person", "upper == 'NONE'"), ["none"])
        })),
    .evolution(
      "derived-other-attribute",
      "what is derived of a name follows the attribute that has the name now (M8, M14)",
      EvolutionPair(
        old: {
          $0.add(
            "Person",
            [
              .string("id"), .string("name"), .string("nick"),
              .derived("upper", .string, "uppercase:(name)"),
            ])
        },
        new: {
          let name = AttributeDescription.string("name")
          name.renamingIdentifier = "nick"
          $0.add(
            "Person", [.string("id"), name, .derived("upper", .string, "uppercase:(name)")])
        },
        fill: { try $0.make("Person", ["id": "1", "name": "ann", "nick": "bo"]) },
        expectation: { context in
          let found = try context.all("Person").compactMap { try $0.text("upper") }
          try expectEqual(found, ["BO"])
        })),
    .evolution(
      "derived-removed", "an aggregate leaves out the records of a removed entity (M12, M14)",
      EvolutionPair(
        old: team {
          $0.add("Person", [.string("name"), .integer("points")])
          $0.add("Guest", [.string("pass")], parent: "Person")
        },
        new: team { $0.add("Person", [.string("name"), .integer("points")]) },
        fill: { try join($0, ["Person", "Guest", "Person"]) },
        expectation: { try expectTeam($0, size: 2, points: 4) })),
    .evolution(
      "derived-left", "an aggregate leaves out the records that leave the hierarchy (M12, M14)",
      EvolutionPair(
        old: team {
          $0.add("Person", [.string("name"), .integer("points")])
          $0.add("Guest", [.string("pass")], parent: "Person")
        },
        new: team {
          $0.add("Person", [.string("name"), .integer("points")])
          $0.add("Guest", [.string("name"), .integer("points"), .string("pass")])
        },
        fill: { try join($0, ["Person", "Guest"]) },
        expectation: { context in
          try expectTeam(context, size: 1, points: 1)
          try expectEqual(try context.names("Guest"), ["m1"])
        })),
    .evolution(
      "derived-sum", "a sum follows the defaults of what may no longer be nil (M9, M14)",
      EvolutionPair(
        old: team { $0.add("Person", [.string("name"), .integer("points")]) },
        new: team {
          $0.add(
            "Person",
            [
              .string("name"), .of("points", .integer64, optional: false, default: .integer(10)),
            ])
        },
        fill: { context in
          try join(context, ["Person"])
          let team = try context.named("Team", "t")
          try context.make("Person", ["name": "new"]).set("team", team)
        },
        expectation: { try expectTeam($0, size: 2, points: 11) })),
  ]
}
