// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

/// Parts whose saves are decided, and that stay unfinished: the store cannot write them, or nobody writes to it.
extension AtomicSaveCases {
  /// Reads all stores, through a new context.
  private static func readAll(_ pair: Pair) throws {
    let fresh = pair.stack.makeContext()
    fresh.stalenessInterval = 0
    _ = try fresh.all("Register")
  }

  static let unfinished: [ConformanceCase] = [
    pair(
      "unfinished",
      "a part that cannot be finished when the stores are opened is not passed over by reads (X4)",
      needs: [.reopening]
    ) { pair in
      try leavePart(pair, decided: true)
      pair.prepares.cutOff([.finish])
      try pair.stack.reopen()
      let error = try expectError(.saveInDoubt, "a read") { try readAll(pair) }
      try expect(error.underlying != nil, "the reason")
      let doubts = SavesInDoubt(of: pair.stack.coordinator)
      let doubt = try require(doubts.list().first, "the save")
      try expectEqual(doubt.failures.map(\.code), [FaultSwitch.error.code], "why it waits")
      // A part is not given up as long as it may be written.
      try expectError(.invalidRequest) { try doubts.end(doubt, committing: false) }
      pair.prepares.clear()
      try pair.expect("1", "read")
      try pair.expectNothingLeft("read")
      try pair.expectNothingRemembered("read")
    },
    pair(
      "unfinished-once", "what fails when the stores are opened is done before they are read (X4)",
      needs: [.reopening]
    ) { pair in
      try leavePart(pair, decided: true)
      pair.prepares.fail(.finish)
      try pair.stack.reopen()
      try pair.expect("1", "read")
      try pair.expectNothingLeft("read")
    },
    pair(
      "damaged",
      "a part that can never be written hides no other one, is listed, and can be given up (X6)"
    ) { pair in
      let (store, decider) = (try pair.store("prepares"), try pair.store("decides"))
      let record = try pair.stack.context.named("Register", "prepares")
      let version = RowVersion(
        key: record.objectID.key, version: try pair.stack.version(of: record))
      let damaged = try leaveDecidedPart(pair, StoreChangeSet(locked: [version]))
      pair.prepares.damage(damaged.id)
      func expectLeft(_ what: String) throws {
        try expectEqual(
          try store.preparation?.pending().map(\.ticket.id), [damaged.id], "the parts: \(what)")
      }
      _ = try leaveDecidedPart(pair)
      try record.set("list", "1")
      try expectError(.saveInDoubt, "a write") { try pair.stack.context.save() }
      try expectLeft("who writes finishes the others")
      pair.stack.context.rollback()
      let doubts = SavesInDoubt(of: pair.stack.coordinator)
      let found = try doubts.list()
      try expectEqual(found.map(\.id), [damaged.id.uuid], "the saves in doubt")
      try expectEqual(found[0].failures.map(\.code), [.corruptStore], "why it waits")
      try expect(found[0].failures[0].store != nil, "the store is named")
      try expectError(.saveInDoubt, "a read") { try readAll(pair) }
      try expectError(.invalidRequest) { try doubts.end(found[0], committing: true) }
      try expectLeft("not ended")
      try doubts.end(found[0], committing: false)
      try pair.expectNothingLeft("given up")
      try expectEqual(
        store.metadata.savesEndedByHand.map(\.id), [damaged.id.uuid], "what is recorded")
      try expectEqual(
        try decider.preparation?.decisions().filter { $0.ticket.id == damaged.id }.count, 0,
        "nobody waits for the decision")
      try pair.change("2")
      try pair.stack.context.save()
      try pair.expect("2", "saved again")
    },
    pair(
      "left-behind-read", "what others leave is finished by who only reads, soon (X6)"
    ) { pair in
      let store = try pair.store("prepares")
      _ = try leaveDecidedPart(pair)
      let start = ContinuousClock.now
      while try store.preparation?.pending().isEmpty == false,
        ContinuousClock.now - start < .seconds(20)
      {
        try readAll(pair)
        Thread.sleep(forTimeInterval: 0.02)
      }
      try expectEqual(try store.preparation?.pending().count, 0, "the parts")
    },
    pair(
      "left-behind-announced", "what others leave is finished by who only announces writes (X6)",
      needs: [.changeMarks], announces: true
    ) { pair in
      let (store, changes) = (
        try pair.store("prepares"), RemoteChanges(to: pair.stack.coordinator)
      )
      _ = try leaveDecidedPart(pair)
      for _ in 0..<100 where try store.preparation?.pending().isEmpty == false {
        changes.look()
        Thread.sleep(forTimeInterval: 0.05)
      }
      try expectEqual(try store.preparation?.pending().count, 0, "the parts")
    },
    pair(
      "destroyed", "a store is destroyed with what others wait for, and they can go on (X7, X6)",
      needs: [.reopening]
    ) { pair in
      guard pair.stack.coordinator.attachedStores.allSatisfy(\.isDurable),
        let url = pair.descriptions.decides.url
      else { return }
      try leavePart(pair, decided: true)
      let alone = try pair.stage.open(pair.stack.model, on: [pair.descriptions.prepares])
      try alone.coordinator.destroyPersistentStore(
        at: url, type: pair.descriptions.decides.type,
        options: pair.descriptions.decides.options)
      let doubts = SavesInDoubt(of: alone.coordinator)
      let doubt = try require(doubts.list().first, "the save")
      try doubts.end(doubt, committing: true)
      try expectEqual(try alone.context.named("Register", "prepares").text("list"), "1")
    },
  ]
}
