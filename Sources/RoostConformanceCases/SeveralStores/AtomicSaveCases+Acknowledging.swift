// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore
import Synchronization

/// Waits of saves over several stores, and the records of finished ones.
extension AtomicSaveCases {
  /// Prepares a part of another coordinator's save in the store that prepares.
  static func prepareForeignPart(
    _ pair: Pair, _ coordinator: UUID, _ changes: StoreChangeSet = StoreChangeSet()
  ) throws -> SaveTicket {
    let (store, decider) = (try pair.store("prepares"), try pair.store("decides"))
    let ticket = SaveTicket(
      coordinator: coordinator,
      decider: .init(identifier: decider.identity.identifier, name: "decider"),
      participants: [store.identity.identifier], startedAt: 1)
    guard case .prepared? = try store.preparation?.prepare(changes, for: ticket) else {
      throw PersistenceError(.persistentStoreOperation, "The part was to be prepared.")
    }
    return ticket
  }

  /// Leaves a part of another coordinator's save that is committed.
  static func leaveDecidedPart(
    _ pair: Pair, _ changes: StoreChangeSet = StoreChangeSet()
  ) throws -> SaveTicket {
    let decider = try require(try pair.store("decides").preparation, "the decider")
    let others = UUID()
    try decider.register(others)
    let ticket = try prepareForeignPart(pair, others, changes)
    _ = try decider.decide(StoreChangeSet(), for: ticket, forgetting: [])
    return ticket
  }

