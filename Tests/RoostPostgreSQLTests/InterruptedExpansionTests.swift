// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Expansions that are interrupted, and those under load", .enabled(if: Servers.isThere))
struct InterruptedExpansionTests {
  private static let name = TestModel.Property.attribute("name", .string)

  private static func first() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .attribute("age", .integer16),
        .attribute("code", .string, isOptional: false), .one("mentor", "Person")))
  }

  private static func second(_ title: String = "title") throws -> TestModel {
    try TestModel(
      .init(
        "Person", unique: [[title]], .attribute(title, .string, was: "name"),
        .attribute("age", .integer16, isOptional: false, value: .integer(7)),
        .attribute("score", .integer64, value: .integer(1))),
      .init("Team", name))
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  @Test("an expansion that was ended at any step is taken up (M40, M50)", arguments: 1...9)
  func interrupted(_ report: Int) throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    do {
      // The last report may come after the last step.
      _ = try Release(Self.second(), description, .expand, stoppingAt: report)
      #expect(report > 8, "\(report)")
    } catch let error as PersistenceError {
      #expect(error.code == .migrationCancelled)
      // An incomplete expansion cannot be used.
      let refused = #expect(throws: PersistenceError.self) {
        _ = try Release(Self.second(), description)
      }
      #expect(refused?.code == .persistentStoreIncompatibleVersionHash)
      #expect(refused?.message.contains(".expand") == true)
    }
    try old.insert("Person", ["name": "Bob", "code": "b"])
    let other = try Release(Self.first(), description)
    #expect(try other.lines("Person", "name", "code") == ["Ada a", "Bob b"])
    let new = try Release(Self.second(), description, .expand)
    #expect(try new.lines("Person", "title", "age", "score") == ["Ada 7 1", "Bob 7 1"])
    try old.insert("Person", ["name": "Cid", "code": "c"])
    #expect(try new.lines("Person", "title", "age", "score").count == 3)
    try old.close()
    try other.close()
    let last = try Release(Self.second(), description, .contract)
    #expect(
      try last.lines("Person", "title", "age", "score") == ["Ada 7 1", "Bob 7 1", "Cid 7 1"])
  }

  @Test(
    "an expansion to another model than before begins anew, without what was added (M52)",
    arguments: 1...8)
  func changed(_ report: Int) throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      _ = try Release(Self.second(), description, .expand, stoppingAt: report)
    }
    let edited = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer16),
        .attribute("code", .string, isOptional: false), .one("mentor", "Person"),
        .attribute("extra", .string, value: .string("x"))))
    let new = try Release(edited, description, .expand)
    #expect(try new.lines("Person", "name", "code", "extra") == ["Ada a x"])
    try old.insert("Person", ["name": "Bob", "code": "b"])
    // The changes of the first attempt are gone: ages may be missing again, and names may be equal.
    try old.insert("Person", ["name": "Bob", "code": "c"])
    #expect(try new.lines("Person", "name", "age", "extra").suffix(2) == ["Bob - x", "Bob - x"])
    let everything = try description.everything()
    #expect(!everything.contains { $0.contains("_sync_fill") || $0.contains("score ") })
    #expect(
      !everything.contains { $0.hasPrefix("column Team") || $0.hasPrefix("index Person_unique") })
    #expect(!everything.contains { $0.hasPrefix("column Person.code ") && !$0.hasSuffix(" ") })
  }

  @Test("what a store says of its second version is not believed without a look (M53)")
  func hostile() throws {
    for (column, text) in [
      ("names", "{\"table/entity/Person\":\"x\\\"; DROP TABLE y\"}"), ("names", "[]"),
      ("json", "{}"),
    ] {
      let description = try Servers.description()
      let old = try Release(Self.first(), description)
      try old.insert("Person", ["name": "Ada", "code": "a"])
      _ = try Release(Self.second(), description, .expand)
      try raw().run([
        "UPDATE \(description.schemaName)._roost_versions SET \(column) = '\(text)'"
      ])
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(Self.second(), description)
      }
      #expect(error?.code == .corruptStore)
      #expect(try old.lines("Person", "name") == ["Ada"])
    }
  }

  @Test("a store that serves two versions is destroyed whole, and not copied (B239)")
  func destroyed() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    let new = try Release(Self.second(), description, .expand)
    let copy = try Servers.description()
    #expect(throws: PersistenceError(.persistentStoreOperation, "")) {
      try copy.type.driver.replace(copy, with: description)
    }
    try old.close()
    try new.close()
    try description.type.driver.destroy(description)
    let name = try description.schemaName.replacing("\"", with: "'")
    #expect(
      try raw().rows("SELECT count(*) FROM pg_namespace WHERE nspname = \(name)") == ["0"])
  }

  @Test(
    "programs behind a pooler are known by their rows (M44)",
    .enabled(if: PooledPostgreSQL.shared != nil))
  func pooled() throws {
    let server = try #require(PooledPostgreSQL.shared)
    let description = try PersistentStoreDescription.postgresql(
      server.transactionURI, schema: "test_\(UUID().uuidString)", pooler: .transaction)
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let new = try Release(Self.second(), description, .expand)
    try old.insert("Person", ["name": "Bob", "code": "b"])
    try new.insert("Person", ["title": "Cid"])
    #expect(try new.lines("Person", "title", "age") == ["Ada 7", "Bob 7", "Cid 7"])
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(Self.second(), description, .contract)
    }
    #expect(error?.code == .storeBusy)
    #expect(error?.message.contains("1 sessions") == true, "\(error?.message ?? "")")
    try old.close()
    let last = try Release(Self.second(), description, .contract)
    try new.insert("Person", ["title": "Dan"])
    #expect(try last.lines("Person", "title", "score") == ["Ada 1", "Bob 1", "Cid 1", "Dan 1"])
  }

  @Test("a step waits for a save that is under way, and lets others go on meanwhile (M40)")
  func waits() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let saving = try raw()
    let table = try "\(description.schemaName).\"Person\""
    try saving.run(["BEGIN", "LOCK TABLE \(table) IN ROW EXCLUSIVE MODE"])
    let isDone = DispatchSemaphore(value: 0)
    let failure = Mutex<String?>(nil)
    DispatchQueue.global().async {
      do {
        _ = try Release(Self.second(), description, .expand)
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
      isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + 0.3) == .timedOut)
    for number in 0..<5 {
      try old.insert("Person", ["name": "P\(number)", "code": "\(number)"])
    }
    try saving.run(["COMMIT"])
    isDone.wait()
    #expect(failure.withLock { $0 } == nil)
  }

  @Test("of several programs that begin to expand, all find it expanded (M33, M40)")
  func race() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "code": "a"])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      do {
        let new = try Release(Self.second(), description, .expand)
        try new.insert("Person", ["title": "\(number)"])
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try old.lines("Person", "name").count == 5)
  }

  @Test(
    "programs of both versions save while the store is expanded and contracted, and lose nothing (M40, M44)"
  )
  func load() throws {
    let description = try Servers.description()
    let schema = try description.schemaName
    let filling = try Release(Self.first(), description)
    try filling.insert("Person", ["name": "first", "code": "first"])
    // More records than are filled in one transaction.
    try raw().run([
      """
      INSERT INTO \(schema)."Person" (_key, _version, name, code) SELECT (100000 + n) * 4096 + 1, 1, \
      'old ' || n, n FROM generate_series(1, 12000) AS n
      """
    ])
    try filling.close()
    let rollout = Rollout(description, from: try Self.first(), to: try Self.second())
    #expect(rollout.run() == [])
    let new = try Release(Self.second(), description)
    let lines = try new.lines("Person", "title", "age", "score")
    #expect(lines.count == 12_001 + rollout.saveCount)
    #expect(lines.allSatisfy { $0.hasSuffix(" 7 1") || $0.hasSuffix(" 2 1") })
  }
}
