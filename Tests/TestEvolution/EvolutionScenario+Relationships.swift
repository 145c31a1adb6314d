// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension EvolutionScenario {
  /// Three people in two teams, by a to-one relationship.
  private static let teams: @Sendable (EvolvingStore) throws -> Void = { store in
    try store.insert("Team", 10)
    try store.insert("Team", 11)
    for (person, team) in [(1, 10), (2, 11), (3, 10)] as [(Int64, Int64)] {
      try store.insert("Person", person, ["team": store.reference("Team", team)])
    }
    try store.insert("Person", 4)
  }

  private static let linked: @Sendable (EvolvingStore) throws -> Void = { store in
    for number in [10, 11] as [Int64] { try store.insert("Team", number) }
    for number in [1, 2, 3] as [Int64] { try store.insert("Person", number) }
    let person = { store.key("Person", $0) }
    let team = { store.key("Team", $0) }
    try store.link(
      "Person", "teams", [(person(1), team(10)), (person(3), team(10)), (person(2), team(11))])
  }

  @Sendable private static func oneToMany(ordered: Bool = false) throws -> TestModel {
    try TestModel(
      .init("Person", .one("team", "Team", inverse: "members")),
      .init("Team", .many("members", "Person", inverse: "team", isOrdered: ordered)))
  }

  @Sendable private static func manyToMany(
    ordered: Bool = false, backwards: Bool = false
  ) throws -> TestModel {
    try TestModel(
      .init("Person", .many("teams", "Team", inverse: "members", isOrdered: ordered)),
      .init("Team", .many("members", "Person", inverse: "teams", isOrdered: backwards)))
  }

  static let relationships: [EvolutionScenario] = [
    EvolutionScenario(
      "a to-one relationship and its inverse are renamed", from: try oneToMany(),
      to: try TestModel(
        .init("Person", .one("group", "Team", was: "team", inverse: "people")),
        .init("Team", .many("people", "Person", was: "members", inverse: "group"))),
      fill: teams,
      contents: [
        "Person 1: group: 10", "Person 2: group: 11", "Person 3: group: 10", "Person 4: ",
        "Team 10: people: [1, 3]", "Team 11: people: [2]",
      ]),
    EvolutionScenario(
      "a to-one relationship becomes to-many", from: try oneToMany(),
      to: try TestModel(
        .init("Person", .many("teams", "Team", was: "team", inverse: "members")),
        .init("Team", .many("members", "Person", inverse: "teams"))),
      fill: teams,
      contents: [
        "Person 1: teams: [10]", "Person 2: teams: [11]", "Person 3: teams: [10]", "Person 4: ",
        "Team 10: members: [1, 3]", "Team 11: members: [2]",
      ]),
    EvolutionScenario(
      "a to-one relationship without an inverse becomes to-many",
      from: try TestModel(.init("Person", .one("team", "Team")), .init("Team")),
      to: try TestModel(.init("Person", .many("team", "Team")), .init("Team")), fill: teams,
      contents: [
        "Person 1: team: [10]", "Person 2: team: [11]", "Person 3: team: [10]", "Person 4: ",
        "Team 10: ", "Team 11: ",
      ]),
    EvolutionScenario(
      "a to-one relationship gets an inverse",
      from: try TestModel(.init("Person", .one("team", "Team")), .init("Team")),
      to: try oneToMany(), fill: teams,
      contents: [
        "Person 1: team: 10", "Person 2: team: 11", "Person 3: team: 10", "Person 4: ",
        "Team 10: members: [1, 3]", "Team 11: members: [2]",
      ]),
    EvolutionScenario(
      "links become those of an entity that owns the table now", from: try manyToMany(),
      to: try TestModel(
        .init("Person", .many("zones", "Team", was: "teams", inverse: "members")),
        .init("Team", .many("members", "Person", inverse: "zones"))),
      fill: linked,
      contents: [
        "Person 1: zones: [10]", "Person 2: zones: [11]", "Person 3: zones: [10]",
        "Team 10: members: [1, 3]", "Team 11: members: [2]",
      ]),
    EvolutionScenario(
      "links change their direction when names change", from: try manyToMany(),
      to: try TestModel(
        .init("Zed", was: "Person", .many("teams", "Team", inverse: "members")),
        .init("Team", .many("members", "Zed", inverse: "teams"))),
      fill: linked,
      contents: [
        "Team 10: members: [1, 3]", "Team 11: members: [2]", "Zed 1: teams: [10]",
        "Zed 2: teams: [11]", "Zed 3: teams: [10]",
      ]),
    EvolutionScenario(
      "a to-many relationship without an inverse gets one to one",
      from: try TestModel(.init("Team", .many("members", "Person")), .init("Person")),
      to: try oneToMany(),
      fill: { store in
        for number in [10, 11] as [Int64] { try store.insert("Team", number) }
        for number in [1, 2, 3] as [Int64] { try store.insert("Person", number) }
        try store.link(
          "Team", "members",
          [
            (store.key("Team", 10), store.key("Person", 1)),
            (store.key("Team", 10), store.key("Person", 3)),
          ])
      },
      contents: [
        "Person 1: team: 10", "Person 2: ", "Person 3: team: 10", "Team 10: members: [1, 3]",
        "Team 11: ",
      ]),
    EvolutionScenario(
      "a to-one relationship gets an inverse to one",
      from: try TestModel(.init("Person", .one("desk", "Desk")), .init("Desk")),
      to: try TestModel(
        .init("Person", .one("desk", "Desk", inverse: "user")),
        .init("Desk", .one("user", "Person", inverse: "desk"))),
      fill: { store in
        try store.insert("Desk", 10)
        try store.insert("Desk", 11)
        try store.insert("Person", 1, ["desk": store.reference("Desk", 11)])
        try store.insert("Person", 2)
      }, contents: ["Desk 10: ", "Desk 11: user: 1", "Person 1: desk: 11", "Person 2: "]),
    EvolutionScenario(
      "a relationship becomes its own inverse",
      from: try TestModel(.init("Person", .many("friends", "Person"))),
      to: try TestModel(.init("Person", .many("friends", "Person", inverse: "friends"))),
      fill: { store in
        for number in [1, 2, 3] as [Int64] { try store.insert("Person", number) }
        let key = { store.key("Person", $0) }
        try store.link("Person", "friends", [(key(1), key(2)), (key(3), key(3)), (key(2), key(1))])
        try store.link("Person", "friends", [(key(2), key(3))])
      },
      contents: [
        "Person 1: friends: [2]", "Person 2: friends: [1, 3]", "Person 3: friends: [2, 3]",
      ]),
    EvolutionScenario(
      "a relationship is removed", from: try oneToMany(),
      to: try TestModel(.init("Person"), .init("Team")), fill: teams,
      contents: [
        "Person 1: ", "Person 2: ", "Person 3: ", "Person 4: ", "Team 10: ", "Team 11: ",
      ], titles: ["drop indexes", "drop Person.team"]),
  ]

  static let orders: [EvolutionScenario] = [
    EvolutionScenario(
      "destinations of a slot get an order", from: try oneToMany(),
      to: try oneToMany(ordered: true),
      fill: teams,
      contents: [
        "Person 1: team: 10", "Person 2: team: 11", "Person 3: team: 10", "Person 4: ",
        "Team 10: members: [1, 3]", "Team 11: members: [2]",
      ]),
    EvolutionScenario(
      "links get an order at both ends", from: try manyToMany(),
      to: try manyToMany(ordered: true, backwards: true), fill: linked,
      contents: [
        "Person 1: teams: [10]", "Person 2: teams: [11]", "Person 3: teams: [10]",
        "Team 10: members: [1, 3]", "Team 11: members: [2]",
      ]),
    EvolutionScenario(
      "an order stays when links move",
      from: try TestModel(
        .init("Team", .many("members", "Person", isOrdered: true)), .init("Person")),
      to: try oneToMany(ordered: true),
      fill: { store in
        try store.insert("Team", 10)
        for number in [1, 2, 3] as [Int64] { try store.insert("Person", number) }
        let team = store.key("Team", 10)
        try store.link(
          "Team", "members",
          [
            (team, store.key("Person", 1)), (team, store.key("Person", 2)),
            (team, store.key("Person", 3)),
          ], position: 100)
      },
      contents: [
        "Person 1: team: 10", "Person 2: team: 10", "Person 3: team: 10",
        "Team 10: members: [3, 2, 1]",
      ]),
    EvolutionScenario(
      "an order of a slot stays when it becomes to-many", from: try oneToMany(ordered: true),
      to: try TestModel(
        .init("Person", .many("teams", "Team", was: "team", inverse: "members")),
        .init("Team", .many("members", "Person", inverse: "teams", isOrdered: true))),
      fill: { store in
        try store.insert("Team", 10)
        for (number, position) in [(1, 30), (2, 20), (3, 10)] as [(Int64, Int64)] {
          try store.insert(
            "Person", number,
            [
              "team": store.reference("Team", 10),
              "@position.Team.members": .integer(position),
            ])
        }
      },
      contents: [
        "Person 1: teams: [10]", "Person 2: teams: [10]", "Person 3: teams: [10]",
        "Team 10: members: [3, 2, 1]",
      ]),
  ]
}
