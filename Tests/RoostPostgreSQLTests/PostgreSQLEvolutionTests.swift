// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import RoostModel
import RoostPostgreSQL
import RoostQuery
import RoostStore
import Synchronization
import TestEvolution
import Testing

@Suite("Evolution of PostgreSQL stores", .enabled(if: Servers.isThere))
struct PostgreSQLEvolutionTests {
  private static let name = TestModel.Property.attribute("name", .string)

  private func schema(_ store: EvolvingStore) throws -> String {
    "\"\(try #require(store.store.url?.query()?.split(separator: "=").last))\""
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  @Test(
    "a store follows its model, and is as it is to be when it is opened again (M9-M14)",
    arguments: EvolutionScenario.all)
  func follows(_ scenario: EvolutionScenario) throws {
    let store = try EvolvingStore(Servers.description(), scenario.before())
    try scenario.fill(store)
    let after = try scenario.after()
    #expect(try store.evolve(to: after))
    #expect(try store.contents() == scenario.contents)
    try store.reopen()
    #expect(try store.contents() == scenario.contents)
  }

  @Test(
    "sessions behind a pooler do it as well", .enabled(if: PooledPostgreSQL.shared != nil))
  func pooled() throws {
    let server = try #require(PooledPostgreSQL.shared)
    let before = try TestModel(.init("Person", indexes: [["name"]], Self.name))
    let after = try TestModel(
      .init("Human", was: "Person", unique: [["name"]], Self.name, .attribute("age", .integer16)))
    let description = try PersistentStoreDescription.postgresql(
      server.transactionURI, schema: "test_\(UUID().uuidString)", pooler: .transaction)
    let store = try EvolvingStore(description, before)
    try store.insert("Person", 1, ["name": "Ada"])
    #expect(try store.evolve(to: after))
    #expect(try store.contents() == ["Human 1: name: \"Ada\""])
  }

  @Test("the store keeps the text of the model, and so does its copy (M5)")
  func modelText() throws {
    let store = try EvolvingStore(Servers.description(), TestModel(.init("Person")))
    #expect(try store.store.evolution?.storedModel() == Array("Person".utf8))
    try store.evolve(to: TestModel(.init("Person"), .init("Team")))
    #expect(try store.store.evolution?.storedModel() == Array("Person Team".utf8))
    let copy = try Servers.description()
    try copy.type.driver.replace(copy, with: store.description)
    let opened = try copy.type.driver.open(copy)
    defer { opened.close() }
    #expect(try opened.evolution?.storedModel() == Array("Person Team".utf8))
  }

  @Test("a store from before has no table of texts, and gets it (M5)")
  func withoutText() throws {
    let version = try TestModel(.init("Person", Self.name))
    let store = try EvolvingStore(Servers.description(), version, keepsModel: false)
    try raw().run(["DROP TABLE \(schema(store))._roost_models"])
    try store.reopen()
    #expect(try store.store.evolution?.storedModel() == nil)
    try store.insert("Person", 1, ["name": "Ada"])
    let copy = try Servers.description()
    try copy.type.driver.replace(copy, with: store.description)
    var metadata = store.store.metadata
    metadata.keepsModel = true
    try store.store.prepare(store.schema, metadata: metadata)
    #expect(try store.store.evolution?.storedModel() == Array("Person".utf8))
    #expect(try store.contents() == ["Person 1: name: \"Ada\""])
  }

  @Test("texts that no store has written are refused (M53)")
  func hostileText() throws {
    let store = try EvolvingStore(Servers.description(), TestModel(.init("Person")))
    try raw().run(["INSERT INTO \(schema(store))._roost_models VALUES ('other', 'x')"])
    let error = #expect(throws: PersistenceError.self) {
      try store.store.evolution?.storedModel()
    }
    #expect(error?.code == .corruptStore)
  }

  private func expectRefusal(_ what: String, _ body: () throws -> Void) {
    let error = #expect(throws: PersistenceError.self, "\(what)") { try body() }
    #expect(error?.code == .persistentStoreIncompatibleVersionHash, "\(what): \(error as Any)")
  }

