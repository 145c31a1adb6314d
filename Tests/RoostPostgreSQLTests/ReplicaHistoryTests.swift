// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostPostgreSQL
import RoostStore
import Testing

/// A replica shows later what its primary shows already, and does not say what is in progress.
@Suite(
  "History on a replica", .enabled(if: ReplicatedPostgreSQL.shared != nil), .serialized)
struct ReplicaHistoryTests {
  private let servers: ReplicatedPostgreSQL
  private let schema = "test_\(UUID().uuidString)"
  private let primary: Notebook

  init() throws {
    servers = try #require(ReplicatedPostgreSQL.shared)
    var description = try PersistentStoreDescription.postgresql(
      servers.primaryURI, schema: schema)
    try description.setOption(.string("values"), forKey: StoreOption.historyLevel)
    primary = try Notebook(description)
    try primary.write("a")
    try waitForReplica()
  }

  /// Opens the store on the replica.
  private func open(timeout: Double = Servers.patience) throws -> Notebook {
    var description = try PersistentStoreDescription.postgresql(servers.replicaURI, schema: schema)
    description.isReadOnly = true
    description.timeout = timeout
    return try Notebook(description)
  }

  /// A session on the replica that may hold back what it applies.
  private func session() throws -> RawSession {
    try RawSession(servers.replicaURI.replacing("user=roost", with: "user=postgres"))
  }

  /// Lets the replica apply nothing for a while.
  private func holdBack<Result>(_ body: (RawSession) throws -> Result) throws -> Result {
    let session = try session()
    try session.run(["SELECT pg_wal_replay_pause()"])
    try expectSoon("the replica holds back") {
      try session.rows("SELECT pg_get_wal_replay_pause_state()") == ["paused"]
    }
    defer { try? session.run(["SELECT pg_wal_replay_resume()"]) }
    return try body(session)
  }

  private func waitForReplica() throws {
    let primary = try RawSession(servers.primaryURI)
    let place = try #require(try primary.rows("SELECT pg_current_wal_insert_lsn()").first)
    let replica = try session()
    try expectSoon("the replica has everything") {
      try replica.rows("SELECT pg_last_wal_replay_lsn() >= '\(place)'") == ["t"]
    }
  }

  private func expectSoon(_ what: Comment, _ condition: () throws -> Bool) throws {
    for _ in 0..<2_000 where try !condition() { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try condition(), what)
  }

  private func begin(_ session: RawSession) throws {
    try session.run([
      "BEGIN",
      "INSERT INTO \"\(schema)\"._roost_history (at, content) "
        + "SELECT at, content FROM \"\(schema)\"._roost_history ORDER BY seq LIMIT 1",
    ])
  }

  @Test("what is in progress is not passed over by who reads a replica, and comes once (H8)")
  func inProgress() throws {
    let replica = try open()
    let history = try #require(replica.store.history)
    let start = try history.position()
    let slow = try RawSession(servers.primaryURI)
    try begin(slow)
    try primary.write("b")
    try primary.write("c")
    try waitForReplica()
    let now = try history.position()
    let found = try history.transactions(after: start, limit: nil)
    #expect(found.count == 2)
    let first = try #require(
      try history.transactions(after: start, limit: 1).first, "the first one")
    #expect(try history.transactions(after: first.position, limit: nil).count == 1)
    try slow.run(["COMMIT"])
    try waitForReplica()
    for position in [now, try #require(found.last?.position)] {
      let later = try history.transactions(after: position, limit: nil)
      #expect(later.count == 1, "after \(position)")
      #expect(try history.transactions(after: later.last?.position, limit: nil).isEmpty)
    }
    #expect(try history.transactions(after: start, limit: nil).count == 3)
    try replica.close()
  }

  @Test("what was removed is not taken for what is in progress on a replica (H10, H12)")
  func removed() throws {
    let replica = try open()
    let slow = try RawSession(servers.primaryURI)
    try begin(slow)
    try primary.write("b")
    try primary.write("c")
    let history = try #require(primary.store.history)
    let deletion = HistoryDeletion(before: .position(try history.position()))
    #expect(try history.deleteTransactions(deletion).count == 2)
    try waitForReplica()
    let reader = try #require(replica.store.history)
    let position = try reader.position()
    try slow.run(["COMMIT"])
    try waitForReplica()
    #expect(try reader.transactions(after: position, limit: nil).count == 1)
    try replica.close()
  }

  @Test("a token that a replica has not reached is waited for, or it is said what to do (H10, H33)")
  func behind() throws {
    let hasty = try open(timeout: 0.3)
    let patient = try open()
    let token = try holdBack { session in
      try primary.write("b")
      let token = try #require(
        try primary.coordinator.currentPersistentHistoryToken(fromStores: nil))
      let request = Note.fetchRequest()
      #expect(try hasty.codes() == ["a"], "a plain read is answered")
      let error = #expect(throws: PersistenceError.self) {
        try hasty.context().count(for: request.asOf(token))
      }
      #expect(error?.code == .storeBusy)
      #expect(error?.message.contains("ask the primary") == true, "\(String(describing: error))")
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
        try? session.run(["SELECT pg_wal_replay_resume()"])
      }
      #expect(try patient.context().count(for: request.asOf(token)) == 2)
      return token
    }
    try primary.write("c")
    try waitForReplica()
    #expect(try patient.context().count(for: Note.fetchRequest().asOf(token)) == 2)
    #expect(try hasty.context().count(for: Note.fetchRequest().asOf(token)) == 2)
    for notebook in [hasty, patient] { try notebook.close() }
  }

  @Test("a token is not reached before the replica shows all that is behind it (H8, H10)")
  func lateCommit() throws {
    let hasty = try open(timeout: 0.3)
    let patient = try open()
    let slow = try RawSession(servers.primaryURI)
    try begin(slow)
    try primary.write("b")
    try waitForReplica()
    let position = try holdBack { _ in
      // The replica shows the higher number, and not the lower one.
      try slow.run(["COMMIT"])
      let position = try #require(primary.store.history).position()
      let error = #expect(throws: PersistenceError.self) {
        try hasty.store.history?.transactions(after: position, limit: nil)
      }
      #expect(error?.code == .storeBusy)
      return position
    }
    let history = try #require(patient.store.history)
    #expect(try history.transactions(after: position, limit: nil).isEmpty)
    for notebook in [hasty, patient] { try notebook.close() }
  }

  @Test("numbers that were given and not used do not keep a replica that is up to date (H10)")
  func unused() throws {
    let replica = try open()
    let session = try RawSession(servers.primaryURI)
    for end in ["ROLLBACK", "COMMIT", "ROLLBACK"] {
      try session.run(["BEGIN", "SELECT pg_current_xact_id()", end])
    }
    let position = try #require(primary.store.history).position()
    let history = try #require(replica.store.history)
    #expect(try history.transactions(after: position, limit: nil).isEmpty)
    let foreign = StorePosition(epoch: position.epoch ^ 1, place: position.place)
    let error = #expect(throws: PersistenceError.self) {
      try history.transactions(after: foreign, limit: nil)
    }
    #expect(
      error?.code == .persistentHistoryTokenExpired, "of another history it is no use to wait")
    try replica.close()
  }
}
