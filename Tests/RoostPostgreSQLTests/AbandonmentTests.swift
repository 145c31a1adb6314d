// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostCoordinator
@testable import RoostPostgreSQL

@Suite("The way back from an expansion", .enabled(if: Servers.isThere))
struct AbandonmentTests {
  static let name = TestModel.Property.attribute("name", .string)

  static func first() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .attribute("age", .integer16, isOptional: false, value: .integer(7)),
        .one("team", "Team", inverse: "people")),
      .init("Team", name, .many("people", "Person", inverse: "team")))
  }

  static func second() throws -> TestModel {
    try TestModel(
      .init(
        "Person", unique: [["title"]], .attribute("title", .string, was: "name"),
        .attribute("score", .double, value: .double(0.5)),
        .many("teams", "Team", was: "team", inverse: "people")),
      .init("Team", name, .many("people", "Person", inverse: "teams")), .init("Club", name))
  }

  /// Returns the objects of the schema, without the metadata number and the identifiers that are never reused.
  private func things(_ description: PersistentStoreDescription) throws -> [String] {
    // The number of the second version keeps its column.
    try description.everything().filter { line in
      line != "column _roost_metadata.second "
        && ["column ", "index ", "function ", "trigger "].contains { line.hasPrefix($0) }
        && !line.contains("_roost_sessions")
    }
  }

  @Test(
    "an expansion is abandoned: what it has added goes, and programs of the old version go on (M44)"
  )
  func abandoned() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Team", ["name": "A"])
    try old.insert("Person", ["name": "Ada", "age": 36])
    try old.link("Person", "Ada", "team", to: "Team", "A")
    let before = try things(description)
    let new = try Release(Self.second(), description, .expand)
    try new.insert("Person", ["title": "Bob", "score": 2.0])
    try new.insert("Club", ["name": "Chess"])
    #expect(try things(description) != before)
    let busy = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.first(), description, .abandon)
    }
    #expect(busy?.code == .storeBusy)
    #expect(busy?.message.contains("1 sessions of the new version") == true)
    try new.close()
    let lossy = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.first(), description, .abandon.allowLoss(false))
    }
    #expect(lossy?.code == .migration)
    #expect(lossy?.message.contains("2 of Person.score") == true, "\(lossy?.message ?? "")")
    var planned = description
    planned.evolution = .abandon
    let plan = try #require(try MigrationPlan(for: planned, model: Self.first().model))
    #expect(plan.losses.contains { $0.name == "Club" && $0.count == 1 })

    let last = try Release(Self.first(), description, .abandon)
    #expect(try things(description) == before)
    for release in [old, last] {
      #expect(try release.lines("Person", "name", "age", "team") == ["Ada 36 -> A", "Bob 7 -"])
      try release.insert("Person", ["name": "Bob"])
      try release.delete("Person", "name", "Bob")
      try release.insert("Person", ["name": "Bob"])
    }
    #expect(try MigrationPlan(for: planned, model: Self.first().model) == nil)
    let refused = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.second(), description, .refuse)
    }
    #expect(refused?.code == .persistentStoreIncompatibleVersionHash)
    // The next attempt starts from the beginning.
    try old.change("Person", "name", "Bob") { try $0.setValue(nil, forKey: "name") }
    let again = try Release(Self.second(), description, .expand)
    #expect(try again.lines("Person", "title", "teams").contains("Ada -> A"))
    try old.link("Person", "Ada", "team", to: "Team", "A")
    try old.close()
    try last.close()
    let end = try Release(Self.second(), description, .contract)
    try again.insert("Person", ["title": "Cid"])
    #expect(try end.lines("Person", "title").contains("Cid"))
  }

  @Test("who uses a version that was withdrawn by force is refused, and writes nothing (M44, M34)")
  func forced() throws {
    // Only a name differs: no statement of the new version fails by itself.
    let before = try TestModel(.init("Person", Self.name), .init("Team", Self.name))
    let after = try TestModel(
      .init("Person", .attribute("title", .string, was: "name")), .init("Team", Self.name),
      .init("Club", Self.name))
    let description = try Servers.description()
    let old = try Release(before, description)
    let new = try Release(after, description, .expand)
    let other = try Release(after, description)
    try new.insert("Person", ["title": "Ada"])
    let last = try Release(before, description, .abandon.ignoreOpenSessions(true))
    for release in [new, other] {
      for body in [
        { try release.insert("Person", ["title": "Bob"]) }, { try release.insert("Team") },
        { _ = try release.lines("Club", "name") },
      ] as [() throws -> Void] {
        let error = #expect(throws: PersistenceError.self) { try body() }
        #expect(error?.code == .persistentStoreIncompatibleVersionHash, "\(error as Any)")
      }
    }
    #expect(try last.lines("Person", "name") == ["Ada"])
    #expect(try old.lines("Team", "name") == [])
    try old.insert("Person", ["name": "Cid"])
    // Another expansion is another version, also for a program that has the first one open.
    let again = try Release(after, description, .expand)
    #expect(throws: PersistenceError(.persistentStoreIncompatibleVersionHash, "")) {
      try new.insert("Person", ["title": "Bob"])
    }
    #expect(try again.lines("Person", "title") == ["Ada", "Cid"])
  }

  @Test("only a program of the old version abandons, and where there is nothing, it opens (M44)")
  func others() throws {
    let description = try Servers.description()
    try Release(Self.first(), description, .abandon).close()
    let expanded = try Release(Self.second(), description, .expand)
    try expanded.close()
    let everything = try description.everything()
    let third = try TestModel(.init("Person", Self.name))
    for (model, word) in [(try Self.second(), "--abandon"), (third, "old version")] {
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(model, description, .abandon)
      }
      #expect(error?.code == .persistentStoreIncompatibleVersionHash)
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }
    #expect(try description.everything() == everything)
  }

  @Test("an expansion that was interrupted is abandoned too (M44, M52)", arguments: [1, 3, 5])
  func interrupted(_ report: Int) throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada"])
    let before = try things(description)
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      _ = try Release(Self.second(), description, .expand, stoppingAt: report)
    }
    let last = try Release(Self.first(), description, .abandon)
    #expect(try things(description) == before)
    #expect(try last.lines("Person", "name", "age") == ["Ada 7"])
    try old.insert("Person", ["name": "Ada"])
  }

  @Test("programs that are open since an earlier expansion go on after another was abandoned (M44)")
  func earlier() throws {
    let description = try Servers.description()
    try Release(Self.first(), description).close()
    let new = try Release(Self.second(), description, .expand)
    try Release(Self.second(), description, .contract).close()
    try new.insert("Person", ["title": "Ada"])
    let third = try TestModel(
      .init("Person", .attribute("title", .string)), .init("Team", Self.name),
      .init("Club", Self.name))
    try Release(third, description, .expand).close()
    try new.insert("Person", ["title": "Bob"])
    try Release(Self.second(), description, .abandon).close()
    try new.insert("Person", ["title": "Cid"])
    #expect(try new.lines("Person", "title") == ["Ada", "Bob", "Cid"])
  }

  @Test("what was opened beside one second version is not used with the next one (M44)")
  func replaced() throws {
    let description = try Servers.description()
    let (first, second) = (try Self.first(), try Self.second())
    let old = try Release(first, description)
    try old.insert("Person", ["name": "Ada", "age": 36])
    try Release(second, description, .expand).close()
    let stores = try (0..<2).map { _ in try description.type.driver.open(description) }
    defer { stores.forEach { $0.close() } }
    let expansions = try stores.map { try #require($0.evolution?.expansion) }
    try expansions[1].adoptSecondVersion()
    try Release(first, description, .abandon.ignoreOpenSessions(true)).close()
    // The next expansion has other changes than the abandoned one.
    let other = try TestModel(
      .init(
        "Person", .attribute("title", .string, was: "name"),
        .attribute("age", .integer16, isOptional: false, value: .integer(7)),
        .one("team", "Team", inverse: "people")),
      .init("Team", Self.name, .many("people", "Person", inverse: "team")))
    let new = try Release(other, description, .expand)
    let everything = try description.everything()
    #expect(throws: PersistenceError(.persistentStoreIncompatibleVersionHash, "")) {
      try expansions[0].adoptSecondVersion()
    }
    let resolution = try EvolutionResolution(
      version: StoreVersion(second.model, configuration: nil), source: first.model,
      metadata: old.store.metadata, identity: old.store.identity, policy: .contract)
    #expect(try expansions[1].contractionSteps(of: resolution.change).isEmpty)
    let isDone = try expansions[1].contract(
      resolution.change, ignoringSessions: true, reporter: MigrationReporter())
    #expect(!isDone)
    #expect(try description.everything() == everything)
    #expect(try new.lines("Person", "title", "age") == ["Ada 36"])
  }
}
