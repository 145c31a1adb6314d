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

@Suite("Evolutions that are cancelled while a statement runs", .enabled(if: Servers.isThere))
struct CancelledEvolutionTests {
  @Test(
    "the statement is ended, the store is as it was, and the next evolution succeeds (M25, M51)")
  func inStatement() throws {
    let name = TestModel.Property.attribute("name", .string)
    let before = try TestModel(.init("Person", name))
    let after = try TestModel(
      .init("Person", .attribute("name", .string, isOptional: false, value: "nobody")))
    let store = try EvolvingStore(Servers.description(), before)
    try store.insert("Person", 1)
    let contents = try store.contents()
    let uri = try #require(Servers.uri)
    let schema = "\"\(try #require(store.store.url?.query()?.split(separator: "=").last))\""
    let watcher = try RawSession(uri)
    // The statement that fills in the value lasts for ever, unless it is ended.
    try watcher.run([
      """
      CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
      $$ BEGIN PERFORM pg_catalog.pg_sleep(1000000); RETURN NEW; END $$
      """,
      """
      CREATE TRIGGER wait BEFORE UPDATE ON \(schema)."Person" \
      FOR EACH ROW EXECUTE FUNCTION \(schema).wait()
      """,
    ])
    let cancellation = RequestCancellation()
    let (change, metadata) = try store.change(to: after)
    let inner = store.store.cancellable(by: cancellation)
    let isDone = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Bool, any Error>?>(nil)
    DispatchQueue.global().async {
      let ended = Result {
        try inner.evolution?.evolve(change, to: metadata, reporter: MigrationReporter()) ?? false
      }
      result.withLock { $0 = ended }
      isDone.signal()
    }
    let waiting = """
      SELECT a.pid FROM pg_stat_activity AS a JOIN pg_locks AS l ON l.pid = a.pid \
      WHERE a.wait_event = 'PgSleep' AND l.relation = '\(schema)."Person"'::regclass
      """
    try waitUntil(!watcher.rows(waiting).isEmpty || result.withLock { $0 != nil })
    cancellation.cancel()
    isDone.wait()
    let error = #expect(throws: PersistenceError.self) {
      try result.withLock { try $0?.get() ?? false }
    }
    #expect(error?.code == .userCancelled)
    try watcher.run(["DROP FUNCTION \(schema).wait() CASCADE"])
    #expect(try store.contents() == contents)
    #expect(try store.evolve(to: after))
    #expect(try store.contents() == ["Person 1: name: \"nobody\""])
  }
}
