// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostCoordinator

@Suite("Recovery of saves over several stores")
struct SaveRecoveryTests {
  let real: RealStores
  let stack: Stack

  init() throws {
    real = try RealStores()
    stack = try Stack()
  }

  private func addStore(
    _ kind: RealStores.Kind, named name: String = "store"
  ) throws -> AttachedStore {
    try stack.attached(
      stack.coordinator.addPersistentStore(with: real.description(kind, name)))
  }

  private func preparePart(in store: AttachedStore) throws -> SaveTicket {
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "gone", name: "gone"),
      participants: [store.identity.identifier], startedAt: 1)
    let preparation = try #require(store.store.preparation)
    _ = try preparation.prepare(StoreChangeSet(), for: ticket)
    return ticket
  }

  @Test(
    "a part that stands in nobody's way ends no write for which another one was ended (X7)",
    arguments: [RealStores.Kind.sqlite, .lmdb])
  func unrelatedPart(_ kind: RealStores.Kind) throws {
    let store = try addStore(kind)
    _ = try preparePart(in: store)
    let recovery = SaveRecovery(coordinator: stack.coordinator)
    var count = 0
    // Another coordinator finishes the conflicting part before this one recovers.
    let answer = try recovery.settling([store]) {
      count += 1
      if count == 1 { throw PersistenceError(.saveInDoubt, "") }
      return count
    }
    #expect(answer == 2)
    #expect(throws: PersistenceError(.saveInDoubt, "")) {
      try recovery.settling([store]) { throw PersistenceError(.saveInDoubt, "") }
    }
  }

  @Test("a save that is known to be committed is not rolled back by hand (X4, X6)")
  func byHand() throws {
    let store = try addStore(.sqlite)
    let ticket = try preparePart(in: store)
    store.saves.add(.decided(committing: true), of: ticket.id)
    let doubt = SaveInDoubt(
      id: ticket.id.uuid, decider: "gone", deciderName: "gone", since: Date())
    #expect(throws: PersistenceError(.invalidRequest, "")) {
      try SavesInDoubt(of: stack.coordinator).end(doubt, committing: false)
    }
    #expect(try store.store.preparation?.pending().map(\.ticket.id) == [ticket.id])
  }

  @Test("what another process has finished is not asked for again (X4)")
  func finishedByOthers() throws {
    let store = try addStore(.sqlite)
    let left = try preparePart(in: store)
    for (ticket, remainder) in [(SaveID(), .decided(committing: true)), (SaveID(), .undecided)]
      as [(SaveID, SaveRegistry.Remainder)]
    {
      store.saves.add(remainder, of: ticket)
    }
    store.saves.add(.undecided, of: left.id)
    try SaveRecovery(coordinator: stack.coordinator).finishRemainders(of: store)
    #expect(store.saves.remainders == [left.id: .undecided], "its decider is missing")
    _ = try store.store.preparation?.finish(left.id, committing: false)
    try SaveRecovery(coordinator: stack.coordinator).finishRemainders(of: store)
    #expect(!store.saves.isWaiting)
  }

  @Test("a coordinator's name tells whether its process has ended (X6)")
  func names() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sleep")
    process.arguments = ["60"]
    try process.run()
    let other = CoordinatorName.make(process: process.processIdentifier)
    #expect(!CoordinatorName.hasEnded(other))
    process.terminate()
    process.waitUntilExit()
    #expect(CoordinatorName.hasEnded(other))
    // A number that this process had before it, and what another machine has given.
    #expect(CoordinatorName.hasEnded(CoordinatorName.make()))
    #expect(!CoordinatorName.hasEnded(UUID()))
    let registry = SaveRegistry()
    let store = try addStore(.sqlite)
    let own = try registry.registration(in: try #require(store.store.preparation))
    #expect(!CoordinatorName.hasEnded(own))
    registry.end(in: store.store, telling: [])
    #expect(CoordinatorName.hasEnded(own))
    #expect(CoordinatorName.make() != CoordinatorName.make())
  }

  @Test(
    "an undecided save is ended by who only looks when its coordinator is dead (X6)",
    arguments: [true, false])
  func abandoned(isDead: Bool) throws {
    let (one, other) = (try addStore(.sqlite), try addStore(.lmdb, named: "other"))
    let ended = Process()
    ended.executableURL = URL(filePath: "/bin/sleep")
    ended.arguments = ["60"]
    try ended.run()
    defer { ended.terminate() }
    let coordinator = CoordinatorName.make(process: ended.processIdentifier)
    if isDead {
      ended.terminate()
      ended.waitUntilExit()
    }
    try other.store.preparation?.register(coordinator)
    let ticket = SaveTicket(
      coordinator: coordinator,
      decider: .init(identifier: other.identity.identifier, name: "other"),
      participants: [one.identity.identifier],
      startedAt: Date.now.timeIntervalSinceReferenceDate)
    _ = try one.store.preparation?.prepare(StoreChangeSet(), for: ticket)
    #expect(try SavesInDoubt(of: stack.coordinator).list().isEmpty)
    #expect(try one.store.preparation?.pending().isEmpty == isDead)
    let decision = try other.store.preparation?
      .decision(on: ticket, for: one.identity.identifier, aborting: false)
    #expect(decision == (isDead ? Decision.aborted : Decision.none))
  }

  @Test("what is left of one save is not hidden by the end of another one (X4)")
  func remainders() {
    for _ in 0..<2_000 {
      let registry = SaveRegistry()
      let (old, new) = (SaveID(), SaveID())
      registry.add(.undecided, of: old)
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        if number == 0 { registry.remove(old) } else { registry.add(.undecided, of: new) }
      }
      #expect(registry.isWaiting)
    }
  }

  @Test("a coordinator's saves begin one after the other, whatever the clock says (X8)")
  func times() {
    let registry = SaveRegistry()
    let times = (0..<1_000).map { _ in registry.timeOfNextSave() }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }
}
