// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Two versions of a model, records of the first, and the expected content after the migration to the second.
package struct EvolutionScenario: Sendable, CustomStringConvertible {
  package let name: String
  package let before: @Sendable () throws -> TestModel
  package let after: @Sendable () throws -> TestModel
  package let fill: @Sendable (EvolvingStore) throws -> Void
  package let contents: [String]
  /// The titles of the steps; nil if they do not matter.
  package var titles: [String]?

  package var description: String { name }

  package init(
    _ name: String, from before: @autoclosure @escaping @Sendable () throws -> TestModel,
    to after: @autoclosure @escaping @Sendable () throws -> TestModel,
    fill: @escaping @Sendable (EvolvingStore) throws -> Void, contents: [String],
    titles: [String]? = nil
  ) {
    self.name = name
    self.before = before
    self.after = after
    self.fill = fill
    self.contents = contents
    self.titles = titles
  }

  package static let all = attributes + entities + relationships + orders

  static let name = TestModel.Property.attribute("name", .string)
}

// MARK: - Attributes

extension EvolutionScenario {
  private static let people: @Sendable (EvolvingStore) throws -> Void = { store in
    try store.insert("Person", 1, ["name": "Ada"])
    try store.insert("Person", 2)
  }

  static let attributes: [EvolutionScenario] = [
    EvolutionScenario(
      "an attribute is renamed",
      from: try TestModel(.init("Person", indexes: [["name"]], name)),
      to: try TestModel(
        .init(
          "Person", indexes: [["fullName"]], .attribute("fullName", .string, was: "name"))),
      fill: people, contents: ["Person 1: fullName: \"Ada\"", "Person 2: "],
      titles: ["rename Person.name to fullName"]),
    EvolutionScenario(
      "attributes are added, with and without defaults",
      from: try TestModel(.init("Person", name)),
      to: try TestModel(
        .init(
          "Person", name, .attribute("score", .integer64, isOptional: false, value: 7),
          .attribute("note", .string), .attribute("mood", .string, value: "it's fine"),
          .attribute("ratio", .double, value: 0.1), .attribute("half", .double, value: 3.0),
          .attribute("active", .boolean, value: true),
          .attribute("price", .decimal, value: .decimal(2.5)))),
      fill: people,
      contents: [
        "Person 1: active: true, half: 3.0, mood: \"it\\'s fine\", name: \"Ada\", price: 2.5, "
          + "ratio: 0.1, score: 7",
        "Person 2: active: true, half: 3.0, mood: \"it\\'s fine\", price: 2.5, ratio: 0.1, score: 7",
      ]),
    EvolutionScenario(
      "an attribute is removed",
      from: try TestModel(.init("Person", indexes: [["age"]], name, .attribute("age", .integer16))),
      to: try TestModel(.init("Person", name)),
      fill: { store in
        try store.insert("Person", 1, ["name": "Ada", "age": 36])
        try store.insert("Person", 2, ["name": "Bob"])
      }, contents: ["Person 1: name: \"Ada\"", "Person 2: name: \"Bob\""],
      titles: ["drop indexes", "drop Person.age"]),
    EvolutionScenario(
      "an attribute becomes required",
      from: try TestModel(.init("Person", name)),
      to: try TestModel(
        .init("Person", .attribute("name", .string, isOptional: false, value: "nobody"))),
      fill: people, contents: ["Person 1: name: \"Ada\"", "Person 2: name: \"nobody\""],
      titles: ["fill Person.name"]),
    EvolutionScenario(
      "an attribute becomes optional",
      from: try TestModel(
        .init("Person", .attribute("name", .string, isOptional: false, value: "nobody"))),
      to: try TestModel(.init("Person", name)),
      fill: { try $0.insert("Person", 1, ["name": "Ada"]) }, contents: ["Person 1: name: \"Ada\""]),
    EvolutionScenario(
      "types change without a loss",
      from: try TestModel(
        .init(
          "Person", .attribute("age", .integer32), .attribute("site", .string),
          .attribute("link", .uri))),
      to: try TestModel(
        .init(
          "Person", .attribute("age", .double), .attribute("site", .uri),
          .attribute("link", .string))),
      fill: { store in
        try store.insert(
          "Person", 1, ["age": 36, "site": "http://a.example/b", "link": .uri(url)])
        try store.insert("Person", 2)
      },
      contents: [
        "Person 1: age: 36.0, link: \"http://c.example\", site: http://a.example/b", "Person 2: ",
      ]),
    EvolutionScenario(
      "derived attributes are added and changed",
      from: try TestModel(
        .init("Person", name, .derived("shown", .string, "lowercase:(name)"), one("team")),
        .init("Team", name, .many("members", "Person", inverse: "team"))),
      to: try TestModel(
        .init("Person", name, .derived("shown", .string, "uppercase:(name)"), one("team")),
        .init(
          "Team", name, .many("members", "Person", inverse: "team"),
          .derived("size", .integer64, "members.@count"))),
      fill: { store in
        try store.insert("Team", 10, ["name": "A"])
        try store.insert("Team", 11)
        try store.insert("Person", 1, ["name": "Ada", "team": store.reference("Team", 10)])
        try store.insert("Person", 2, ["name": "Bob", "team": store.reference("Team", 10)])
      },
      contents: [
        "Person 1: name: \"Ada\", shown: \"ADA\", team: 10",
        "Person 2: name: \"Bob\", shown: \"BOB\", team: 10",
        "Team 10: members: [1, 2], name: \"A\", size: 2", "Team 11: size: 0",
      ]),
    EvolutionScenario(
      "a constraint and an index are added",
      from: try TestModel(.init("Person", name)),
      to: try TestModel(.init("Person", unique: [["name"]], indexes: [["name"]], name)),
      fill: people, contents: ["Person 1: name: \"Ada\"", "Person 2: "],
      titles: ["index Person_by_name", "unique Person.name"]),
  ]

  private static func one(_ name: String) -> TestModel.Property {
    .one(name, "Team", inverse: "members")
  }
}
