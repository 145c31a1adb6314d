// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostPostgreSQL

// Tests of a store's two-phase commit, without a coordinator.
@Suite("Prepared saves", .enabled(if: Servers.canBeStarted))
struct PreparedSaveTests {
  private static let server: PrivatePostgreSQL? =
    Servers.canBeStarted ? try? PrivatePostgreSQL() : nil
  private func uri() throws -> String { try #require(Self.server).uri }

  @Test(
    "what is prepared shows nothing, survives the server, and is there when it is committed (X12)")
  func preparing() throws {
    let server = try PrivatePostgreSQL()
    let desk = try PreparationDesk(server.uri)
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    #expect(try desk.notebook.codes() == [])
    #expect(try desk.preparation.pending().map(\.ticket) == [ticket])
    try server.kill()
    #expect(try desk.preparation.pending().map(\.ticket) == [ticket])
    #expect(try desk.preparation.finish(ticket.id, committing: true) != nil)
    #expect(try desk.notebook.codes() == ["a"])
    #expect(try desk.preparation.pending().isEmpty)
    // Finishing twice has no effect.
    #expect(try desk.preparation.finish(ticket.id, committing: true) == nil)
    #expect(try desk.preparation.finish(ticket.id, committing: false) == nil)
    #expect(try desk.notebook.codes() == ["a"])
    try desk.notebook.close()
  }

  @Test("what is larger than the server can hold is refused, and leaves nothing prepared (X14)")
  func tooLarge() throws {
    let desk = try PreparationDesk(uri())
    let coordinator = UUID()
    try desk.preparation.register(coordinator)
    let changes = try desk.part(String(repeating: "x", count: 1 << 30))
    for decides in [false, true] {
      let error = #expect(throws: PersistenceError.self) {
        if decides {
          _ = try desk.preparation.decide(changes, for: desk.ticket(coordinator), forgetting: [])
        } else {
          _ = try desk.preparation.prepare(changes, for: desk.ticket(coordinator))
        }
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("divide them") == true)
      #expect(try desk.preparation.pending().isEmpty && desk.preparation.decisions().isEmpty)
    }
    let observer = try RawSession(uri())
    #expect(
      try observer.rows("SELECT save FROM \"\(desk.schemaName)\"._roost_prepared").isEmpty)
    // The connection goes on.
    try desk.notebook.write("a")
    #expect(try desk.notebook.codes() == ["a"])
    try desk.notebook.close()
  }

  @Test("what is rolled back leaves nothing")
  func rollingBack() throws {
    let desk = try PreparationDesk(uri())
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    #expect(try desk.preparation.finish(ticket.id, committing: false) == nil)
    #expect(try desk.preparation.pending().isEmpty)
    #expect(try desk.notebook.codes() == [])
    try desk.notebook.write("a")
    #expect(try desk.notebook.codes() == ["a"])
    try desk.notebook.close()
  }

  @Test("a write that waits for a prepared part in vain says which decision it waits for (X7)")
  func overlap() throws {
    let desk = try PreparationDesk(uri(), timeout: 1)
    let ticket = desk.ticket(UUID())
    try desk.prepare("a", ticket)
    let error = #expect(throws: PersistenceError.self) { try desk.notebook.write("a") }
    #expect(error?.code == .saveInDoubt)
    // Other saves continue.
    try desk.notebook.write("b")
    _ = try desk.preparation.finish(ticket.id, committing: true)
    #expect(try desk.notebook.codes() == ["a", "b"])
    try desk.notebook.close()
  }

  @Test(
    "a save is decided in its own transaction, and only for a coordinator that is registered (X6)")
  func deciding() throws {
    let desk = try PreparationDesk(uri())
    let coordinator = UUID()
    let (first, second, third) = (
      desk.ticket(coordinator), desk.ticket(coordinator), desk.ticket(coordinator)
    )
    #expect(try desk.preparation.decision(on: first, for: "A", aborting: false) == .forgotten)
    try desk.preparation.register(coordinator)
    #expect(try desk.preparation.decision(on: first, for: "A", aborting: false) == .none)
    guard case .committed = try desk.preparation.decide(desk.part("a"), for: first, forgetting: [])
    else { throw UnexpectedEnding() }
    #expect(try desk.preparation.decision(on: first, for: "A", aborting: true) == .committed)
    #expect(try desk.preparation.decisions().map(\.ticket) == [first])
    // A participant that finds no decision revokes the coordinator's registration.
    #expect(try desk.preparation.decision(on: second, for: "A", aborting: true) == .aborted)
    #expect(try desk.preparation.decision(on: second, for: "A", aborting: false) == .aborted)
    for ticket in [second, third] {
      guard case .refused = try desk.preparation.decide(desk.part("b"), for: ticket, forgetting: [])
      else { throw UnexpectedEnding() }
    }
    #expect(try desk.preparation.decision(on: first, for: "A", aborting: true) == .committed)
    try desk.preparation.forget([SaveAcknowledgement(save: first.id, participant: "B")])
    #expect(try desk.preparation.decisions().count == 1)
    try desk.preparation.forget([SaveAcknowledgement(save: first.id, participant: "A")])
    #expect(try desk.preparation.decisions().isEmpty)
    // A save that began after the participant's last acknowledgement is known to be undecided; an earlier one may
    // come from a restored backup, so its decision counts as forgotten.
    let later = desk.ticket(UUID())
    #expect(try desk.preparation.decision(on: later, for: "A", aborting: false) == .aborted)
    #expect(try desk.preparation.decision(on: first, for: "A", aborting: true) == .forgotten)
    #expect(try desk.notebook.codes() == ["a"])
    try desk.notebook.close()
  }

  // Without participants the decision is forgotten with the coordinator, and so is it by a process that asks for it.
  @Test(
    "who shuts a coordinator out waits while that decides (X6)", arguments: [["A"], []])
  func race(_ participants: [String]) throws {
    let desk = try PreparationDesk(uri())
    for round in 0..<40 {
      let coordinator = UUID()
      try desk.preparation.register(coordinator)
      let ticket = desk.ticket(coordinator, participants: participants)
      let part = try desk.part("\(round)")
      let asked = DispatchGroup()
      // Read after waiting for the group that writes it.
      nonisolated(unsafe) var answer: Decision?
      DispatchQueue.global().async(group: asked) {
        answer = try? desk.preparation.decision(on: ticket, for: "A", aborting: true)
      }
      let outcome = try desk.preparation.decide(part, for: ticket, forgetting: [])
      asked.wait()
      let isCommitted = if case .committed = outcome { true } else { false }
      #expect(answer == (isCommitted ? .committed : .aborted))
      #expect(try desk.notebook.codes().contains("\(round)") == isCommitted)
    }
    try desk.notebook.close()
  }

  @Test(
    "a save is not ended while its records are still being written in the deciding server (X6)",
    arguments: [1, 2])
  func longDecision(_ stores: Int) throws {
    let desks = try (0..<stores).map { _ in try PreparationDesk(uri()) }
    let desk = desks[0]
    var description = desk.store.description
    description.timeout = 1
    let impatient = try PreparationDesk(description)
    let coordinator = UUID()
    try desk.preparation.register(coordinator)
    let ticket = desk.ticket(coordinator)
    let parts = try desks.map { try $0.part("a") }
    let blocker = try RawSession(uri())
    try blocker.run(["BEGIN", "LOCK TABLE \"\(desks[stores - 1].schemaName)\".\"Note\""])
    let saved = DispatchGroup()
    // Read after waiting for the group that writes it.
    nonisolated(unsafe) var outcome: JointOutcome?
    DispatchQueue.global().async(group: saved) {
      let others = zip(desks, parts).dropFirst().map {
        JointPart(preparation: $0.preparation, changes: $1)
      }
      outcome = try? desk.preparation.decide(parts[0], with: others, for: ticket, forgetting: [])
    }
    let observer = try RawSession(uri())
    let waiting =
      "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = "
      + "'\"\(desks[stores - 1].schemaName)\".\"Note\"'::regclass"
    try waitUntil(!observer.rows(waiting).isEmpty)
    #expect(throws: PersistenceError.self) {
      try impatient.preparation.decision(on: ticket, for: "A", aborting: true)
    }
    try blocker.run(["ROLLBACK"])
    saved.wait()
    guard case .committed? = outcome else { throw UnexpectedEnding() }
    #expect(try desk.preparation.decision(on: ticket, for: "A", aborting: true) == .committed)
    for desk in desks + [impatient] { try desk.notebook.close() }
  }

  @Test("who registers does not wait for a coordinator that decides, however old it is (X6)")
  func registering() throws {
    let desk = try PreparationDesk(uri(), timeout: 5)
    let (old, gone) = (UUID(), UUID())
    for coordinator in [old, gone] { try desk.preparation.register(coordinator) }
    let decider = try RawSession(uri())
    let table = "\"\(desk.schemaName)\"._roost_coordinators"
    try decider.run([
      "UPDATE \(table) SET since = now() - interval '2 days'", "BEGIN",
      "SELECT 1 FROM \(table) WHERE coordinator = '\(old)' FOR SHARE",
    ])
    let new = UUID()
    try desk.preparation.register(new)
    try decider.run(["COMMIT"])
    let known = try decider.rows("SELECT coordinator FROM \(table)").map { $0.uppercased() }
    #expect(Set(known) == [old.uuidString, new.uuidString])
    try desk.notebook.close()
  }

  @Test("two stores of one database are written by one transaction, and by none alone (X2)")
  func together() throws {
    let (one, other) = (try PreparationDesk(uri()), try PreparationDesk(uri()))
    let domain = try one.preparation.transactionDomain()
    #expect(try domain != nil && domain == other.preparation.transactionDomain())
    let coordinator = UUID()
    try one.preparation.register(coordinator)
    func decide(_ first: String, _ second: String) throws -> JointOutcome {
      try one.preparation.decide(
        one.part(first),
        with: [JointPart(preparation: other.preparation, changes: other.part(second))],
        for: one.ticket(coordinator, participants: []), forgetting: [])
    }
    let mark = try other.store.changeMark()
    guard case .committed(let receipts) = try decide("a", "b") else {
      throw UnexpectedEnding()
    }
    #expect(receipts.count == 2)
    #expect(try other.store.changeMark() != mark)
    #expect(try one.notebook.codes() == ["a"])
    #expect(try other.notebook.codes() == ["b"])
    for (first, second, part) in [("a", "c", 0), ("c", "b", 1), ("a", "b", 1)] {
      guard case .conflicted(part, let conflicts) = try decide(first, second) else {
        throw UnexpectedEnding()
      }
      #expect(conflicts.count == 1)
    }
    guard case .committed = try decide("c", "c") else { throw UnexpectedEnding() }
    #expect(try one.notebook.codes() == ["a", "c"])
    #expect(try other.notebook.codes() == ["b", "c"])
    try one.notebook.close()
    try other.notebook.close()
  }

  @Test("what is being prepared is left alone, what was killed before it was leaves nothing (X6)")
  func left() throws {
    let desk = try PreparationDesk(uri())
    try desk.preparation.register(UUID())
    let ticket = desk.ticket(UUID())
    let (schema, save) = (desk.schemaName, ticket.id)
    let part = PreparedPart(ticket: ticket, keys: []).bytes
    let bytes = part.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let slow = try RawSession(uri())
    try slow.run([
      "INSERT INTO \"\(schema)\"._roost_prepared (save, part, at) VALUES "
        + "('\(save)', decode('\(bytes)', 'hex'), now() - interval '1 minute')",
      "BEGIN",
      "INSERT INTO \"\(schema)\"._roost_commits (token, transaction) VALUES ('\(save)', 7)",
    ])
    #expect(try desk.preparation.pending().isEmpty)
    let count = "SELECT count(*) FROM \"\(schema)\"._roost_prepared"
    #expect(try RawSession(uri()).rows(count) == ["1"])
    try slow.run(["ROLLBACK"])
    #expect(try desk.preparation.pending().isEmpty)
    #expect(try slow.rows(count) == ["0"])
    // A slow save comes too late.
    #expect(throws: RawSession.RawError.self) {
      try slow.run([
        "INSERT INTO \"\(schema)\"._roost_commits (token, transaction) VALUES ('\(save)', 7)"
      ])
    }
    try desk.notebook.close()
  }

  @Test(
    "a preparation whose answer is lost is found, one that never reached the server leaves nothing",
    arguments: [true, false])
  func answerLost(isForwarded: Bool) throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let desk = try PreparationDesk(
      Servers.networkDescription(port: wire.port, password: server.password))
    let isDone = Mutex(false)
    wire.setJudge { bytes in
      guard bytes.has("PREPARE TRANSACTION") else { return .forward }
      return isDone.withLock { done in
        defer { done = true }
        return done ? .forward : isForwarded ? .forwardAndCut : .cut
      }
    }
    let ticket = desk.ticket(UUID())
    if isForwarded {
      try desk.prepare("a", ticket)
      #expect(try desk.preparation.pending().map(\.ticket) == [ticket])
      #expect(try desk.preparation.finish(ticket.id, committing: true) != nil)
    } else {
      #expect(throws: PersistenceError.self) { try desk.prepare("a", ticket) }
      #expect(try desk.preparation.pending().isEmpty)
    }
    #expect(try desk.notebook.codes() == (isForwarded ? ["a"] : []))
    try desk.notebook.close()
  }

  @Test("a server without prepared transactions says which setting to raise (X12)")
  func withoutPreparedTransactions() throws {
    let server = try PrivatePostgreSQL()
    let settings = try FileHandle(
      forWritingTo: URL(filePath: server.folder + "/data/postgresql.conf"))
    try settings.seekToEnd()
    try settings.write(contentsOf: Data("max_prepared_transactions = 0\n".utf8))
    try settings.close()
    try server.restart()
    let desk = try PreparationDesk(server.uri)
    let error = #expect(throws: PersistenceError.self) {
      try desk.prepare("a", desk.ticket(UUID()))
    }
    #expect(error?.message.contains("max_prepared_transactions") == true)
    #expect(try !desk.preparation.canPrepare())
    #expect(try desk.notebook.codes() == [])
    #expect(try desk.preparation.pending().isEmpty)
    try desk.notebook.write("a")
    try desk.notebook.close()
  }
}
