// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of migrations that change relationships.
@Suite struct RelationEvolutionTests {
  /// Returns a version with people and teams, and one pair of relationships.
  static func version(
    _ people: String = "Person", _ pair: (EntityDescription, EntityDescription) -> Void
  ) throws -> ModelVersion {
    try ModelVersion("teams") {
      let person = entity(people, was: "Person", attribute("name", .string))
      let team = entity("Team", attribute("name", .string))
      pair(person, team)
      return [person, team]
    }
  }

  static func manyToOne() throws -> ModelVersion {
    try version { person, team in
      connect(toOne("team", team), of: person, toMany("people", person), of: team)
    }
  }

  static func manyToMany(
    _ people: String = "Person", ordered: Bool = false, inverseOrdered: Bool = false
  ) throws -> ModelVersion {
    try version(people) { person, team in
      connect(
        toMany("teams", team, was: "team", isOrdered: ordered), of: person,
        toMany("people", person, isOrdered: inverseOrdered), of: team)
    }
  }

  /// Returns a store with three people in two teams.
  static func filled(
    _ kind: EvolvingStore.Kind
  ) throws -> (store: EvolvingStore, teams: [Int64], people: [Int64]) {
    let store = try EvolvingStore(kind, manyToOne())
    let teams = try ["red", "blue"].map { try store.insert("Team", ["name": .string($0)]) }
    let people = try [(0, "a"), (1, "b"), (0, "c")].map { team, name in
      try store.insert("Person", ["name": .string(name), "team": .integer(teams[team])])
    }
    try store.insert("Person", ["name": .string("nobody's")])
    return (store, teams, people)
  }

