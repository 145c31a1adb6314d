// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import TestWaiting
import Testing

@testable import RoostPostgreSQL

/// Views of a store on a server. The conformance kit reads their values.
@Suite("Views on a server", .enabled(if: Servers.isThere))
struct ViewTests {
  private static let name = TestModel.Property.attribute("name", .string)
  private let place = "views_\(UUID().uuidString)"

  private static func first() throws -> TestModel {
    try TestModel(
      .init("Person", name, .attribute("age", .integer16), .attribute("note", .string)),
      .init("Team", name))
  }

  private static func second() throws -> TestModel {
    try TestModel(.init("Person", name, .attribute("born", .date)), .init("Place", name))
  }

  private func raw() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  private func views(_ store: any PersistentStore) throws -> any StoreViews {
    try #require(store.views)
  }

  /// The statement that reads the names of the views in a schema.
  private func named(_ schema: String) -> String {
    "SELECT viewname FROM pg_views WHERE schemaname = '\(schema)' ORDER BY 1"
  }

  /// Returns a session of a new user with a right to read in the schema of the views.
  private func reader(on server: PrivatePostgreSQL, granting right: String) throws -> RawSession {
    let user = "r\(UUID().uuidString.replacing("-", with: "").lowercased())"
    try Servers.administer(
      server, "CREATE ROLE \(user) LOGIN", "GRANT USAGE ON SCHEMA \"\(place)\" TO \(user)",
      "GRANT SELECT \(right) TO \(user)")
    return try RawSession(server.uri.replacing("user=roost", with: "user=\(user)"))
  }

