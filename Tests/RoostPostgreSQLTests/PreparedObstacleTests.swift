// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

// Tests of prepared transactions that block a waiting save.
@Suite("Obstacles of saves", .enabled(if: Servers.canBeStarted))
struct PreparedObstacleTests {
  private static let server: PrivatePostgreSQL? =
    Servers.canBeStarted ? try? PrivatePostgreSQL() : nil
  private func uri() throws -> String { try #require(Self.server).uri }

  @Test(
    "a write does not wait out its time for a part that nobody may end (X12)",
    .timeLimit(.minutes(1)), arguments: [false, true])
  func obstacle(isCancellable: Bool) throws {
    let desk = try PreparationDesk(uri(), timeout: 600)
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    let error = #expect(throws: PersistenceError.self) {
      let changes = try desk.part("a")
      guard isCancellable else { return _ = try desk.store.commit(changes) }
      _ = try desk.store.cancellable(by: RequestCancellation()).commit(changes)
    }
    #expect(error?.code == .saveInDoubt)
    _ = try desk.preparation.finish(ticket.id, committing: false)
    try desk.notebook.write("a")
    try desk.notebook.close()
  }

  /// Holds a lock that every save needs, longer than a save waits before it checks for prepared parts.
  private func locking(_ desk: PreparationDesk, _ body: () throws -> Void) throws {
    let (isLocked, isOver) = (DispatchSemaphore(value: 0), DispatchGroup())
    let (store, table) = (desk.store, "\"\(desk.schemaName)\"._roost_metadata")
    DispatchQueue.global().async(group: isOver) {
      try? store.withConnection { connection in
        _ = try connection.run([.begin, .once("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")])
          .get()
        isLocked.signal()
        Thread.sleep(forTimeInterval: 2.5)
        try connection.rollBack()
      }
      isLocked.signal()
    }
    isLocked.wait()
    defer { isOver.wait() }
    try body()
  }

  @Test(
    "a save that was stopped although no part stands in its way goes on (X12)",
    .timeLimit(.minutes(1)), arguments: [false, true])
  func lateStop(isCancellable: Bool) throws {
    let desk = try PreparationDesk(uri())
    let looks = Mutex(0)
    // Simulates a part that is finished between the check and the cancellation.
    _ = desk.store.preparing.question {
      LockQuestion { _, _ in
        looks.withLock { $0 += 1 }
        return true
      }
    }
    try locking(desk) {
      let changes = try desk.part("a")
      if isCancellable {
        _ = try desk.store.cancellable(by: RequestCancellation()).commit(changes)
      } else {
        _ = try desk.store.commit(changes)
      }
    }
    #expect(looks.withLock { $0 } > 0)
    #expect(try desk.notebook.codes() == ["a"])
    try desk.notebook.close()
  }

  @Test(
    "a save that waits for a transaction that another program has prepared does not end for a part of Roost's (X12)",
    .timeLimit(.minutes(1)))
  func foreignTransaction() throws {
    let (desk, other) = (try PreparationDesk(uri()), try PreparationDesk(uri()))
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    // A part of another store is an ordinary transaction for this store.
    let transaction = PreparedTransaction(SaveID(UUID()), of: other.store.identity)
    _ = try SaveWriter(
      desk.part("b"), to: desk.store, ending: SaveEnding(preparation: transaction)
    ).run()
    let isOver = DispatchGroup()
    let store = desk.store
    DispatchQueue.global().async(group: isOver) {
      Thread.sleep(forTimeInterval: 2.5)
      try? store.withConnection {
        _ = try $0.run(.once("ROLLBACK PREPARED \(transaction.literal)"))
      }
    }
    defer { isOver.wait() }
    _ = try desk.store.commit(desk.part("b"))
    #expect(try desk.notebook.codes() == ["b"])
    _ = try desk.preparation.finish(ticket.id, committing: false)
    isOver.wait()
    try other.notebook.close()
    try desk.notebook.close()
  }

  @Test("each part that was ended undecided doubles the time for the next ones (X12)")
  func patience() throws {
    let desk = try PreparationDesk(uri())
    let patience = desk.store.preparing.patience
    let before = patience.seconds
    for _ in 0..<2 {
      let ticket = desk.ticket(UUID())
      try desk.prepare("a", ticket)
      // Finishes the part as another process would.
      _ = desk.store.preparing.take(ticket.id)
      _ = try desk.preparation.finish(ticket.id, committing: false)
    }
    #expect(patience.seconds == before * 4)
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    _ = try desk.preparation.finish(ticket.id, committing: false)
    #expect(patience.seconds == before * 4, "its own")
    try desk.notebook.close()
  }

  @Test("a store that takes part for the first time is refused by versions that do not know it")
  func format() throws {
    let desk = try PreparationDesk(uri())
    func version() throws -> Int64 {
      try desk.store.withReading {
        try $0.run(.once("SELECT format & 255 FROM \"\(desk.schemaName)\"._roost_metadata"))
          .integer()
      }
    }
    try desk.notebook.write("a")
    #expect(try version() == 1)
    try desk.preparation.register(UUID())
    #expect(try version() == 2)
    // Programs that have the store open, or open it, can continue.
    try desk.notebook.write("b")
    #expect(try desk.notebook.codes() == ["a", "b"])
    let other = try Notebook(desk.store.description)
    try other.write("c")
    try other.close()
    try desk.notebook.close()
  }
}