  @Test(
    "a relationship to one becomes one to many, with what it had (M11)",
    arguments: EvolvingStore.Kind.allCases)
  func toMany_(_ kind: EvolvingStore.Kind) throws {
    let (store, teams, people) = try Self.filled(kind)
    let next = try Self.manyToMany()
    let steps = try store.steps(to: next, from: Self.manyToOne())
    #expect(steps.filter { $0.kind == .move }.map(\.title) == ["move Person.teams"])
    #expect(!steps.contains { $0.kind == .drop })
    try store.evolve(to: next, from: Self.manyToOne())
    try store.reopen()
    #expect(
      try store.members("Person", "teams", people) == [[teams[0]], [teams[1]], [teams[0]]])
    #expect(
      try store.members("Team", "people", teams) == [[people[0], people[2]], [people[1]]])
    #expect(try store.rows("Person").allSatisfy { $0.version == 1 })
    // The relationship can be changed afterwards.
    try store.link("Person", "teams", people[1], [teams[0]])
    #expect(try store.members("Team", "people", [teams[0]]) == [people])
  }

  @Test(
    "links become a relationship to one where each record has one, and are refused otherwise",
    arguments: EvolvingStore.Kind.allCases)
  func back(_ kind: EvolvingStore.Kind) throws {
    let (store, teams, people) = try Self.filled(kind)
    try store.evolve(to: Self.manyToMany(), from: Self.manyToOne())
    let next = try Self.version { person, team in
      connect(toOne("team", team, was: "teams"), of: person, toMany("people", person), of: team)
    }
    // The renaming identifiers of the two versions do not chain here: `teams` was `team` before.
    let old = try Self.version { person, team in
      connect(toMany("teams", team), of: person, toMany("people", person), of: team)
    }
    try store.link("Person", "teams", people[1], [teams[0]])
    for body in [
      { _ = try store.steps(to: next, from: old) }, { _ = try store.evolve(to: next, from: old) },
    ] {
      let error = failure(body)
      #expect(error?.code == .migration)
      #expect(error.map { Set($0.objectIDs.map(\.key)) } == Set(teams))
    }
    #expect(
      try store.members("Person", "teams", people) == [[teams[0]], teams, [teams[0]]])
  }

  @Test(
    "an order that is new is that of the keys, with room between (M11)",
    arguments: EvolvingStore.Kind.allCases)
  func ordered(_ kind: EvolvingStore.Kind) throws {
    let (store, teams, people) = try Self.filled(kind)
    let next = try Self.version { person, team in
      connect(
        toOne("team", team), of: person, toMany("people", person, isOrdered: true), of: team)
    }
    try store.evolve(to: next, from: Self.manyToOne())
    try store.reopen()
    #expect(
      try store.values("Person", "@position.Team.people")
        == [.integer(2048), .integer(2048), .integer(3072), .null])
    #expect(
      try store.members("Team", "people", teams) == [[people[0], people[2]], [people[1]]])
    #expect(
      try store.values("Person", "team").dropLast().map { $0 }
        == [teams[0], teams[1], teams[0]].map { .integer($0) })
    // With a link table, on both sides.
    try store.evolve(to: Self.manyToMany(ordered: true, inverseOrdered: true))
    let relationship = try #require(store.version.entity("Team").relationshipsByName["people"])
    let found = try store.store.destinations(of: relationship, forSources: teams)
    #expect(found.keys == [people[0], people[2], people[1]])
    #expect(found.positions == [2048, 3072, 2048])
  }

  @Test(
    "a renamed relationship keeps its links, also where the other side owns them now (M8)",
    arguments: EvolvingStore.Kind.allCases, [false, true])
  func renamedLinks(_ kind: EvolvingStore.Kind, _ isOrdered: Bool) throws {
    let (store, teams, people) = try Self.filled(kind)
    let ordered = { (name: String) in
      try Self.manyToMany(name, ordered: isOrdered, inverseOrdered: isOrdered)
    }
    try store.evolve(to: ordered("Person"), from: Self.manyToOne())
    try store.link("Person", "teams", people[1], [teams[0]])
    // The name of the entity that owns the links is the smaller one.
    let next = try Self.version("Zoe") { person, team in
      connect(
        toMany("teams", team, isOrdered: isOrdered), of: person,
        toMany("people", person, isOrdered: isOrdered), of: team)
    }
    let plain = try Self.version { person, team in
      connect(
        toMany("teams", team, isOrdered: isOrdered), of: person,
        toMany("people", person, isOrdered: isOrdered), of: team)
    }
    let before = try store.members("Person", "teams", people)
    let members = try store.members("Team", "people", teams)
    try store.evolve(to: next, from: plain)
    try store.reopen()
    #expect(try store.members("Zoe", "teams", people) == before)
    #expect(try store.members("Team", "people", teams) == members)
    #expect(try store.rows("Zoe").prefix(3).map(\.key) == people)
    try store.link("Zoe", "teams", people[2], [teams[1]])
    #expect(Set(try store.members("Team", "people", [teams[1]])[0]) == [people[1], people[2]])
  }

  @Test(
    "one to one becomes one to many and back, as long as nobody shares (M11)",
    arguments: EvolvingStore.Kind.allCases)
  func oneToOne(_ kind: EvolvingStore.Kind) throws {
    let (store, teams, people) = try Self.filled(kind)
    let single = {
      try Self.version { person, team in
        connect(toOne("team", team), of: person, toOne("lead", person, was: "people"), of: team)
      }
    }
    for body in [
      { _ = try store.steps(to: single(), from: Self.manyToOne()) },
      { _ = try store.evolve(to: single(), from: Self.manyToOne()) },
    ] {
      let error = failure(body)
      #expect(error?.code == .migration)
      #expect(error?.objectIDs.map(\.key) == [people[0], people[2]])
    }
    try store.commit(StoreChangeSet(deleted: [RowVersion(key: people[2], version: 1)]))
    try store.evolve(to: single())
    try store.reopen()
    #expect(try store.values("Team", "lead") == [.integer(people[0]), .integer(people[1])])
    #expect(try store.values("Person", "team") == [.integer(teams[0]), .integer(teams[1]), .null])
    let wide = try Self.version { person, team in
      connect(toOne("team", team), of: person, toMany("people", person, was: "lead"), of: team)
    }
    let plain = try Self.version { person, team in
      connect(toOne("team", team), of: person, toOne("lead", person), of: team)
    }
    let steps = try store.steps(to: wide, from: plain)
    #expect(!steps.contains { $0.kind == .drop })
    try store.evolve(to: wide, from: plain)
    #expect(try store.members("Team", "people", teams) == [[people[0]], [people[1]]])
  }

  @Test(
    "links to friends become mutual with a relationship that is its own inverse",
    arguments: EvolvingStore.Kind.allCases)
  func symmetric(_ kind: EvolvingStore.Kind) throws {
    func friends(_ isMutual: Bool) throws -> ModelVersion {
      try ModelVersion("friends") {
        let person = entity("Person", attribute("name", .string))
        let friends = toMany("friends", person)
        connect(friends, of: person, isMutual ? friends : toMany("friendOf", person), of: person)
        return [person]
      }
    }
    let store = try EvolvingStore(kind, friends(false))
    let people = try (0..<3).map { try store.insert("Person", ["name": .string("\($0)")]) }
    try store.link("Person", "friends", people[0], [people[1], people[2]])
    try store.link("Person", "friends", people[1], [people[0]])
    try store.evolve(to: friends(true), from: friends(false))
    #expect(
      try store.members("Person", "friends", people)
        == [[people[1], people[2]], [people[0]], [people[0]]])
    try store.evolve(to: friends(false))
    try store.reopen()
    #expect(
      try store.members("Person", "friendOf", people)
        == [[people[1], people[2]], [people[0]], [people[0]]])
  }

  @Test(
    "a removed relationship is a loss, and one that is new in its place begins empty (M17)",
    arguments: EvolvingStore.Kind.allCases)
  func removed(_ kind: EvolvingStore.Kind) throws {
    let (store, teams, people) = try Self.filled(kind)
    let next = try Self.version { person, team in
      connect(toMany("clubs", team), of: person, toMany("members", person), of: team)
    }
    let steps = try store.steps(to: next, from: Self.manyToOne())
    #expect(steps.filter { $0.kind == .drop }.map(\.title) == ["drop Person.team"])
    #expect(steps.first { $0.kind == .drop }?.rows == 3)
    try store.evolve(to: next, from: Self.manyToOne())
    try store.link("Person", "clubs", people[0], [teams[1]])
    let other = try Self.version { person, team in
      connect(
        toMany("clubs", team, was: "nothing"), of: person,
        toMany("members", person, was: "nobody"), of: team)
    }
    let losses = try store.steps(to: other, from: next).filter { $0.kind == .drop }
    #expect(losses.map(\.title) == ["drop Person.clubs"] && losses.map(\.rows) == [1])
    try store.evolve(to: other)
    #expect(try store.members("Person", "clubs", people) == [[], [], []])
    #expect(try store.members("Team", "members", teams) == [[], []])
  }
}