  @Test(
    "a view that a reader may read stays readable when it is made again, and after a migration (B369)"
  )
  func reader() throws {
    let server = try #require(Servers.network)
    let store = try EvolvingStore(Servers.description(on: server), Self.first())
    try store.insert("Person", 1, ["name": "Ada", "age": 36])
    try views(store.store).write(in: place)
    let reading = try reader(on: server, granting: "ON ALL TABLES IN SCHEMA \"\(place)\"")
    let query = "SELECT name FROM \"\(place)\".\"Person\""
    #expect(try reading.rows(query) == ["Ada"])
    let schema = try #require(store.store.url?.query()?.split(separator: "=").last)
    #expect(throws: RawSession.RawError.self) {
      try reading.rows("SELECT name FROM \"\(schema)\".\"Person\"")
    }
    try views(store.store).write(in: place)
    #expect(try reading.rows(query) == ["Ada"])
    #expect(try store.evolve(to: Self.second()))
    #expect(try reading.rows(query) == ["Ada"])
    #expect(try reading.rows("SELECT count(born) FROM \"\(place)\".\"Person\"") == ["0"])
    try views(store.store).remove(in: place)
    store.store.close()
    try store.description.type.driver.destroy(store.description)
  }

  @Test("a right to single columns stays after a migration, as far as the columns do (B369)")
  func columnRights() throws {
    let server = try #require(Servers.network)
    let store = try EvolvingStore(Servers.description(on: server), Self.first())
    try store.insert("Person", 1, ["name": "Ada", "age": 36])
    try views(store.store).write(in: place)
    let reading = try reader(on: server, granting: "(age, name) ON \"\(place)\".\"Person\"")
    let query = "SELECT name FROM \"\(place)\".\"Person\""
    #expect(try reading.rows(query) == ["Ada"])
    #expect(try store.evolve(to: Self.second()))
    #expect(try reading.rows(query) == ["Ada"])
    #expect(throws: RawSession.RawError.self) {
      try reading.rows("SELECT born FROM \"\(place)\".\"Person\"")
    }
    try views(store.store).remove(in: place)
    store.store.close()
    try store.description.type.driver.destroy(store.description)
  }

  @Test("a migration replaces no view that is not the store's, and goes on (B369, M9)")
  func foreignInMigration() throws {
    let store = try EvolvingStore(Servers.description(), Self.first())
    try views(store.store).write(in: place)
    // A view of another store could have these columns.
    try raw().run([
      "CREATE TABLE \"\(place)\".copy AS SELECT * FROM \"\(place)\".\"Team\"",
      "CREATE VIEW \"\(place)\".\"Place\" AS SELECT * FROM \"\(place)\".copy",
    ])
    #expect(try store.evolve(to: Self.second()))
    #expect(try raw().rows(named(place)) == ["Person", "Place"])
    let definition = "SELECT definition LIKE '%copy%' FROM pg_views WHERE schemaname = '\(place)'"
    #expect(try raw().rows(definition + " AND viewname = 'Place'") == ["t"])
    #expect(try views(store.store).remove(in: place).count == 1)
    #expect(try raw().rows(named(place)) == ["Place"])
    try raw().run(["DROP SCHEMA \"\(place)\" CASCADE"])
    store.store.close()
    try store.description.type.driver.destroy(store.description)
  }

  @Test(
    "a migration makes the views of all schemas anew, and those of removed entities go (B369, M9)")
  func migration() throws {
    let store = try EvolvingStore(Servers.description(), Self.first())
    let other = place + "2"
    try views(store.store).write(in: place)
    try views(store.store).write(in: other)
    #expect(try raw().rows(named(place)) == ["Person", "Team"])
    #expect(try store.evolve(to: Self.second()))
    for schema in [place, other] {
      #expect(try raw().rows(named(schema)) == ["Person", "Place"])
      #expect(try raw().rows("SELECT born FROM \"\(schema)\".\"Person\"") == [])
    }
    let columns = try raw().rows(
      """
      SELECT attname FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid \
      JOIN pg_namespace AS n ON n.oid = relnamespace WHERE relname = 'Person' AND relkind = 'r' \
      AND attnum > 0 AND NOT attisdropped AND nspname LIKE 'test_%' \
      AND nspname = '\(try #require(store.store.url?.query()?.split(separator: "=").last))'
      """)
    #expect(!columns.contains("age") && !columns.contains("note"), "\(columns)")
    store.store.close()
    try store.description.type.driver.destroy(store.description)
    #expect(
      try raw().rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE '\(place)%'") == [])
  }

  @Test("a view on which another one depends stays as it was, and so do its columns (B369, M55)")
  func dependents() throws {
    let store = try EvolvingStore(Servers.description(), Self.first())
    try store.insert("Person", 1, ["name": "Ada", "age": 36])
    try views(store.store).write(in: place)
    try raw().run(["CREATE VIEW \"\(place)\".ages AS SELECT age FROM \"\(place)\".\"Person\""])
    try views(store.store).write(in: place)
    #expect(try store.evolve(to: Self.second()))
    #expect(try raw().rows("SELECT age FROM \"\(place)\".ages") == ["36"])
    let error = #expect(throws: PersistenceError.self) {
      try views(store.store).write(in: place)
    }
    #expect(error?.code == .persistentStoreOperation)
    #expect(error?.message.contains("depend on it") == true)
    try raw().run(["DROP VIEW \"\(place)\".ages"])
    try views(store.store).write(in: place)
    #expect(try raw().rows("SELECT count(born) FROM \"\(place)\".\"Person\"") == ["0"])
    store.store.close()
    try store.description.type.driver.destroy(store.description)
  }

  @Test("what is no view of the store is neither replaced nor removed (B369)")
  func foreign() throws {
    let store = try EvolvingStore(Servers.description(), Self.first())
    let other = try EvolvingStore(Servers.description(), Self.first())
    try views(store.store).write(in: place)
    func refused(_ schema: String) {
      let error = #expect(throws: PersistenceError.self) {
        try views(other.store).write(in: schema)
      }
      #expect(error?.code == .invalidRequest)
    }
    refused(place)
    #expect(try views(other.store).remove(in: place) == [])
    let schemas = try [store, other].map {
      String(try #require($0.store.url?.query()?.split(separator: "=").last))
    }
    for schema in schemas { refused(schema) }
    try raw().run(["CREATE SCHEMA \"\(place)3\"", "CREATE TABLE \"\(place)3\".\"Team\" (n int)"])
    refused(place + "3")
    #expect(try raw().rows(named(place + "3")) == [])
    try raw().run(["DROP SCHEMA \"\(place)3\" CASCADE"])
    #expect(try views(store.store).remove(in: place).count == 2)
  }

  @Test("a reader of the views holds up a migration, and does not make it fail (B369)")
  func busyReader() throws {
    let store = try EvolvingStore(Servers.description(), Self.first())
    try store.insert("Person", 1, ["name": "Ada"])
    try views(store.store).write(in: place)
    let reading = try raw()
    try reading.run(["BEGIN"])
    #expect(try reading.rows("SELECT name FROM \"\(place)\".\"Person\"") == ["Ada"])
    let (place, watching) = (place, try raw())
    let ended = DispatchSemaphore(value: 0)
    let teams = Mutex("nothing")
    Thread.detachNewThread {
      defer { ended.signal() }
      do {
        try waitUntil(
          (try? watching.rows(
            "SELECT count(*) > 0 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted"
          )) == ["t"])
        // It asks for the lock of another view while the migration waits.
        let rows = try reading.rows("SELECT count(*) FROM \"\(place)\".\"Team\"")
        teams.withLock { $0 = rows.joined() }
        try reading.run(["COMMIT"])
      } catch {
        teams.withLock { $0 = "\(error)" }
        try? reading.run(["ROLLBACK"])
      }
    }
    #expect(try store.evolve(to: Self.second()))
    ended.wait()
    #expect(teams.withLock { $0 } == "0")
    #expect(try raw().rows(named(place)) == ["Person", "Place"])
    store.store.close()
    try store.description.type.driver.destroy(store.description)
  }

  @Test("views follow a store that serves two versions when the first one ends (B369, M40)")
  func twoVersions() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "age": 36])
    try views(old.store).write(in: place)
    let new = try Release(Self.second(), description, .expand)
    let error = #expect(throws: PersistenceError.self) { try views(new.store).write(in: place) }
    #expect(error?.code == .persistentStoreOperation)
    #expect(try raw().rows("SELECT age FROM \"\(place)\".\"Person\"") == ["36"])
    try new.close()
    try old.close()
    try Release(Self.second(), description, .contract).close()
    #expect(try raw().rows(named(place)) == ["Person", "Place"])
    #expect(try raw().rows("SELECT name FROM \"\(place)\".\"Person\"") == ["Ada"])
    try description.type.driver.destroy(description)
  }

  @Test("an abandoned version leaves the views of the store as they are (B369, M44)")
  func abandoned() throws {
    let description = try Servers.description()
    let old = try Release(Self.first(), description)
    try old.insert("Person", ["name": "Ada", "age": 36])
    try Release(Self.second(), description, .expand).close()
    try views(old.store).write(in: place)
    try old.close()
    var policy = EvolutionPolicy.automatic
    policy.versions = .abandon
    try Release(Self.first(), description, policy).close()
    #expect(try raw().rows("SELECT age FROM \"\(place)\".\"Person\"") == ["36"])
    try description.type.driver.destroy(description)
  }

  @Test("a store that is opened for reading prints the statements, and makes no view (B369)")
  func readOnly() throws {
    var description = try Servers.description()
    let store = try EvolvingStore(description, Self.first())
    try store.insert("Person", 1, ["name": "Ada"])
    store.store.close()
    description.isReadOnly = true
    let reading = try EvolvingStore(description, Self.first())
    let statements = try views(reading.store).statements(in: place)
    let error = #expect(throws: PersistenceError.self) { try views(reading.store).write() }
    #expect(error?.code == .readOnlyStore)
    // The statements are complete, and can run again.
    for _ in 0..<2 { try raw().run(statements) }
    #expect(try raw().rows("SELECT name FROM \"\(place)\".\"Person\"") == ["Ada"])
    reading.store.close()
    description.isReadOnly = false
    let store2 = try EvolvingStore(description, Self.first())
    #expect(try views(store2.store).remove(in: place).count == 2)
    try raw().run(["DROP SCHEMA \"\(place)\""])
  }
}
