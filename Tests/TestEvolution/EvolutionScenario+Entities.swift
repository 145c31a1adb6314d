// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension EvolutionScenario {
  static var url: URL {
    guard let url = URL(string: "http://c.example") else { preconditionFailure("No URL.") }
    return url
  }

  private static let pets: @Sendable (EvolvingStore) throws -> Void = { store in
    try store.insert("Animal", 1, ["name": "Rex"])
    try store.insert("Dog", 2, ["name": "Fido", "barks": 3])
    try store.insert("Cat", 3, ["name": "Tom", "lives": 9])
    try store.insert("Dog", 4, ["name": "Bello"])
  }

  private static let barks = TestModel.Property.attribute("barks", .integer16)
  private static let lives = TestModel.Property.attribute("lives", .integer16)

  @Sendable private static func animals() throws -> TestModel {
    try TestModel(
      .init("Animal", unique: [["name"]], name), .init("Dog", parent: "Animal", barks),
      .init("Cat", parent: "Animal", lives))
  }

  static let entities: [EvolutionScenario] = [
    EvolutionScenario(
      "an entity with a constraint and links is renamed",
      from: try TestModel(
        .init(
          "Person", unique: [["name"]], name, .many("friends", "Person", inverse: "fans"),
          .many("fans", "Person", inverse: "friends"))),
      to: try TestModel(
        .init(
          "Human", was: "Person", unique: [["name"]], name,
          .many("friends", "Human", inverse: "fans"), .many("fans", "Human", inverse: "friends"))),
      fill: { store in
        try store.insert("Person", 1, ["name": "Ada"])
        try store.insert("Person", 2, ["name": "Bob"])
        try store.link(
          "Person", "friends", [(store.key("Person", 1), store.key("Person", 2))])
      }, contents: ["Human 1: friends: [2], name: \"Ada\"", "Human 2: fans: [1], name: \"Bob\""]),
    EvolutionScenario(
      "names are swapped between two entities",
      from: try TestModel(
        .init("A", .attribute("x", .string)), .init("B", .attribute("y", .string))),
      to: try TestModel(
        .init("B", was: "A", .attribute("x", .string)),
        .init("A", was: "B", .attribute("y", .string))),
      fill: { store in
        try store.insert("A", 1, ["x": "was A"])
        try store.insert("B", 2, ["y": "was B"])
      }, contents: ["A 2: y: \"was B\"", "B 1: x: \"was A\""]),
    EvolutionScenario(
      "an entity is added to a hierarchy, and one beside it",
      from: try TestModel(.init("Animal", name)),
      to: try TestModel(
        .init("Animal", name), .init("Dog", parent: "Animal", barks), .init("Stone", name)),
      fill: { try $0.insert("Animal", 1, ["name": "Rex"]) },
      contents: ["Animal 1: name: \"Rex\""]),
    EvolutionScenario(
      "an entity of a hierarchy is removed, with what leads to it",
      from: try TestModel(
        .init("Animal", name), .init("Dog", parent: "Animal", barks),
        .init("Owner", name, .one("pet", "Animal"), .many("liked", "Animal"))),
      to: try TestModel(
        .init("Animal", name), .init("Owner", name, .one("pet", "Animal"), .many("liked", "Animal"))
      ),
      fill: { store in
        try store.insert("Animal", 1, ["name": "Rex"])
        try store.insert("Dog", 2, ["name": "Fido", "barks": 3])
        try store.insert("Owner", 5, ["pet": store.reference("Dog", 2)])
        try store.insert("Owner", 6, ["pet": store.reference("Animal", 1)])
        let owner = store.key("Owner", 5)
        try store.link(
          "Owner", "liked", [(owner, store.key("Dog", 2)), (owner, store.key("Animal", 1))])
      }, contents: ["Animal 1: name: \"Rex\"", "Owner 5: liked: [1]", "Owner 6: pet: 1"]),
    EvolutionScenario(
      "an entity with a table of its own is removed",
      from: try TestModel(.init("Person", name), .init("Stone", name, .many("near", "Stone"))),
      to: try TestModel(.init("Person", name)),
      fill: { store in
        try store.insert("Person", 1, ["name": "Ada"])
        try store.insert("Stone", 2)
        try store.insert("Stone", 3)
        try store.link("Stone", "near", [(store.key("Stone", 2), store.key("Stone", 3))])
      }, contents: ["Person 1: name: \"Ada\""],
      titles: ["drop indexes", "drop Stone", "remove the table of Stone", "drop Stone.near"]),
    EvolutionScenario(
      "an entity leaves its hierarchy", from: try animals(),
      to: try TestModel(
        .init("Animal", unique: [["name"]], name), .init("Dog", unique: [["name"]], name, barks),
        .init("Cat", parent: "Animal", lives)),
      fill: pets,
      contents: [
        "Animal 1: name: \"Rex\"", "Cat 3: lives: 9, name: \"Tom\"",
        "Dog 2: barks: 3, name: \"Fido\"", "Dog 4: name: \"Bello\"",
      ]),
    EvolutionScenario(
      "an entity enters a hierarchy",
      from: try TestModel(
        .init("Animal", unique: [["name"]], name), .init("Dog", unique: [["name"]], name, barks),
        .init("Cat", parent: "Animal", lives)),
      to: try animals(), fill: pets,
      contents: [
        "Animal 1: name: \"Rex\"", "Cat 3: lives: 9, name: \"Tom\"",
        "Dog 2: barks: 3, name: \"Fido\"", "Dog 4: name: \"Bello\"",
      ]),
    EvolutionScenario(
      "an entity gets a new parent without records",
      from: try TestModel(.init("Dog", name, barks)),
      to: try TestModel(
        .init("Animal", abstract: true, name), .init("Dog", parent: "Animal", barks)),
      fill: { try $0.insert("Dog", 2, ["name": "Fido", "barks": 3]) },
      contents: ["Dog 2: barks: 3, name: \"Fido\""]),
    EvolutionScenario(
      "a parent goes and leaves its children", from: try animals(),
      to: try TestModel(
        .init("Dog", unique: [["name"]], name, barks), .init("Cat", name, lives)),
      fill: pets,
      contents: [
        "Cat 3: lives: 9, name: \"Tom\"", "Dog 2: barks: 3, name: \"Fido\"",
        "Dog 4: name: \"Bello\"",
      ]),
    EvolutionScenario(
      "attributes move up and down", from: try animals(),
      to: try TestModel(
        .init("Animal", barks), .init("Dog", parent: "Animal", name),
        .init("Cat", parent: "Animal", lives, name)),
      fill: pets,
      contents: [
        "Animal 1: ", "Cat 3: lives: 9, name: \"Tom\"", "Dog 2: barks: 3, name: \"Fido\"",
        "Dog 4: name: \"Bello\"",
      ]),
    EvolutionScenario(
      "an attribute comes back under the name of one that went",
      from: try TestModel(.init("Person", .attribute("name", .string))),
      to: try TestModel(
        .init("Person", .attribute("name", .string, was: "other", value: "new"))),
      fill: { try $0.insert("Person", 1, ["name": "old"]) },
      contents: ["Person 1: name: \"new\""]),
  ]
}
