// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects

// Relationships that come, go, and lead to more records than before.
extension EvolutionCases {
  private typealias End = ModelSketch.End

  /// Two entities and their relationships.
  private static func version(
    _ relate: @escaping @Sendable (inout ModelSketch) -> Void
  ) -> EvolutionPair.Edit {
    {
      $0.add("Person", [.string("name")])
      $0.add("Team", [.string("name")])
      relate(&$0)
    }
  }

  private static func relation(
    from old: @escaping @Sendable (inout ModelSketch) -> Void,
    to new: @escaping @Sendable (inout ModelSketch) -> Void,
    link: @escaping @Sendable ([ManagedObject], [ManagedObject]) throws -> Void,
    expect: @escaping @Sendable ([ManagedObject], [ManagedObject]) throws -> Void
  ) -> EvolutionPair {
    EvolutionPair(
      old: version(old), new: version(new),
      fill: { context in
        let people = try (0..<9).map { try context.make("Person", ["name": "p\($0)"]) }
        let teams = try (0..<3).map { try context.make("Team", ["name": "t\($0)"]) }
        // The order of their keys is that of their names.
        try context.obtainPermanentIDs(for: people + teams)
        try link(people, teams)
      },
      expectation: { context in try expect(context.all("Person"), context.all("Team")) })
  }

  /// Each person but the last one belongs to a team.
  private static func join(_ people: [ManagedObject], _ teams: [ManagedObject]) throws {
    for (index, person) in people.dropLast().enumerated() {
      try person.set("team", teams[index % 3])
    }
  }

  private static let members = [["p0", "p3", "p6"], ["p1", "p4", "p7"], ["p2", "p5"]]

  private static func expectMembers(_ teams: [ManagedObject], _ key: String) throws {
    for (team, names) in zip(teams, members) {
      try expectEqual(try team.names(key), names, "the members")
    }
  }

