// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Testing

@Entity final class Card: ManagedObject {
  @Attribute(.unique) var code: String
  var text: String = ""
  var number: Int = 0
  @Relationship(inverse: \.cards) var labels: Set<Label>
  /// Labels, by a relationship without an inverse.
  @Relationship var pins: Set<Label>
}

@Entity final class Label: ManagedObject {
  var name: String
  @Relationship(inverse: \.labels) var cards: Set<Card>
}

/// Tests of saves of several records that change values, links, or both.
@Suite("Saves of several records", .enabled(if: Servers.isThere))
struct PinboardTests {
  private let coordinator: PersistentStoreCoordinator
  private let store: any PersistentStore

  init() throws {
    coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(Card.self, Label.self))
    store = try coordinator.addPersistentStore(with: Servers.description())
  }

  private func context() -> ManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  /// Saves new cards and returns them by their codes.
  private func cards(_ codes: String..., in context: ManagedObjectContext) throws -> [Card] {
    let cards = codes.map { code in
      let card = Card(context: context)
      card.code = code
      return card
    }
    try context.save()
    return cards
  }

  private func stored(_ context: ManagedObjectContext) throws -> [Card] {
    try context.fetch(Card.fetchRequest().sorted(by: \.code))
  }

  @Test("a value that a changed record takes from another is a conflict, not a refusal (B192)")
  func taken() throws {
    let context = context()
    let cards = try cards("a", "b", in: context)
    cards[1].code = "a"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .managedObjectConstraintMerge)
    let reader = self.context()
    #expect(try stored(reader).map(\.code) == ["a", "b"])
    try coordinator.remove(store)
  }

  @Test("a record that is deleted takes along the links of those who do not know of it")
  func deletedDestination() throws {
    let context = context()
    let cards = try cards("a", in: context)
    let labels = ["kept", "gone"].map { name in
      let label = Label(context: context)
      label.name = name
      return label
    }
    cards[0].pins = Set(labels)
    try context.save()
    #expect(try links() == 2)
    context.reset()
    let gone = try #require(try context.fetch(Label.where { $0.name == "gone" }).first)
    context.delete(gone)
    try context.save()
    #expect(try links() == 1)
    let reader = self.context()
    #expect(try stored(reader).first?.pins.map(\.name) == ["kept"])
    try coordinator.remove(store)
  }

  /// Returns the number of links in all link tables of the schema.
  private func links() throws -> Int {
    let schema = try #require(store.url?.query()?.split(separator: "=").last)
    let raw = try RawSession(try #require(Servers.uri))
    let tables = try raw.rows(
      "SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)' AND tablename NOT IN "
        + "('Card', 'Label') AND tablename NOT LIKE '\\_roost%'")
    #expect(tables.count == 2, "\(tables)")
    return try tables.reduce(0) { sum, table in
      let count = try raw.rows("SELECT count(*) FROM \"\(schema)\".\"\(table)\"").first
      return sum + (count.flatMap(Int.init) ?? 0)
    }
  }
}