  private static let changes: [(reads: Bool, version: @Sendable () throws -> TestModel)] = [
    (true, { try TestModel(.init("Person", name, .attribute("new", .string, value: "x"))) }),
    (true, { try TestModel(.init("Person", .attribute("title", .string, was: "name"))) }),
    (false, { try TestModel(.init("Person")) }), (false, { try TestModel(.init("Team")) }),
    (false, { try TestModel(.init("Person", name), .init("Boss", parent: "Person")) }),
    (
      false,
      {
        try TestModel(
          .init("Person", .attribute("name", .string, isOptional: false, value: "nobody")))
      }
    ),
  ]

  @Test(
    "a store that was migrated elsewhere writes nothing, and reads rightly or not at all (M34)",
    arguments: changes.indices, [false, true])
  func stale(_ number: Int, _ hasSaved: Bool) throws {
    let before = try TestModel(.init("Person", Self.name))
    let old = try EvolvingStore(Servers.description(), before)
    let key = try old.insert("Person", 1, ["name": "Ada"])
    let contents = try old.contents()
    if hasSaved { for number in 2...4 as ClosedRange<Int64> { try old.insert("Person", number) } }
    if hasSaved {
      try old.commit(
        StoreChangeSet(
          deleted: (2...4 as ClosedRange<Int64>).map {
            RowVersion(key: old.key("Person", $0), version: 1)
          }))
    }
    let other = try EvolvingStore(old.description, before)
    let (reads, version) = Self.changes[number]
    let after = try version()
    #expect(try other.evolve(to: after))
    let evolved = try other.contents()
    if reads {
      #expect(try old.contents() == contents)
    } else {
      expectRefusal("fetch") { _ = try old.contents() }
      expectRefusal("rows") { _ = try old.store.rows(forKeys: [key]) }
      expectRefusal("row") { _ = try old.store.row(forKey: key) }
    }
    let row = Row(layout: before.entity("Person").layout, key: old.key("Person", 9), version: 1)
    expectRefusal("insert") { try old.commit(StoreChangeSet(inserted: [row])) }
    expectRefusal("many") {
      let rows = (100..<200 as Range<Int64>).map {
        Row(layout: before.entity("Person").layout, key: old.key("Person", $0), version: 1)
      }
      try old.commit(StoreChangeSet(inserted: rows))
    }
    expectRefusal("delete") {
      try old.commit(StoreChangeSet(deleted: [RowVersion(key: key, version: 1)]))
    }
    expectRefusal("conflict") {
      try old.commit(StoreChangeSet(deleted: [RowVersion(key: key, version: 7)]))
    }
    expectRefusal("metadata") {
      try old.commit(StoreChangeSet(metadata: old.store.metadata))
    }
    expectRefusal("preparing") { try old.store.prepare(old.schema, metadata: old.store.metadata) }
    #expect(try other.contents() == evolved)
    try other.reopen()
    #expect(try other.contents() == evolved)
  }

