// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
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

  @Test(
    "a decision is forgotten when the participant has answered that its part is gone for good (X3, X30)"
  )
  func durablyFinished() throws {
    let asked = Mutex<[Bool]>([])
    let participant = try stack.attached(
      stack.coordinator.addPersistentStore(
        with: real.description(.sqlite, "participant").forwarded { store in
          FinishingStore(store) { isCommitted in
            let isFirst = asked.withLock { asked in
              asked.append(isCommitted)
              return asked.count == 1
            }
            if isFirst { throw PersistenceError(.persistentStoreOperation, "It cannot flush.") }
          }
        }))
    let decider = try addStore(.lmdb, named: "decider")
    let preparation = try #require(decider.store.preparation)
    let coordinator = UUID()
    try preparation.register(coordinator)
    // The participant has written its part, and nobody knows whether it was flushed.
    let ticket = SaveTicket(
      coordinator: coordinator,
      decider: .init(identifier: decider.identity.identifier, name: "decider"),
      participants: [participant.identity.identifier],
      startedAt: Date.now.timeIntervalSinceReferenceDate)
    guard case .committed = try preparation.decide(StoreChangeSet(), for: ticket, forgetting: [])
    else {
      Issue.record("The save is decided.")
      return
    }
    let recovery = SaveRecovery(coordinator: stack.coordinator)
    try recovery.forgetDecisions(of: decider)
    #expect(try preparation.decisions().map(\.ticket) == [ticket])
    try recovery.forgetDecisions(of: decider)
    #expect(try preparation.decisions().isEmpty)
    #expect(asked.withLock { $0 } == [true, true])
  }

  @Test("a part is not in doubt that others finish, and whose decision they forget, meanwhile (X6)")
  func forgottenMeanwhile() throws {
    let (store, decider) = (try addStore(.sqlite), try addStore(.lmdb, named: "decider"))
    let preparation = try #require(store.store.preparation)
    let deciding = try #require(decider.store.preparation)
    let (coordinator, name) = (UUID(), store.identity.identifier)
    try deciding.register(coordinator)
    let ticket = SaveTicket(
      coordinator: coordinator,
      decider: .init(identifier: decider.identity.identifier, name: "decider"),
      participants: [name], startedAt: Date.now.timeIntervalSinceReferenceDate)
    _ = try preparation.prepare(StoreChangeSet(), for: ticket)
    let part = try #require(try preparation.pending().first)
    _ = try deciding.decide(StoreChangeSet(), for: ticket, forgetting: [])
    _ = try preparation.finish(ticket.id, committing: true)
    try deciding.forget([SaveAcknowledgement(save: ticket.id, participant: name)])
    #expect(try deciding.decision(on: ticket, for: name, aborting: false) == .forgotten)
    let state = try SaveRecovery(coordinator: stack.coordinator)
      .settle(part, of: store, preparation, ending: .all, until: Deadline(after: 0))
    #expect(state == .finished)
  }

  @Test(
    "a save with a part that is too large is refused, and leaves nothing in any store (X14)",
    arguments: [[RealStores.Kind.sqlite, .lmdb], [.lmdb, .sqlite]])
  func tooLarge(_ kinds: [RealStores.Kind]) throws {
    let stores = try kinds.map { try addStore($0, named: "\($0)") }
    let people = try stores.map { try stack.insertPeople([("Ada", 36)], into: $0.store)[0] }
    let order = try SaveOrder(of: stores)
    // The bytes of the larger part are just too many.
    func request(_ name: String) -> CommitRequest {
      .updating(
        people.indices.map { number in
          stack.update(
            people[number], name: number == order.preparing[0] ? name : "Bob", age: 37, from: 1)
        })
    }
    PreparedChanges.$limit.withValue(10_000) {
      let error = #expect(throws: PersistenceError.self) {
        _ = try stack.coordinator.commit(request(String(repeating: "x", count: 10_000)))
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("several steps") == true)
      #expect(error?.store != nil)
    }
    for store in stores { #expect(try store.store.preparation?.pending().isEmpty == true) }
    for person in people {
      #expect(try stack.coordinator.rows(for: [person], stalenessInterval: 0)[0]?.version == 1)
    }
    _ = try PreparedChanges.$limit.withValue(10_000) { try stack.commit(request("Eve")) }
    for person in people {
      #expect(try stack.coordinator.existingRow(for: person).version == 2)
    }
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

/// A store that may fail to say that a part is finished.
private final class FinishingStore: ForwardingStore, @unchecked Sendable {
  // Sendable: its state is constant.

  private let answer: @Sendable (Bool) throws -> Void

  init(_ base: any PersistentStore, _ answer: @escaping @Sendable (Bool) throws -> Void) {
    self.answer = answer
    super.init(base)
  }

  override var preparation: (any StorePreparation)? {
    base.preparation.map { Preparation(base: $0, answer: answer) }
  }

  private struct Preparation: StorePreparation {
    let base: any StorePreparation
    let answer: @Sendable (Bool) throws -> Void

    func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
      try answer(committing)
      return try base.finish(save, committing: committing)
    }

    func prepare(
      _ changes: StoreChangeSet, for save: SaveTicket
    ) throws -> PreparationOutcome { try base.prepare(changes, for: save) }

    func decide(
      _ changes: StoreChangeSet, for save: SaveTicket,
      forgetting acknowledged: [SaveAcknowledgement]
    ) throws -> DecisionOutcome {
      try base.decide(changes, for: save, forgetting: acknowledged)
    }

    func decision(
      on save: SaveTicket, for participant: String, aborting: Bool
    ) throws -> Decision {
      try base.decision(on: save, for: participant, aborting: aborting)
    }

    func pending() throws -> [PreparedPart] { try base.pending() }
    func register(_ coordinator: UUID) throws { try base.register(coordinator) }
    func unregister(_ coordinator: UUID) throws { try base.unregister(coordinator) }
    func forget(_ acknowledged: [SaveAcknowledgement]) throws { try base.forget(acknowledged) }
    func decisions() throws -> [RememberedDecision] { try base.decisions() }
  }
}
