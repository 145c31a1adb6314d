// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of decisions in stores whose commits may be less durable than others rely on.
@Suite struct DecisionTests {
  @Test("a decision is told when it is durable, even if its own flush has failed (X3, X5)")
  func durability() throws {
    let company = try Company()
    let engine = FlushingEngine(MemoryEngine())
    let store = try KeyValueStore(
      engine: engine, description: .inMemory(), storeType: "InMemory")
    try store.prepare(company.schema, metadata: StoreMetadata(storeType: "InMemory"))
    let coordinator = UUID()
    try store.register(coordinator)
    let ticket = SaveTicket(
      coordinator: coordinator, decider: .init(identifier: "D", name: "D"), participants: ["P"],
      startedAt: 1)
    func decision(aborting: Bool) throws -> Decision {
      try store.decision(on: ticket, for: "P", aborting: aborting)
    }
    #expect(try decision(aborting: false) == .none)
    #expect(engine.flushes == 0)
    engine.fails = true
    let error = #expect(throws: PersistenceError.self) {
      _ = try store.decide(StoreChangeSet(), for: ticket, forgetting: [])
    }
    #expect(error?.code == .commitOutcomeUnknown)
    for aborting in [true, false] {
      #expect(throws: PersistenceError.self) { try decision(aborting: aborting) }
    }
    engine.fails = false
    for aborting in [false, true] {
      let flushes = engine.flushes
      #expect(try decision(aborting: aborting) == .committed)
      #expect(engine.flushes == flushes + 1)
    }
  }

  @Test("that a part is gone is told when it is durable, whoever has finished it (X3, X30)")
  func goneParts() throws {
    let company = try Company()
    let engine = FlushingEngine(MemoryEngine())
    let store = try KeyValueStore(
      engine: engine, description: .inMemory(), storeType: "InMemory")
    try store.prepare(company.schema, metadata: StoreMetadata(storeType: "InMemory"))
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "D", name: "D"), participants: ["P"],
      startedAt: 1)
    _ = try store.prepare(StoreChangeSet(), for: ticket)
    engine.fails = true
    for _ in 0..<2 {
      let error = #expect(throws: PersistenceError.self) {
        _ = try store.finish(ticket.id, committing: true)
      }
      #expect(error?.code == .commitOutcomeUnknown)
      #expect(try store.pending().isEmpty, "it is finished, and not flushed")
    }
    engine.fails = false
    let flushes = engine.flushes
    #expect(try store.finish(ticket.id, committing: true) == nil)
    #expect(engine.flushes == flushes + 1)
  }
}

/// An engine that flushes only writes on which other stores rely; a flush may fail after the write.
private final class FlushingEngine: ForwardingEngine {
  let base: any KeyValueEngine
  private let state = Mutex((fails: false, flushes: 0))

  init(_ base: any KeyValueEngine) { self.base = base }

  var flushes: Int { state.withLock { $0.flushes } }
  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  func makeDurable() throws {
    try state.withLock { state in
      guard !state.fails else { throw PersistenceError(.commitOutcomeUnknown, "") }
      state.flushes += 1
    }
  }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    var isReliedOn = false
    try base.write(cancellation) { snapshot, batch in
      try body(snapshot, &batch)
      isReliedOn = batch.isReliedOn
    }
    if isReliedOn { try makeDurable() }
  }
}