  static let acknowledging: [ConformanceCase] = [
    pair(
      "overlapping",
      "a save that began before one of others that is acknowledged is decided or ended (X8)"
    ) { pair in
      let decider = try require(try pair.store("decides").preparation, "the decider")
      let participant = try pair.store("prepares").identity.identifier
      let (early, late) = (UUID(), UUID())
      func ticket(_ time: Double, _ coordinator: UUID) -> SaveTicket {
        SaveTicket(
          coordinator: coordinator, decider: .init(identifier: "decider", name: "decider"),
          participants: [participant], startedAt: time)
      }
      func decision(_ ticket: SaveTicket, aborting: Bool = false) throws -> Decision {
        try decider.decision(on: ticket, for: participant, aborting: aborting)
      }
      func isDecided(_ ticket: SaveTicket) throws -> Bool {
        switch try decider.decide(StoreChangeSet(), for: ticket, forgetting: []) {
        case .committed: true
        case .conflicted, .refused: false
        }
      }
      for coordinator in [early, late] { try decider.register(coordinator) }
      let (first, second) = (ticket(10, early), ticket(20, late))
      try expect(try isDecided(second), "the later one is decided")
      try decider.forget([SaveAcknowledgement(save: second.id, participant: participant)])
      try expectEqual(try decision(first), .none, "the earlier one may be decided")
      try expectEqual(try decision(first, aborting: true), .aborted, "it is ended")
      try expectEqual(try decision(first, aborting: true), .aborted, "it stays ended")
      try expect(try !isDecided(first), "its coordinator cannot decide any more")
      // The same coordinator has a later save that is decided and acknowledged, so this one is forgotten.
      try expectEqual(try decision(ticket(15, late), aborting: true), .forgotten, "put back")
      try expect(try !isDecided(ticket(30, late)), "its coordinator is asked to register anew")
    },
    pair(
      "older-part", "a store with an older part does not acknowledge later saves (X8)",
      needs: [.reopening]
    ) { pair in
      guard pair.stack.coordinator.attachedStores.allSatisfy(\.isDurable) else { return }
      let others = UUID()
      try pair.store("decides").preparation?.register(others)
      let ticket = try prepareForeignPart(pair, others)
      for round in 1...2 {
        try pair.change("\(round)")
        try pair.stack.context.save()
      }
      try expectEqual(
        try pair.store("prepares").preparation?.pending().map(\.ticket.id), [ticket.id],
        "what others are writing is left alone")
      pair.stack.close()
      let alone = try pair.stage.open(pair.stack.model, on: [pair.descriptions.decides])
      try expectEqual(
        try alone.coordinator.persistentStores[0].preparation?.decisions().count, 3,
        "the decisions that are remembered")
      alone.close()
      try pair.stack.reopen()
      try pair.expectNothingLeft("settled")
      try pair.expectNothingRemembered("settled")
      try pair.expect("2", "the last save")
    },
    pair(
      "second-part",
      "a part is not prepared beside another one that writes the same record (X7)"
    ) { pair in
      let (store, record) = (
        try pair.store("prepares"), try pair.stack.context.named("Register", "prepares")
      )
      let preparation = try require(store.preparation, "the store that prepares")
      let others = [UUID(), UUID()]
      for other in others { try pair.store("decides").preparation?.register(other) }
      let row = try require(try store.rows(forKeys: [record.objectID.key]).first, "the row")
      let changes = StoreChangeSet(updated: [
        RowUpdate(
          row: row.copy(version: row.version + 1), baseVersion: row.version, changedSlots: [])
      ])
      let first = try prepareForeignPart(pair, others[0], changes)
      try expectError(.saveInDoubt) { _ = try prepareForeignPart(pair, others[1], changes) }
      try expectEqual(
        try preparation.pending().map(\.ticket.id), [first.id], "the part that came first")
      _ = try preparation.finish(first.id, committing: false)
      // Nothing is in its way any more.
      let second = try prepareForeignPart(pair, others[1], changes)
      _ = try preparation.finish(second.id, committing: false)
      try pair.expectNothingLeft("both are taken back")
      try pair.expect("0", "both are taken back")
    },
    pair(
      "patience", "a save of others is given time from when it is seen, whatever their clock (X6)"
    ) { pair in
      let (store, others) = (try pair.store("prepares"), UUID())
      let decider = try require(try pair.store("decides").preparation, "the decider")
      try decider.register(others)
      let record = try pair.stack.context.named("Register", "prepares")
      let version = RowVersion(
        key: record.objectID.key, version: try pair.stack.version(of: record))
      let ticket = try prepareForeignPart(pair, others, StoreChangeSet(locked: [version]))
      let isDecided = Mutex(false)
      let decides = pair.decides
      decides.interrupt(.decision) {
        // At the second query, the other save has proceeded.
        decides.interrupt(.decision) {
          let outcome = try? decider.decide(StoreChangeSet(), for: ticket, forgetting: [])
          if case .committed? = outcome { isDecided.withLock { $0 = true } }
        }
      }
      try record.set("list", "1")
      // The record that the others locked has another version now.
      try expectError(.managedObjectMerge) { try pair.stack.context.save() }
      try expect(isDecided.withLock { $0 }, "the save of others is decided")
      try expectEqual(try store.preparation?.pending().count, 0, "the parts")
    },
    pair(
      "generation", "who looks at one moment does not wait for a save that shows nothing yet (X20)"
    ) { pair in
      let coordinator = pair.stack.coordinator
      let isTaken = Mutex(false)
      pair.prepares.interrupt(.prepare) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
          _ = try? coordinator.takeGeneration()
          done.signal()
        }
        thread.start()
        let isInTime = done.wait(timeout: .now() + 20) == .success
        isTaken.withLock { $0 = isInTime }
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expect(isTaken.withLock { $0 }, "the moment was taken while the save was prepared")
      try pair.expect("1", "the save")
    },
    pair(
      "left-behind", "what others leave is finished by who looks, also where nobody writes (X6)",
      needs: [.changeMarks]
    ) { pair in
      let changes = RemoteChanges(to: pair.stack.coordinator)
      changes.beginMerging()
      let store = try pair.store("prepares")
      _ = try leaveDecidedPart(pair)
      for _ in 0..<100 where try store.preparation?.pending().isEmpty == false {
        changes.look()
        Thread.sleep(forTimeInterval: 0.05)
      }
      try expectEqual(try store.preparation?.pending().count, 0, "the parts")
    },
    evolution(decided: false), evolution(decided: true),
  ]

  private static func evolution(decided: Bool) -> ConformanceCase {
    pair(
      decided ? "evolution-committed" : "evolution-aborted",
      "what a store holds is ended before it is brought to another version of its model (X6)",
      needs: [.reopening, .evolution]
    ) { pair in
      try leavePart(pair, decided: decided)
      var sketch = ModelSketch()
      sketch.add(
        "Register", [.string("name"), .string("list"), .string("added")], unique: [["name"]])
      let later = try pair.stage.open(
        sketch.make(), on: [pair.descriptions.decides, pair.descriptions.prepares])
      let context = later.context
      let value = decided ? "1" : "0"
      try expectEqual(
        try ["prepares", "decides"].map { try context.named("Register", $0).text("list") },
        [value, value], "the values")
      try expectEqual(
        try context.all("Register", "name == 'wanted'").count, decided ? 1 : 0, "the new record")
      for store in later.coordinator.persistentStores {
        try expectEqual(try store.preparation?.pending().count, 0, "the parts")
        // Records in memory disappear with their process at the latest.
        guard later.coordinator.attachedStores.allSatisfy(\.isDurable) else { continue }
        try expectEqual(try store.preparation?.decisions().count, 0, "the decisions")
      }
    }
  }
}