  @Test("of two who begin, one changes the store and the other finds it changed (M33)")
  func race() throws {
    let before = try TestModel(.init("Person", Self.name))
    let after = try TestModel(.init("Person", .attribute("title", .string, was: "name")))
    let first = try EvolvingStore(Servers.description(), before)
    try first.insert("Person", 1, ["name": "Ada"])
    let others = try (0..<4).map { _ in try EvolvingStore(first.description, before) }
    let changes = try others.map { try $0.change(to: after) }
    let stores = others.map(\.store)
    let results = Mutex<[Bool]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      do {
        let changed = try stores[number].evolution?.evolve(
          changes[number].0, to: changes[number].1, reporter: MigrationReporter())
        results.withLock { $0.append(changed ?? false) }
      } catch {
        Issue.record(error)
      }
    }
    #expect(results.withLock { $0.filter { $0 }.count } == 1)
    #expect(results.withLock { $0.count } == 4)
    let opened = try EvolvingStore(first.description, after)
    #expect(try opened.contents() == ["Person 1: title: \"Ada\""])
  }

  @Test("an evolution waits for a save that is under way, and lets others go on meanwhile")
  func waits() throws {
    let before = try TestModel(.init("Person", Self.name))
    let store = try EvolvingStore(Servers.description(), before)
    try store.insert("Person", 1)
    let table = try "\(schema(store)).\"Person\""
    let saving = try raw()
    try saving.run(["BEGIN", "LOCK TABLE \(table) IN ROW EXCLUSIVE MODE"])
    let (change, metadata) = try store.change(to: TestModel(.init("Person")))
    let inner = store.store
    let isDone = DispatchSemaphore(value: 0)
    let result = Mutex<Bool?>(nil)
    DispatchQueue.global().async {
      let changed = try? inner.evolution?.evolve(
        change, to: metadata, reporter: MigrationReporter())
      result.withLock { $0 = changed }
      isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + 0.3) == .timedOut)
    try raw().run(["SET lock_timeout = '10s'", "SELECT count(*) FROM \(table)"])
    try saving.run(["COMMIT"])
    isDone.wait()
    #expect(result.withLock { $0 } == true)
  }

  @Test("tables that stay locked are busy when the time is over, and nothing is changed")
  func busy() throws {
    let before = try TestModel(.init("Person", Self.name))
    let store = try EvolvingStore(Servers.description(timeout: 1), before)
    let saving = try raw()
    try saving.run([
      "BEGIN", "LOCK TABLE \(schema(store)).\"Person\" IN ROW EXCLUSIVE MODE",
    ])
    let (change, metadata) = try store.change(to: TestModel(.init("Person")))
    let error = #expect(throws: PersistenceError.self) {
      try store.store.evolution?.evolve(change, to: metadata, reporter: MigrationReporter())
    }
    #expect(error?.code == .storeBusy)
    try saving.run(["COMMIT"])
    #expect(try store.contents() == [])
  }

  @Test("a view of another program keeps a column, and only its name goes (M55)")
  func view() throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("age", .integer16)))
    let after = try TestModel(.init("Person", .attribute("age", .integer16)))
    let store = try EvolvingStore(Servers.description(), before)
    try store.insert("Person", 1, ["name": "Ada", "age": 36])
    let schema = try schema(store)
    try raw().run(["CREATE VIEW \(schema).names AS SELECT name FROM \(schema).\"Person\""])
    #expect(try store.evolve(to: after))
    #expect(try store.contents() == ["Person 1: age: 36"])
    #expect(try raw().rows("SELECT name FROM \(schema).names") == ["Ada"])
    try store.reopen()
    try store.insert("Person", 2, ["age": 40])
    #expect(try store.contents() == ["Person 1: age: 36", "Person 2: age: 40"])
    try raw().run(["DROP VIEW \(schema).names"])
  }

  @Test("records that violate a new constraint are named, and nothing is changed (M13)")
  func duplicates() throws {
    let before = try TestModel(.init("Person", Self.name))
    let store = try EvolvingStore(Servers.description(), before)
    for number in 1...3 as ClosedRange<Int64> {
      try store.insert("Person", number, ["name": number == 2 ? "Bob" : "Ada"])
    }
    let contents = try store.contents()
    let (change, metadata) = try store.change(
      to: TestModel(.init("Person", unique: [["name"]], Self.name, .attribute("x", .string))))
    for body in [
      { _ = try store.store.evolution?.steps(of: change) },
      {
        _ = try store.store.evolution?.evolve(
          change, to: metadata, reporter: MigrationReporter())
      },
    ] as [() throws -> Void] {
      let error = #expect(throws: PersistenceError.self) { try body() }
      #expect(error?.code == .migrationConstraintViolation)
      #expect(error?.objectIDs.map { RecordKey.sequence(of: $0.key) } == [1, 3])
    }
    #expect(try store.contents() == contents)
  }

  @Test("a cancelled evolution leaves the store as it was (M51)", arguments: 1...4)
  func cancelled(_ report: Int) throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("age", .integer16)))
    let after = try TestModel(
      .init(
        "Person", .attribute("name", .string, isOptional: false, value: "nobody"),
        .attribute("score", .double, value: 0.1)))
    let store = try EvolvingStore(Servers.description(), before)
    try store.insert("Person", 1)
    let contents = try store.contents()
    let count = Mutex(0)
    let reporter = MigrationReporter { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == report { throw PersistenceError(.migrationCancelled, "Enough.") }
    }
    let (change, metadata) = try store.change(to: after)
    let error = #expect(throws: PersistenceError.self) {
      try store.store.evolution?.evolve(change, to: metadata, reporter: reporter)
    }
    #expect(error?.code == .migrationCancelled)
    #expect(try store.contents() == contents)
    #expect(try store.evolve(to: after))
    #expect(try store.contents() == ["Person 1: name: \"nobody\", score: 0.1"])
  }
}
