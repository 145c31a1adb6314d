// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostInMemory
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Two versions on one server", .enabled(if: Servers.isThere))
struct TwoVersionsTests {
  private static let name = TestModel.Property.attribute("name", .string)

  private static func first() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .attribute("age", .integer16),
        .attribute("code", .string, isOptional: false), .attribute("note", .string)),
      .init("Diary", name))
  }

  private static func second() throws -> TestModel {
    try TestModel(
      .init(
        "Human", was: "Person", indexes: [["title"]], .attribute("title", .string, was: "name"),
        .attribute("age", .integer16, isOptional: false, value: .integer(7)),
        .attribute("note", .string), .attribute("score", .double, value: .double(0.5)),
        .attribute("motto", .string, isOptional: false, value: .string("it's \\ $1"))),
      .init("Team", name))
  }

  @Test("both versions write the history of their store, which does not begin meanwhile (H1, M40)")
  func history() throws {
    var description = try Servers.description()
    let plain = description
    try description.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let new = try Release(Self.second(), plain, .expand)
    try new.insert("Human", ["title": "Bob", "motto": "x"])
    try old.insert("Person", ["name": "Cid", "code": "c"])
    #expect(try old.store.history?.transactions(after: nil, limit: nil).count == 3)
    #expect(try new.store.history?.transactions(after: nil, limit: nil).count == 3)
    try old.close()
    try new.close()

    let other = try Servers.description()
    try Release(Self.first(), other).close()
    try Release(Self.second(), other, .expand).close()
    var tracking = other
    try tracking.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    for model in [try Self.first(), try Self.second()] {
      let error = #expect(throws: PersistenceError.self) { _ = try Release(model, tracking) }
      #expect(error?.code == .persistentStoreOperation, "\(error as Any)")
    }
  }

  @Test(
    "programs of both versions read and save side by side, also those that were open (M40, M41)")
  func sideBySide() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "age": 36, "code": "a"])
    try old.insert("Person", ["name": "Bob", "code": "b"])
    let checksum = old.checksum
    let new = try Release(Self.second(), description, .expand)
    #expect(new.checksum != checksum)
    #expect(
      try new.lines("Human", "title", "age", "score", "motto")
        == ["Ada 36 0.5 it's \\ $1", "Bob 7 0.5 it's \\ $1"])
    // The program that had the store open continues, and so does another one of its version.
    try old.insert("Person", ["name": "Cid", "code": "c"])
    let other = try Release(Self.first(), description)
    #expect(other.checksum == checksum)
    try other.insert("Person", ["name": "Dan", "age": 40, "code": "d"])
    try new.insert("Human", ["title": "Eve", "age": 50, "motto": "x"])
    try new.insert("Team", ["name": "Blue"])
    try new.change("Human", "title", "Ada") { try $0.setValue("Ada L", forKey: "title") }
    try old.change("Person", "name", "Bob") { try $0.setValue(nil, forKey: "age") }
    try old.insert("Diary", ["name": "secret"])
    let people = ["Ada L 36 a", "Bob 7 b", "Cid 7 c", "Dan 40 d", "Eve 50 "]
    #expect(try old.lines("Person", "name", "age", "code") == people)
    #expect(try other.lines("Person", "name", "age", "code") == people)
    #expect(
      try new.lines("Human", "title", "age", "score")
        == ["Ada L 36 0.5", "Bob 7 0.5", "Cid 7 0.5", "Dan 40 0.5", "Eve 50 0.5"])
    // A new program needs no policy.
    let again = try Release(Self.second(), description)
    #expect(try again.lines("Team", "name") == ["Blue"])
    #expect(again.checksum == new.checksum)
  }

  @Test("the new version ends the old one, and programs that use it go on (M40, M44)")
  func contraction() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let new = try Release(Self.second(), description, .expand)
    try new.insert("Human", ["title": "Eve", "motto": "x"])
    try old.close()
    let last = try Release(Self.second(), description, .contract)
    #expect(try last.lines("Human", "title", "age") == ["Ada 7", "Eve 7"])
    // This program was opened while there were two versions.
    try new.insert("Human", ["title": "Fay"])
    for number in 0..<80 { try new.insert("Team", ["name": "T\(number)"]) }
    try new.delete("Human", "title", "Eve")
    #expect(try new.lines("Human", "title", "score") == ["Ada 0.5", "Fay 0.5"])
    #expect(try last.lines("Human", "title", "score") == ["Ada 0.5", "Fay 0.5"])
    // Nothing is left of the old version, nor of the synchronisation of the two.
    let everything = try description.everything()
    #expect(!everything.contains { $0.hasPrefix("column Person.code") || $0.contains("Diary.") })
    #expect(!everything.contains { $0.contains("_sync_") || $0.contains("_roost_versions") })
    #expect(!everything.contains { $0.hasPrefix("column Person.") && !$0.hasSuffix(" ") })
    #expect(throws: PersistenceError(.persistentStoreIncompatibleVersionHash, "")) {
      _ = try Release(Self.first(), description)
    }
    // The next release begins the same way.
    try last.close()
    let third = try TestModel(
      .init("Human", .attribute("title", .string)), .init("Team", Self.name))
    let next = try Release(third, description, .expand)
    try new.insert("Human", ["title": "Gil", "motto": "y"])
    #expect(try next.lines("Human", "title") == ["Ada", "Fay", "Gil"])
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(third, description, .contract)
    }
    #expect(error?.code == .storeBusy)
    try new.close()
    let end = try Release(third, description, .contract)
    #expect(try end.lines("Human", "title") == ["Ada", "Fay", "Gil"])
  }

  @Test("a store is not contracted while a program of the old version has it open (M44)")
  func sessions() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let new = try Release(Self.second(), description, .expand)
    let before = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.second(), description, .contract)
    }
    #expect(error?.code == .storeBusy)
    #expect(error?.message.contains("1 sessions of the old version") == true)
    #expect(error?.message.contains("since ") == true)
    #expect(try description.everything() == before)
    #expect(try old.lines("Person", "name") == ["Ada"])
    try old.close()
    let last = try Release(Self.second(), description, .contract)
    #expect(try last.lines("Human", "title") == ["Ada"])
    #expect(try new.lines("Human", "title") == ["Ada"])
  }

  @Test(
    "who is left when a store is contracted by force is refused, and reads nothing wrong (M44, M34)"
  )
  func forced() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    _ = try Release(Self.second(), description, .expand)
    let new = try Release(
      Self.second(), description, .contract.ignoreOpenSessions(true))
    for body in [
      { _ = try old.lines("Person", "name") }, { try old.insert("Person", ["code": "z"]) },
      { try old.insert("Diary") },
    ] as [() throws -> Void] {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == .persistentStoreIncompatibleVersionHash)
    }
    #expect(try new.lines("Human", "title") == ["Ada"])
  }

  @Test("a third version waits, and is told of the two (M45)")
  func third() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    let new = try Release(Self.second(), description, .expand)
    let before = try description.everything()
    let third = try TestModel(.init("Person", Self.name))
    for policy in [EvolutionPolicy.expand, .automatic, .contract, .refuse] {
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(third, description, policy)
      }
      #expect(error?.code == .persistentStoreIncompatibleVersionHash)
      #expect(error?.message.contains(old.checksum) == true)
      #expect(error?.message.contains(new.checksum) == true)
    }
    #expect(try description.everything() == before)
  }

  @Test("stores that serve one version refuse to serve two, also where nothing is to be done (M40)")
  func otherStores() throws {
    let description = PersistentStoreDescription.inMemory()
    for policy in [EvolutionPolicy.expand, .contract, .abandon] {
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(Self.first(), description, policy)
      }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("PostgreSQL") == true)
    }
  }

  @Test("what is not expanded is not contracted, and what is of the version is just opened (M44)")
  func nothingToDo() throws {
    let description = try Servers.description()
    try Release(Self.first(), description, .contract).close()
    try Release(Self.first(), description, .expand).close()
    let before = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.second(), description, .contract)
    }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash)
    #expect(try description.everything() == before)
  }

  @Test("what programs note in the metadata is common to both versions (M40)")
  func metadata() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.note("a", 1, with: "Diary")
    let new = try Release(Self.second(), description, .expand)
    #expect(new.store.metadata.userValues["a"] == .integer(1))
    try new.note("b", 2, with: "Team")
    let other = try Release(Self.first(), description)
    #expect(other.store.metadata.userValues["b"] == .integer(2))
    #expect(other.checksum == old.checksum)
    try old.close()
    try other.close()
    let last = try Release(Self.second(), description, .contract)
    #expect(last.store.metadata.userValues["b"] == .integer(2))
    try new.note("c", 3, with: "Team")
    try last.close()
    let again = try Release(Self.second(), description)
    #expect(again.store.metadata.userValues["c"] == .integer(3))
    #expect(again.checksum == new.checksum)
  }

  @Test("indexes of programs of one version that differ are settled by the contraction (M4, M40)")
  func indexes() throws {
    func model(_ indexes: [[String]], _ title: String) throws -> TestModel {
      try TestModel(
        .init(
          "Person", indexes: indexes, .attribute(title, .string, was: "name"),
          .attribute("age", .integer16)))
    }
    let description = try Servers.description()
    func indexNames() throws -> [String] {
      try description.everything().filter { $0.hasPrefix("index Person") }
        .map { String($0.split(separator: " ")[1]) }
    }
    let old = try Release(model([["name"]], "name"), description)
    try old.insert("Person", ["name": "Ada", "age": 1])
    _ = try Release(model([["age"]], "title"), description, .expand)
    #expect(try indexNames() == ["Person_by_age", "Person_by_name", "Person_pkey"])
    // Programs of either version that have another index.
    let other = try Release(model([["name", "age"]], "name"), description)
    let new = try Release(model([["age", "title"]], "title"), description)
    try other.insert("Person", ["name": "Bob"])
    #expect(try new.lines("Person", "title") == ["Ada", "Bob"])
    try old.close()
    try other.close()
    let last = try Release(model([["age", "title"]], "title"), description, .contract)
    #expect(try indexNames().count == 2)
    #expect(try last.lines("Person", "title") == ["Ada", "Bob"])
    try last.close()
    let again = try Release(model([["age"]], "title"), description)
    #expect(try again.lines("Person", "title") == ["Ada", "Bob"])
    #expect(try indexNames().count == 2)
  }

  /// Returns the number of round trips of a store's only connection.
  private func roundTrips(_ release: Release) throws -> Int {
    let pool = try #require(release.store as? PostgreSQLStore).pool
    #expect(pool.connectionCount == 1)
    return try pool.withConnection { $0.roundTrips }
  }

  @Test("only a store that serves two versions costs round trips more to be opened (M1, M40)")
  func opening() throws {
    let description = try Servers.description()
    try Release(Self.first(), description).close()
    let old = try Release(Self.first(), description)
    #expect(try roundTrips(old) == 1)
    try Release(Self.second(), description, .expand).close()
    let between = try Release(Self.first(), description)
    #expect(try roundTrips(between) == 2)
    let new = try Release(Self.second(), description, .expand)
    #expect(try roundTrips(new) == 3)
    try between.close()
    try old.close()
    try Release(Self.second(), description, .contract).close()
    try Release(Self.second(), description).close()
    let last = try Release(Self.second(), description, .expand)
    #expect(try roundTrips(last) == 1)
  }

  @Test("the plan of an expansion says who waits, and opens nothing for writing (M40)")
  func plan() throws {
    var description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let before = try description.everything()
    description.evolution = .expand
    let model = try Self.second().model
    let plan = try #require(try MigrationPlan(for: description, model: model))
    #expect(plan.steps.allSatisfy { $0.lock != nil })
    #expect(
      plan.steps.contains { $0.title == "add Human.score" && $0.lock == .readersAndWritersWait })
    #expect(plan.steps.contains { $0.kind == .index && $0.lock == MigrationPlan.Lock.none })
    #expect(plan.losses.isEmpty)
    #expect(try description.everything() == before)
    _ = try Release(Self.second(), description, .expand)
    #expect(try MigrationPlan(for: description, model: model) == nil)
    description.evolution = .contract
    let end = try #require(try MigrationPlan(for: description, model: model))
    #expect(end.losses.contains { $0.name == "Person.code" && $0.count == 1 })
  }

  @Test("data goes with the contraction, which can be forbidden (M17)")
  func losses() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    _ = try Release(Self.second(), description, .expand.allowLoss(false))
    try old.close()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.second(), description, .contract.allowLoss(false))
    }
    #expect(error?.code == .migration)
    let again = try Release(Self.first(), description)
    #expect(try again.lines("Person", "code") == ["a"])
  }
}
