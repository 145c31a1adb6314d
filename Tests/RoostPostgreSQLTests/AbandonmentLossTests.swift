// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("What an abandonment takes away, and beside whom", .enabled(if: Servers.isThere))
struct AbandonmentLossTests {
  private static let name = AbandonmentTests.name

  @Test("what is written after a plan has counted is found by the abandonment itself (M17, M44)")
  func lateLoss() throws {
    let description = try Servers.description()
    let old = try Release(AbandonmentTests.first(), description)
    let new = try Release(AbandonmentTests.second(), description, .expand)
    let store = try description.type.driver.open(description)
    defer { store.close() }
    let expansion = try #require(store.evolution?.expansion)
    #expect(try expansion.abandonmentSteps().allSatisfy { $0.rows == 0 })
    try new.insert("Person", ["title": "Bob", "score": 2.0])
    try new.insert("Club", ["name": "Chess"])
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      try expansion.abandonExpansion(
        evenComplete: true, ignoringSessions: true, allowingLoss: false)
    }
    #expect(error?.code == .migration)
    #expect(error?.message.contains("Club, Person.score") == true, "\(error?.message ?? "")")
    #expect(try description.everything() == everything)
    #expect(try new.lines("Person", "title", "score") == ["Bob 2.0"])
    try expansion.abandonExpansion(
      evenComplete: true, ignoringSessions: true, allowingLoss: true)
    #expect(try old.lines("Person", "name") == ["Bob"])
  }

  @Test("a second home of what the old version has is no loss, other values there are (M42, M44)")
  func secondHomes() throws {
    let size = TestModel.Property.attribute("size", .integer16)
    let before = try TestModel(
      .init("Asset", abstract: true, Self.name, .one("team", "Team", inverse: "assets")),
      .init("Car", parent: "Asset", size), .init("Boat", parent: "Asset"),
      .init(
        "Team", Self.name, .many("assets", "Asset", inverse: "team"), .many("fans", "Fan")),
      .init("Fan", Self.name))
    let after = try TestModel(
      .init(
        "Asset", abstract: true, Self.name, .many("team", "Team", inverse: "assets"),
        .attribute("size", .double)),
      .init("Car", parent: "Asset"), .init("Boat", parent: "Asset"),
      .init(
        "Team", Self.name, .many("assets", "Asset", inverse: "team"),
        .many("fans", "Fan", inverse: "team")),
      .init("Fan", Self.name, .one("team", "Team", inverse: "fans")))
    for hasBoat in [true, false] {
      let description = try Servers.description()
      let old = try Release(before, description)
      try old.insert("Team", ["name": "A"])
      try old.insert("Car", ["name": "a", "size": 3])
      try old.link("Car", "a", "team", to: "Team", "A")
      let new = try Release(after, description, .expand.allowLosslessTypeChanges(true))
      try new.insert("Car", ["name": "b", "size": 4.0])
      try new.link("Car", "b", "team", to: "Team", "A")
      try new.insert("Fan", ["name": "f"])
      try new.link("Fan", "f", "team", to: "Team", "A")
      if hasBoat { try new.insert("Boat", ["name": "c", "size": 5.0]) }
      try new.close()
      if hasBoat {
        let error = #expect(throws: PersistenceError.self) {
          _ = try Release(before, description, .abandon.allowLoss(false))
        }
        #expect(error?.code == .migration)
        #expect(error?.message.contains(": 1 of Asset.size_2.") == true, "\(error as Any)")
      } else {
        try Release(before, description, .abandon.allowLoss(false)).close()
      }
      #expect(try old.lines("Car", "name", "size", "team") == ["a 3 -> A", "b 4 -> A"])
      #expect(try old.lines("Team", "name", "fans") == ["A -> f"])
    }
  }

  // MARK: - At the same time

  @Test("an abandonment that waits for a save does not hold what the save asks for next (M44)")
  func lockOrder() throws {
    let description = try Servers.description()
    let old = try Release(AbandonmentTests.first(), description)
    try Release(AbandonmentTests.second(), description, .expand).close()
    let schema = try description.schemaName
    let (saver, watch) = (
      try RawSession(try #require(Servers.uri)), try RawSession(try #require(Servers.uri))
    )
    try saver.run(["BEGIN", "LOCK TABLE \(schema).\"Person\" IN ROW EXCLUSIVE MODE"])
    let (first, ended) = (try AbandonmentTests.first(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      _ = try? Release(first, description, .abandon)
      ended.signal()
    }
    var holders: [String] = []
    for _ in 0..<10_000 where holders.isEmpty {
      holders = try watch.rows(
        """
        WITH l AS MATERIALIZED (SELECT * FROM pg_locks)
        SELECT (SELECT count(*) FROM l h WHERE h.pid = w.pid AND h.granted
        AND h.relation = '\(schema)._roost_metadata'::regclass
        AND h.mode = 'AccessExclusiveLock')::text FROM l w
        WHERE NOT w.granted AND w.relation = '\(schema)."Person"'::regclass
        """)
    }
    #expect(holders == ["0"])
    try saver.run(["SELECT format FROM \(schema)._roost_metadata", "COMMIT"])
    ended.wait()
    #expect(!(try description.everything()).contains { $0.hasPrefix("column Club.") })
    try old.insert("Person", ["name": "Ada"])
  }

  @Test("a store that is abandoned while it is opened is no damaged one (M44, M34)")
  func opening() throws {
    let description = try Servers.description()
    try Release(AbandonmentTests.first(), description).close()
    try Release(AbandonmentTests.second(), description, .expand).close()
    let store = try #require(try description.type.driver.open(description) as? PostgreSQLStore)
    defer { store.close() }
    let reading = try store.withConnection { connection in
      try StoreReading(connection.run(StoreReading.commands(connection)))
    }
    try Release(AbandonmentTests.first(), description, .abandon).close()
    #expect(throws: PersistenceError(.persistentStoreIncompatibleVersionHash, "")) {
      try store.translating {
        try store.withConnection { try $0.namespace.secondVersion($0, reading) }
      }
    }
  }

  @Test("sessions of a withdrawn version do not keep out an expansion that ignores them (M52)")
  func ignored() throws {
    let description = try Servers.description()
    let old = try Release(AbandonmentTests.first(), description)
    try old.insert("Person", ["name": "Ada"])
    let left = try Release(AbandonmentTests.second(), description, .expand)
    try Release(AbandonmentTests.first(), description, .abandon.ignoreOpenSessions(true)).close()
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      _ = try Release(AbandonmentTests.second(), description, .expand, stoppingAt: 1)
    }
    let edited = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer16, isOptional: false, value: .integer(7)),
        .one("team", "Team", inverse: "people"), .attribute("extra", .string)),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    #expect(throws: PersistenceError(.storeBusy, "")) {
      _ = try Release(edited, description, .expand)
    }
    let new = try Release(edited, description, .expand.ignoreOpenSessions(true))
    #expect(try new.lines("Person", "name", "age", "extra") == ["Ada 7 -"])
    try left.close()
  }
}