  static let toOnes: [ConformanceCase] = [
    .evolution(
      "add-relationship", "a new relationship has no destinations (M11)",
      relation(
        from: { _ in },
        to: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        link: { _, _ in },
        expect: { people, teams in
          for person in people { try expect(try person.one("team") == nil, "no team") }
          for team in teams { try expectEqual(try team.names("members"), []) }
        })),
    .evolution(
      "remove-relationship", "a removed relationship goes, and the records stay (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        to: { _ in }, link: join,
        expect: { people, teams in try expectEqual([people.count, teams.count], [9, 3]) })),
    .evolution(
      "rename-relationship", "renamed relationships keep their destinations (M8, M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        to: {
          $0.relate(End("Person", "group", .one), End("Team", "people", .many))
          for (entity, name, old) in [("Person", "group", "team"), ("Team", "people", "members")] {
            $0[entity].declaredProperties.first { $0.name == name }?.renamingIdentifier = old
          }
        }, link: join,
        expect: { people, teams in
          try expectMembers(teams, "people")
          try expectEqual(try people[4].one("group")?.text("name"), "t1")
          try expect(try people[8].one("group") == nil, "the last one is in no team")
        })),
    .evolution(
      "one-to-many", "a relationship to one whose inverse is to many can lead to many (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        to: { $0.relate(End("Person", "team", .many), End("Team", "members", .many)) },
        link: join,
        expect: { people, teams in
          try expectMembers(teams, "members")
          try expectEqual(try people[5].names("team"), ["t2"])
          try expectEqual(try people[8].names("team"), [])
        })),
    .evolution(
      "one-to-ordered", "a relationship to one can lead to many in an order (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .ordered)) },
        to: { $0.relate(End("Person", "team", .ordered), End("Team", "members", .ordered)) },
        link: { people, teams in
          try join(people, teams)
          try teams[0].set("members", [people[6], people[0], people[3]])
        },
        expect: { people, teams in
          try expectEqual(try teams[0].names("members"), ["p6", "p0", "p3"], "in their order")
          try expectEqual(try people[6].names("team"), ["t0"])
        })),
    .evolution(
      "one-to-one", "a relationship from one to one can lead back to many (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "lead", .one)) },
        to: { $0.relate(End("Person", "team", .one), End("Team", "lead", .many)) },
        link: { people, teams in
          for index in 0..<3 { try people[index + 2].set("team", teams[index]) }
        },
        expect: { people, teams in
          for index in 0..<3 {
            try expectEqual(try teams[index].names("lead"), ["p\(index + 2)"])
            try expectEqual(try people[index + 2].one("team")?.text("name"), "t\(index)")
          }
        })),
    .evolution(
      "one-alone", "a relationship to one without an inverse can lead to many (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), to: "Team") },
        to: { $0.relate(End("Person", "team", .many), to: "Team") }, link: join,
        expect: { people, _ in
          try expectEqual(try people[5].names("team"), ["t2"])
          try expectEqual(try people[8].names("team"), [])
        })),
    .evolution(
      "add-inverse", "a relationship to one can get an inverse to many (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), to: "Team") },
        to: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        link: join,
        expect: { people, teams in
          try expectMembers(teams, "members")
          try expectEqual(try people[5].one("team")?.text("name"), "t2")
        })),
    .evolution(
      "one-side-renamed", "destinations stay when only the other side keeps its name (M8, M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .ordered)) },
        to: { $0.relate(End("Person", "group", .one), End("Team", "members", .ordered)) },
        link: { people, teams in
          try join(people, teams)
          try teams[0].set("members", [people[6], people[0], people[3]])
        },
        expect: { people, teams in
          try expectEqual(try teams[0].names("members"), ["p6", "p0", "p3"], "in their order")
          try expectEqual(try people[5].one("group")?.text("name"), "t2")
        })),
    .evolution(
      "required", "a relationship can become required and optional (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        to: {
          $0.relate(
            End("Person", "team", .one, rule: .cascade),
            End("Team", "members", .many, rule: .deny, minimum: 0, maximum: 100))
        }, link: join, expect: { _, teams in try expectMembers(teams, "members") })),
  ]

  /// Each person is in two teams.
  private static func joinMany(_ people: [ManagedObject], _ teams: [ManagedObject]) throws {
    for (index, person) in people.dropLast().enumerated() {
      try person.set("teams", Set([teams[index % 3], teams[(index + 1) % 3]]))
    }
  }

  private static func expectMany(
    _ people: [ManagedObject], _ teams: [ManagedObject], _ key: String, _ back: String
  ) throws {
    for (index, person) in people.dropLast().enumerated() {
      try expectEqual(
        try person.names(key), ["t\(index % 3)", "t\((index + 1) % 3)"].sorted(),
        "teams of \(index)")
    }
    try expectEqual(try people[8].names(key), [])
    try expectEqual(try teams[0].names(back), ["p0", "p2", "p3", "p5", "p6"])
  }

  static let links: [ConformanceCase] = [
    .evolution(
      "rename-many", "renamed relationships to many keep their links (M8, M11)",
      relation(
        from: { $0.relate(End("Person", "teams", .many), End("Team", "members", .many)) },
        to: {
          // The names determine which of the two keeps the link table.
          $0.relate(End("Person", "zones", .many), End("Team", "crew", .many))
          for (entity, name, old) in [("Person", "zones", "teams"), ("Team", "crew", "members")] {
            $0[entity].declaredProperties.first { $0.name == name }?.renamingIdentifier = old
          }
        }, link: joinMany, expect: { try expectMany($0, $1, "zones", "crew") })),
    .evolution(
      "owner-turns", "links stay when the names change which side keeps them (M11)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0.add("Team", [.string("name")])
          $0.relate(End("Person", "teams", .many), End("Team", "members", .ordered))
        },
        new: {
          // The smaller name owns the links: `Alliance` comes before `Person`.
          $0.add("Person", [.string("name")])
          $0.add("Alliance", [.string("name")]).renamingIdentifier = "Team"
          $0.relate(End("Person", "teams", .many), End("Alliance", "members", .ordered))
        },
        fill: { context in
          let people = try (0..<4).map { try context.make("Person", ["name": "p\($0)"]) }
          let team = try context.make("Team", ["name": "t"])
          try context.make("Team", ["name": "u"]).set("members", [people[3]])
          try team.set("members", [people[2], people[0], people[3]])
        },
        expectation: { context in
          try expectEqual(
            try context.named("Alliance", "t").names("members"), ["p2", "p0", "p3"])
          try expectEqual(try context.named("Person", "p3").names("teams"), ["t", "u"])
        })),
    .evolution(
      "many-inverse", "a relationship to many can get an inverse to many (M11)",
      relation(
        from: { $0.relate(End("Person", "teams", .many), to: "Team") },
        to: { $0.relate(End("Person", "teams", .many), End("Team", "members", .many)) },
        link: joinMany, expect: { try expectMany($0, $1, "teams", "members") })),
    .evolution(
      "links-to-one",
      "a relationship to many gets an inverse to one where each has one source (M11)",
      relation(
        from: { $0.relate(End("Team", "members", .many), to: "Person") },
        to: { $0.relate(End("Team", "members", .many), End("Person", "team", .one)) },
        link: { people, teams in
          for index in 0..<3 {
            try teams[index].add(people[index], people[index + 3], to: "members")
          }
        },
        expect: { people, teams in
          for index in 0..<3 {
            try expectEqual(try teams[index].names("members"), ["p\(index)", "p\(index + 3)"])
            try expectEqual(try people[index + 3].one("team")?.text("name"), "t\(index)")
          }
        })),
    .refusedEvolution(
      "links-ambiguous", "an inverse to one is refused where a record has several sources (M11)",
      .migration, naming: [],
      relation(
        from: { $0.relate(End("Team", "members", .many), to: "Person") },
        to: { $0.relate(End("Team", "members", .many), End("Person", "team", .one)) },
        link: { people, teams in
          for team in teams { try team.add(people[0], to: "members") }
        }, expect: { _, _ in })),
  ]

  static let orders: [ConformanceCase] = [
    .evolution(
      "ordered-one", "destinations that get an order are in that of their keys (B82, M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        to: { $0.relate(End("Person", "team", .one), End("Team", "members", .ordered)) },
        link: join,
        expect: { _, teams in
          try expectMembers(teams, "members")
          let object = teams[0]
          try object.set("members", Array(object.many("members").reversed()))
          try object.managedObjectContext?.save()
          try expectEqual(try object.names("members"), ["p6", "p3", "p0"])
          try object.set("members", Array(object.many("members").reversed()))
          try object.managedObjectContext?.save()
        })),
    .evolution(
      "unordered-one", "destinations that lose their order stay (M11)",
      relation(
        from: { $0.relate(End("Person", "team", .one), End("Team", "members", .ordered)) },
        to: { $0.relate(End("Person", "team", .one), End("Team", "members", .many)) },
        link: { people, teams in
          try join(people, teams)
          try teams[0].set("members", [people[6], people[0], people[3]])
        }, expect: { _, teams in try expectMembers(teams, "members") })),
    .evolution(
      "ordered-many", "links that get an order are in that of their keys (M11)",
      relation(
        from: { $0.relate(End("Person", "teams", .many), End("Team", "members", .many)) },
        to: { $0.relate(End("Person", "teams", .ordered), End("Team", "members", .ordered)) },
        link: joinMany, expect: { try expectMany($0, $1, "teams", "members") })),
    .evolution(
      "unordered-many", "links that lose their order stay (M11)",
      relation(
        from: { $0.relate(End("Person", "teams", .ordered), End("Team", "members", .many)) },
        to: { $0.relate(End("Person", "teams", .many), End("Team", "members", .many)) },
        link: { people, teams in
          for (index, person) in people.dropLast().enumerated() {
            try person.set("teams", [teams[(index + 1) % 3], teams[index % 3]])
          }
        }, expect: { try expectMany($0, $1, "teams", "members") })),
    .evolution(
      "symmetric", "a relationship that is its own inverse keeps its links when renamed (M11)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0.relateToItself(End("Person", "friends", .many))
        },
        new: {
          $0.add("Person", [.string("name")])
          $0.relateToItself(End("Person", "peers", .many))
          $0["Person"].declaredProperties.first { $0.name == "peers" }?.renamingIdentifier =
            "friends"
        },
        fill: { context in
          let people = try (0..<5).map { try context.make("Person", ["name": "p\($0)"]) }
          for index in 1..<5 { try people[0].add(people[index], to: "friends") }
        },
        expectation: { context in
          try expectEqual(
            try context.named("Person", "p0").names("peers"), ["p1", "p2", "p3", "p4"])
          try expectEqual(try context.named("Person", "p3").names("peers"), ["p0"])
        })),
    .evolution(
      "mutual-ordered", "ordered links that become mutual are in the order of their keys (M11)",
      EvolutionPair(
        old: {
          $0.add("Person", [.string("name")])
          $0.relate(End("Person", "friends", .ordered), to: "Person")
        },
        new: {
          $0.add("Person", [.string("name"), .integer("size")])
          $0.relateToItself(End("Person", "friends", .ordered))
        },
        fill: { context in
          let people = try (0..<4).map { try context.make("Person", ["name": "p\($0)"]) }
          try people[0].set("friends", [people[3], people[1]])
          try people[1].set("friends", [people[2]])
        },
        expectation: { context in
          for (name, friends) in [("p0", ["p1", "p3"]), ("p1", ["p0", "p2"]), ("p3", ["p0"])] {
            try expectEqual(try context.named("Person", name).names("friends"), friends)
          }
        })),
  ]
}
