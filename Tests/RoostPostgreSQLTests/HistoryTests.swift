// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostPostgreSQL
import RoostStore
import Synchronization
import Testing

/// Tests of history errors that are only possible on a server with concurrent writers.
@Suite("History on a server", .enabled(if: Servers.isThere))
struct HistoryTests {
  /// Opens a notebook that keeps a history, and another session in its schema.
  private func open() throws -> (Notebook, RawSession, schema: String) {
    let (notebook, _, schema) = try openDescribed()
    return (notebook, try RawSession(try #require(Servers.uri)), schema)
  }

  private func openDescribed() throws -> (Notebook, PersistentStoreDescription, schema: String) {
    let schema = "test_\(UUID().uuidString)"
    let uri = try #require(Servers.uri)
    var description = try PersistentStoreDescription.postgresql(uri, schema: schema)
    description.timeout = Servers.patience
    try description.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    return (try Notebook(description), description, "\"\(schema)\"")
  }

  /// Writes a transaction by raw statements without committing it: a copy of another one.
  private func begin(_ session: RawSession, _ schema: String) throws {
    try session.run([
      "BEGIN",
      "INSERT INTO \(schema)._roost_history (at, content) "
        + "SELECT at, content FROM \(schema)._roost_history ORDER BY seq LIMIT 1",
    ])
  }

  @Test(
    "a transaction that becomes visible after a later one is not missed (H8)",
    arguments: [nil, 1, 2] as [Int?])
  func outOfOrder(limit: Int?) throws {
    let (notebook, slow, schema) = try open()
    let history = try #require(notebook.store.history)
    try notebook.write("first")
    let start = try history.position()
    try begin(slow, schema)
    // The slow one has drawn the lower number, and a reader sees the fast ones before it.
    try notebook.write("fast")
    try notebook.write("faster")
    var seen: [Int64] = []
    var position = start
    func read() throws {
      while true {
        let found = try history.transactions(after: position, limit: limit)
        guard let last = found.last else { return }
        position = last.position
        seen += found.map(\.number)
      }
    }
    try read()
    #expect(seen.count == 2)
    try slow.run(["COMMIT"])
    try read()
    #expect(seen.count == 3 && Set(seen).count == 3)
    // The control: a reader that keeps only the largest number would miss the lower one.
    #expect(seen[2] < seen[1])
    #expect(try history.transactions(after: start, limit: nil).map(\.number) == seen.sorted())
    try notebook.close()
  }

  @Test("the position after each of an answer's transactions leads to those behind it (H8)")
  func positionsInAnswer() throws {
    let (notebook, slow, schema) = try open()
    let history = try #require(notebook.store.history)
    try notebook.write("first")
    try begin(slow, schema)
    try notebook.write("second")
    try notebook.write("third")
    try slow.run(["COMMIT"])
    try notebook.write("fourth")
    let all = try history.transactions(after: nil, limit: nil)
    #expect(all.count == 5)
    for (index, transaction) in all.enumerated() {
      let later = try history.transactions(after: transaction.position, limit: nil)
      #expect(later.map(\.number) == all[(index + 1)...].map(\.number))
      #expect(transaction.position.bytesCount < 64)
    }
    try notebook.close()
  }

  @Test("a cut while a transaction was open costs nobody a transaction (H10, H12)")
  func cutBesideOpen() throws {
    let (notebook, slow, schema) = try open()
    let history = try #require(notebook.store.history)
    try notebook.write("first")
    try begin(slow, schema)
    try notebook.write("second")
    let position = try history.position()
    #expect(try history.deleteTransactions(before: .position(position)) == 1)
    // Its commit is still possible.
    #expect(try history.transactions(after: position, limit: nil).isEmpty)
    try slow.run(["COMMIT"])
    #expect(try history.transactions(after: position, limit: nil).count == 1)
    // It was committed and then trimmed: a reader that has not read it must get an error.
    try notebook.write("third")
    _ = try history.deleteTransactions(before: .time(.infinity))
    let error = #expect(throws: PersistenceError.self) {
      try history.transactions(after: position, limit: nil)
    }
    #expect(error?.code == .persistentHistoryTokenExpired)
    try notebook.close()
  }

  @Test("a transaction of another program costs nobody a token (H10, H12)")
  func foreignTransaction() throws {
    let (notebook, foreign, schema) = try open()
    let history = try #require(notebook.store.history)
    try notebook.write("first")
    try foreign.run(["BEGIN", "CREATE TABLE \(schema).theirs (n bigint)"])
    try notebook.write("second")
    try notebook.write("third")
    let position = try history.position()
    #expect(try history.deleteTransactions(before: .position(position)) == 2)
    #expect(try history.transactions(after: position, limit: nil).isEmpty)
    try foreign.run(["COMMIT"])
    #expect(try history.transactions(after: position, limit: nil).isEmpty)
    try foreign.run(["DROP TABLE \(schema).theirs"])
    try notebook.close()
  }

  @Test("a save costs no round trip more for its transaction (H1)")
  func roundTrips() throws {
    let (notebook, _, _) = try open()
    let plain = try Notebook()
    func trips(_ notebook: Notebook) throws -> Int {
      try notebook.write("warm")
      let before = notebook.coordinator.counters.roundTrips
      try notebook.write("measured")
      return notebook.coordinator.counters.roundTrips - before
    }
    #expect(try trips(notebook) == trips(plain))
    try notebook.close()
    try plain.close()
  }

  @Test(
    "who follows a server that is away waits for it, and does not end (H34, L10)",
    .enabled(if: Servers.canBeStarted))
  func serverAway() async throws {
    let server = try PrivatePostgreSQL()
    var description = try Servers.description(on: server)
    try description.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    description.timeout = 5
    let notebook = try Notebook(description)
    try notebook.write("first")
    try server.kill()
    var transactions = notebook.coordinator.history(after: nil).makeAsyncIterator()
    #expect(try await transactions.next() != nil)
    server.stop()
    let ended = Mutex(false)
    let following = Task { [coordinator = notebook.coordinator] in
      defer { ended.withLock { $0 = true } }
      for try await _ in coordinator.history(after: nil) {}
    }
    let history = try #require(notebook.store.history)
    let error = #expect(throws: PersistenceError.self) { try history.position() }
    #expect(error?.isUnreachable == true)
    try await Task.sleep(for: .milliseconds(500))
    #expect(!ended.withLock { $0 })
    following.cancel()
    try await following.value
    try notebook.close()
  }

  @Test("a store that takes the place of another one begins a history of its own (H10)")
  func replaced() throws {
    let (notebook, to, _) = try openDescribed()
    try notebook.write("old")
    let position = try #require(try notebook.store.history?.position())
    let (source, from, _) = try openDescribed()
    try source.write("new")
    try notebook.close()
    try source.close()
    try to.type.driver.replace(to, with: from)
    let again = try Notebook(to)
    #expect(try again.codes() == ["new"])
    let history = try #require(again.store.history)
    let error = #expect(throws: PersistenceError.self) {
      try history.transactions(after: position, limit: nil)
    }
    #expect(error?.code == .persistentHistoryTokenExpired)
    try again.write("later")
    #expect(try history.transactions(after: nil, limit: nil).count == 1)
    try again.close()
  }
}

extension StorePosition {
  /// The length of the position in an encoded token.
  fileprivate var bytesCount: Int {
    let token = PersistentHistoryToken(stores: ["": self])
    return (try? JSONEncoder().encode(token).count) ?? .max
  }
}
