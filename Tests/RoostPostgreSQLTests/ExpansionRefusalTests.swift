// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("What is not expanded", .enabled(if: Servers.isThere))
struct ExpansionRefusalTests {
  private static let name = TestModel.Property.attribute("name", .string)
  private static let required = TestModel.Property.attribute(
    "name", .string, isOptional: false, value: .string("nobody"))

  private func expectRefusal(
    _ before: TestModel, _ after: TestModel, _ word: String,
    fill: (Release) throws -> Void = { _ in }
  ) throws {
    let description = try Servers.description()
    let old = try Release(before, description)
    try fill(old)
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self, "\(word)") {
      _ = try Release(after, description, .expand)
    }
    #expect(error?.code == .migration, "\(error as Any)")
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(".automatic") == true)
    #expect(try description.everything() == everything)
  }

  @Test(
    "what would be seen by the other version is refused by its name, and nothing is written (M41, M42)"
  )
  func refusals() throws {
    let person = try TestModel(.init("Person", Self.name))
    try expectRefusal(
      TestModel(.init("Person", Self.required)), TestModel(.init("Person", Self.name)),
      "Person.name becomes optional")
    try expectRefusal(
      person, TestModel(.init("Person", Self.name), .init("Boss", parent: "Person")),
      "records of Boss")
    try expectRefusal(
      TestModel(.init("Person", Self.name), .init("Boss", parent: "Person")), person,
      "records of Boss")
    try expectRefusal(
      person, TestModel(.init("Person", Self.name, .derived("small", .string, "lowercase:(name)"))),
      "Person.small is derived")
    try expectRefusal(
      TestModel(.init("Person", Self.name, .derived("small", .string, "lowercase:(name)"))), person,
      "Person.small is removed")
    try expectRefusal(
      TestModel(
        .init(
          "Person", unique: [["code"]], Self.name,
          .attribute("code", .string, isOptional: false))), person, "to be unique")
    try expectRefusal(
      person,
      TestModel(
        .init(
          "Person", unique: [["code"]], Self.name,
          .attribute("code", .string, isOptional: false, value: .string("x")))),
      "to be unique by code")
  }

  @Test("orders that come or go, and what cannot be in two places, are refused (M42)")
  func refusedRelationships() throws {
    func model(_ isToMany: Bool, isOrdered: Bool = false) throws -> TestModel {
      try TestModel(
        .init(
          "Person", Self.name,
          isToMany
            ? .many("team", "Team", inverse: "people") : .one("team", "Team", inverse: "people")),
        .init("Team", Self.name, .many("people", "Person", inverse: "team", isOrdered: isOrdered)))
    }
    try expectRefusal(
      model(false), model(false, isOrdered: true), "is kept in another place or in another order")
    try expectRefusal(model(false, isOrdered: true), model(false), "has an order in one version")
    try expectRefusal(model(true), model(true, isOrdered: true), "in another order")
    try expectRefusal(
      model(false, isOrdered: true), model(true, isOrdered: true), "its inverse is ordered")
    try expectRefusal(
      model(false), model(true, isOrdered: true), "its inverse is ordered")
    // One of two to-one relationships that are each other's inverse becomes to-many.
    try expectRefusal(
      TestModel(
        .init("Person", Self.name, .one("card", "Card", inverse: "owner")),
        .init("Card", Self.name, .one("owner", "Person", inverse: "card"))),
      TestModel(
        .init("Person", Self.name, .many("card", "Card", inverse: "owner")),
        .init("Card", Self.name, .one("owner", "Person", inverse: "card"))),
      "Person.card is kept at its inverse only")
    try expectRefusal(
      TestModel(
        .init("Asset", abstract: true, Self.name),
        .init("Car", parent: "Asset", .attribute("a", .string)),
        .init("Boat", parent: "Asset", .attribute("a", .string)),
        .init("Plane", parent: "Asset")),
      TestModel(
        .init("Asset", abstract: true, Self.name, .attribute("a", .string, value: .string("x"))),
        .init("Car", parent: "Asset"), .init("Boat", parent: "Asset"),
        .init("Plane", parent: "Asset")),
      "comes from several columns")
  }
}
