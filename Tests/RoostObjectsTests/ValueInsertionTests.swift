// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// Tests of inserting values as records; the conformance kit tests how stores handle them.
@Suite("Values as records") struct ValueInsertionTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    TransformableCodec.register("Passage.note", String.self)
    container = try PersistentContainer(
      name: "Passages",
      model: ManagedObjectModel(Passage.self, Crossing.self, Surcharge.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  private func expect(
    _ code: PersistenceError.Code, _ word: String, _ work: () throws -> Void
  ) throws {
    let error = try #require(throws: PersistenceError.self) { try work() }
    #expect(error.code == code)
    #expect(error.message.contains(word), "\(error.message)")
    #expect(try context.count(for: Passage.fetchRequest()) == 0)
  }

  @Test("all rows are written in one request, with the values that stand in no initializer")
  func insertion() throws {
    let before = context.statistics.roundTrips
    let rows = (0..<20).map { Crossing.Values(.init(ticket: "T\($0)", tier: .first), crew: 2) }
    let ids = try context.insertBatch(rows)
    #expect(context.statistics.roundTrips == before + 1)
    #expect(ids.count == 20 && context.registeredObjects.isEmpty)
    let stored = try #require(try context.existingObject(with: ids[7]) as? Crossing)
    #expect(Crossing.Values(stored) == rows[7])
    #expect(stored.secretValue == 7 && stored.isShown == false)
    #expect(try context.insertBatch([Passage.Values]()) == [])
  }

  @Test("an upsert asks for a uniqueness constraint of attributes")
  func constraints() throws {
    let rows = [Passage.Values(ticket: "T", ship: "Vasa", number: 1, tier: .first)]
    try expect(.invalidRequest, "no uniqueness constraint of “passenger”") {
      try context.upsert(rows, by: \.passenger)
    }
    try expect(.invalidRequest, "(ticket), (ship, number)") {
      try context.upsert(rows, by: \.ship)
    }
    try expect(.invalidRequest, "“partner”") { try context.upsert(rows, by: \.partner) }
    try expect(.invalidRequest, "“partner.ticket”") {
      try context.upsert(rows, by: \.partner?.ticket)
    }
    try expect(.invalidRequest, "no stored property") {
      try context.upsert(rows, by: \.description)
    }
    try expect(.invalidRequest, "“isShown”") { try context.upsert(rows, by: \.isShown) }
    #expect(try context.upsert(rows, by: \.number, \.ship).count == 1)
    #expect(try context.upsert(rows, by: \.ticket).count == 1)
    #expect(try context.count(for: Passage.fetchRequest()) == 1)
  }

  @Test("a subentity is found by the constraint of its superentity")
  func inheritedConstraint() throws {
    var row = Crossing.Values(.init(ticket: "T", tier: .first), crew: 2)
    let first = try context.upsert([row], by: \.ticket)
    row.crew = 3
    #expect(try context.upsert([row], by: \.ticket) == first)
    #expect((try context.existingObject(with: first[0]) as? Crossing)?.crew == 3)
  }

  @Test("values that no store can have, and classes without records, are refused")
  func refused() throws {
    try expect(.invalidValue, "NUL") {
      try context.insertBatch([
        Passage.Values(ticket: "T", tier: .first), Passage.Values(ticket: "U\0", tier: .first),
      ])
    }
    try expect(.invalidValue, "NaN") {
      try context.insertBatch([Passage.Values(ticket: "T", distance: .nan, tier: .first)])
    }
    try expect(.abstractEntity, "Fare") { try context.insertBatch([Fare.Values(label: "a")]) }
    try expect(.unknownEntity, "Stamp") { try context.insertBatch([Stamp.Values(label: "a")]) }
  }
}
