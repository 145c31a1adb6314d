// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator
@testable import RoostPostgreSQL

@Suite("Hints of a server", .enabled(if: Servers.isThere))
struct HintTests {
  private let watcher: RawSession

  init() throws { watcher = try RawSession(#require(Servers.uri)) }

  private func description(
    _ option: String? = StoreOption.remoteChangeNotification
  ) throws -> PersistentStoreDescription {
    var description = try Servers.description()
    if let option { try description.setOption(.boolean(true), forKey: option) }
    return description
  }

  private func session() throws -> RawSession { try RawSession(try #require(Servers.uri)) }

  private func channel(_ store: any PersistentStore) throws -> String {
    try #require(store as? PostgreSQLStore).pool.settings.namespace.hintChannel
  }

  /// Returns the server processes that listen for a store, or have notified on the same connection.
  private func listeners(_ store: any PersistentStore) throws -> [String] {
    try watcher.rows(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%\(try channel(store))%' "
        + "AND query NOT LIKE '%pg_stat_activity%'")
  }

  private func expectSoon(_ what: Comment, _ condition: () throws -> Bool) throws {
    for _ in 0..<2_000 where try !condition() { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try condition(), what)
  }

  @Test("who listens has one connection more, which goes with the store (H32)")
  func connections() throws {
    let notebook = try Notebook(description())
    try expectSoon("one listens") { try listeners(notebook.store).count == 1 }
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    try notebook.write("a")
    #expect(pool.connectionCount <= 2)
    let other = try Notebook(notebook.store.description)
    try expectSoon("two listen") { try listeners(notebook.store).count == 2 }
    try other.close()
    try expectSoon("one listens") { try listeners(notebook.store).count == 1 }
    try notebook.close()
    try expectSoon("nobody listens") { try listeners(notebook.store).isEmpty }
  }

  @Test("a store that nobody is to hear of says nothing, and makes no connection (H32)")
  func silent() throws {
    let notebook = try Notebook(description(nil))
    let listener = try session()
    let told = try #require(notebook.store.changeHints)
    let hints = Atomic<Int>(0)
    let subscription = told.subscribe { _ in hints.wrappingAdd(1, ordering: .relaxed) }
    try expectSoon("one listens") { try listeners(notebook.store).count == 1 }
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    for number in 0..<5 { try notebook.write("n\(number)") }
    #expect(pool.connectionCount == 1)
    // A notification of another session arrives: there was none before it.
    try listener.run(["NOTIFY \(try channel(notebook.store))"])
    try expectSoon("one hint came") { hints.load(ordering: .relaxed) >= 1 }
    #expect(hints.load(ordering: .relaxed) == 1)
    subscription.cancel()
    try notebook.close()
  }

  @Test("one NOTIFY stands for many saves, and says nothing but which history it is (H32)")
  func payload() throws {
    let notebook = try Notebook(description(StoreOption.historyTracking))
    let epoch = try session().rows(
      "SELECT epoch FROM \"\(try schema(notebook))\"._roost_history_state")
    let heard = try PayloadListener(try #require(Servers.uri), try channel(notebook.store))
    let line = try #require(notebook.store.changeHints as? HintLine)
    // So long that many saves are made between two notifications, also on a slow machine.
    line.millisecondsBetweenNotifications = 500
    let begin = ContinuousClock.now
    for number in 0..<40 { try notebook.write("n\(number)") }
    let passed = (ContinuousClock.now - begin) / .milliseconds(500)
    try notebook.close()
    let payloads = try heard.payloads()
    // One at once, one for each half second, and one when the store is closed.
    #expect(!payloads.isEmpty && payloads.count <= Int(passed) + 2, "\(passed) half seconds")
    #expect(Set(payloads) == Set(epoch))
  }

  private func schema(_ notebook: Notebook) throws -> String {
    try #require(notebook.store as? PostgreSQLStore).pool.settings.schema
  }

  @Test("a connection that is lost is made again, and it is looked what was missed (H34)")
  func lost() throws {
    let notebook = try Notebook(description())
    let changes = RemoteChanges(to: notebook.coordinator)
    try expectSoon("one listens") { try listeners(notebook.store).count == 1 }
    changes.secondsBetweenLooks = 100_000
    for _ in 0..<3 {
      let before = changes.hintCounts.hints
      let process = try #require(try listeners(notebook.store).first)
      try session().run(["SELECT pg_terminate_backend(\(process))"])
      try expectSoon("another one listens") {
        let now = try listeners(notebook.store)
        return now.count == 1 && now[0] != process
      }
      try expectSoon("and it was looked") { changes.hintCounts.hints > before }
    }
    try notebook.close()
    try expectSoon("nobody listens") { try listeners(notebook.store).isEmpty }
  }

  @Test("what the own program writes is no hint for it (H32)")
  func own() throws {
    let notebook = try Notebook(description())
    let other = try Notebook(notebook.store.description)
    try expectSoon("both listen") { try listeners(notebook.store).count == 2 }
    let heard = RemoteChanges(to: notebook.coordinator)
    let saved = RemoteChanges(to: other.coordinator)
    for number in 0..<5 { try other.write("n\(number)") }
    try expectSoon("the other one hears it") { heard.hintCounts.hints > 0 }
    #expect(saved.hintCounts.hints == 0)
    try notebook.close()
    try other.close()
  }

  @Test("a replica lets nobody listen, and is looked at (H33)", .enabled(if: Servers.canBeStarted))
  func replica() throws {
    let server = try PrivatePostgreSQL()
    defer { server.stop() }
    var description = try Servers.description(on: server)
    try description.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
    let primary = try Notebook(description)
    try primary.write("a")
    try primary.close()
    try makeReplica(of: server)
    description.isReadOnly = true
    let notebook = try Notebook(description)
    let line = try #require(notebook.store.changeHints as? HintLine)
    try expectSoon("the server has refused") { line.isWithoutListeners }
    #expect(try notebook.codes() == ["a"])
    RemoteChanges(to: notebook.coordinator).look()
    try notebook.close()
  }

  @Test(
    "a replica that becomes a primary is listened to from then on (H33)",
    .enabled(if: Servers.canBeStarted))
  func promoted() throws {
    let server = try PrivatePostgreSQL()
    defer { server.stop() }
    var description = try Servers.description(on: server)
    try description.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
    let primary = try Notebook(description)
    try primary.write("a")
    try primary.close()
    try makeReplica(of: server)
    description.isReadOnly = true
    let notebook = try Notebook(description)
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    let line = HintLine(pool, description, secondsAfterRefusal: 0.2)
    let hints = Atomic<Int>(0)
    let subscription = line.subscribe { _ in hints.wrappingAdd(1, ordering: .relaxed) }
    try expectSoon("the server has refused") { line.isWithoutListeners }
    let session = try RawSession(server.uri.replacing("user=roost", with: "user=postgres"))
    try session.run(["SELECT pg_promote()"])
    try expectSoon("it listens") { !line.isWithoutListeners }
    // What was written between the promotion and the listening may have been missed.
    try expectSoon("and it was looked") { hints.load(ordering: .relaxed) == 1 }
    try session.run(["NOTIFY \(pool.settings.namespace.hintChannel)"])
    try expectSoon("and it hears") { hints.load(ordering: .relaxed) == 2 }
    subscription.cancel()
    line.close()
    try notebook.close()
  }

  /// Makes a server a read-only one without a primary.
  private func makeReplica(of server: PrivatePostgreSQL) throws {
    let signal = URL(filePath: server.folder).appending(path: "data/standby.signal")
    try Data().write(to: signal)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: signal.path)
    try server.restart()
  }

  @Test(
    "behind a pooler that shares sessions nobody listens (H32)",
    .enabled(if: PooledPostgreSQL.shared != nil))
  func pooled() throws {
    let pooled = try #require(PooledPostgreSQL.shared)
    var description = try PersistentStoreDescription.postgresql(
      pooled.transactionURI, schema: "test_\(UUID().uuidString)", pooler: .transaction)
    try description.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
    let notebook = try Notebook(description)
    #expect(notebook.store.changeHints == nil)
    try notebook.write("a")
    try notebook.close()
  }
}

/// Collects the notifications on a channel.
private final class PayloadListener {
  private let handle: OpaquePointer?

  init(_ uri: String, _ channel: String) throws {
    handle = PQconnectdb(uri)
    PQclear(PQexec(handle, "LISTEN \(channel)"))
  }

  deinit {
    PQfinish(handle)
  }

  /// Returns the payloads received so far.
  func payloads() throws -> [String] {
    var found: [String] = []
    // Running a statement receives the pending notifications.
    PQclear(PQexec(handle, "SELECT 1"))
    while let notification = PQnotifies(handle) {
      found.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return found
  }
}
