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

/// Leftovers of a process that was killed during a save.
extension AtomicSaveCases {
  /// Leaves a part behind, as a process that is killed does: the save is decided, or it is not.
  static func leavePart(_ pair: Pair, decided: Bool) throws {
    try pair.change("1")
    let new = try pair.stack.context.make("Register", ["name": "wanted", "list": "1"])
    try pair.stack.context.assign(new, to: try pair.store("prepares"))
    if !decided { pair.decides.fail(.decide) }
    // Until the stores are closed: the coordinator tries again, and it must not get through.
    pair.prepares.cutOff([.finish])
    if decided {
      try pair.stack.context.save()
    } else {
      try expectError(FaultSwitch.error.code) { try pair.stack.context.save() }
    }
    pair.stack.close()
    pair.prepares.clear()
  }

  static let doubts: [ConformanceCase] = [
    pair(
      "reopened",
      "what a process has left that was killed is settled when the stores are opened (X6)",
      needs: [.reopening], keepsHistory: true
    ) { pair in
      for decided in [false, true] {
        try leavePart(pair, decided: decided)
        try pair.stack.reopen()
        let value = decided ? "1" : "0"
        try pair.expect(value, "decided: \(decided)")
        try pair.expectNothingLeft("decided: \(decided)")
        try pair.expectNothingRemembered("decided: \(decided)")
        let history = try pair.stack.coordinator.persistentStores.map {
          try $0.history?.transactions(after: nil, limit: nil) ?? []
        }
        try expectEqual(
          history.map(\.count), pair.names.map { _ in decided ? 2 : 1 },
          "the transactions (H1)")
        if decided {
          try expect(history[0][1].content.saveID != nil, "the save has a number")
          try expectEqual(
            Set(history.map { $0[1].content.saveID }).count, 1, "the number of the save")
        }
      }
    },
    pair(
      "alone",
      "a store whose decider is missing is read, and written where nothing is in doubt (X7)",
      needs: [.reopening]
    ) { pair in
      try leavePart(pair, decided: true)
      let alone = try pair.stage.open(pair.stack.model, on: [pair.descriptions.prepares])
      let context = alone.context
      try expectEqual(try context.named("Register", "prepares").text("list"), "0", "the old state")
      try context.make("Register", ["name": "other", "list": "2"])
      try context.save()
      try context.named("Register", "prepares").set("list", "2")
      let error = try expectError(.saveInDoubt) { try context.save() }
      try expect(error.message.contains("waits"), error.message)
      context.rollback()
      // A unique value that the part takes, in another record.
      try context.make("Register", ["name": "wanted", "list": "2"])
      try expectError(.saveInDoubt) { try context.save() }
      context.rollback()
      let doubts = try SavesInDoubt(of: alone.coordinator).list()
      try expectEqual(doubts.map(\.objectIDs.count), [2], "the records in doubt")
      try expectEqual(
        doubts[0].stores, alone.coordinator.persistentStores.map(\.identity.identifier), "stores")
      // The decider comes, and everything heals.
      try alone.coordinator.addPersistentStore(with: pair.descriptions.decides)
      try expectEqual(try SavesInDoubt(of: alone.coordinator).list().count, 0, "saves in doubt")
      let fresh = alone.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(
        try ["prepares", "decides", "wanted", "other"].map {
          try fresh.named("Register", $0).text("list")
        }, ["1", "1", "1", "2"], "healed")
    },
    pair(
      "by-hand", "a save whose decider is gone for good is ended by hand, which is recorded (X6)",
      needs: [.reopening]
    ) { pair in
      var ended: [UUID] = []
      for committing in [false, true] {
        if committing {
          // A part that writes metadata itself, which keeps others from writing them.
          let store = try pair.store("prepares")
          var metadata = try pair.stack.coordinator.metadata(for: store)
          metadata.userValues["known"] = .boolean(true)
          try pair.stack.coordinator.setMetadata(metadata, for: store)
        }
        try leavePart(pair, decided: false)
        let alone = try pair.stage.open(pair.stack.model, on: [pair.descriptions.prepares])
        let doubt = try require(
          SavesInDoubt(of: alone.coordinator).list().first, "the save in doubt")
        try SavesInDoubt(of: alone.coordinator).end(doubt, committing: committing)
        try expectEqual(try SavesInDoubt(of: alone.coordinator).list().count, 0, "saves in doubt")
        try expectError(.invalidRequest) {
          try SavesInDoubt(of: alone.coordinator).end(doubt, committing: committing)
        }
        try alone.context.named("Register", "prepares").set("list", committing ? "3" : "0")
        try alone.context.save()
        alone.close()
        ended.append(doubt.id)
        try pair.stack.reopen()
        let metadata = try pair.store("prepares").metadata
        try expectEqual(metadata.savesEndedByHand.map(\.id), ended, "what is recorded")
        try expectEqual(metadata.savesEndedByHand.last?.isCommitted, committing, "the outcome")
        try expectEqual(metadata.savesEndedByHand.last?.decider, doubt.decider, "the decider")
        try expectEqual(
          metadata.savesEndedByHand.last?.recordCount, doubt.objectIDs.count, "the records")
        try expectEqual(
          metadata.userValues["known"], committing ? .boolean(true) : nil, "the part's metadata")
        try expectEqual(
          try pair.stack.context.all("Register", "name == 'wanted'").count, committing ? 1 : 0,
          "what was prepared")
      }
    },
    pair(
      "not-copied", "a store is not copied while others wait for it, or it for others (X7)",
      needs: [.reopening]
    ) { pair in
      // A decider does not wait for stores that end with their process.
      let isAwaited = try pair.store("prepares").preparation?.keepsParts == true
      try leavePart(pair, decided: true)
      let holders = [pair.descriptions.prepares] + (isAwaited ? [pair.descriptions.decides] : [])
      for description in holders {
        let alone = try pair.stage.open(pair.stack.model, on: [description])
        let place = try pair.stage.makeStore()
        try expectError(.saveInDoubt) {
          try alone.coordinator.migratePersistentStore(
            alone.coordinator.persistentStores[0], to: place.url, options: place.options,
            type: place.type)
        }
        alone.close()
      }
      try pair.stack.reopen()
      try pair.expect("1", "both are there")
    },
    pair(
      "decider-away",
      "what is in doubt is listed while the attached decider cannot be reached (X6)",
      needs: [.reopening]
    ) { pair in
      try leavePart(pair, decided: false)
      let decides = pair.decides
      decides.interrupt(.decision) { decides.cutOff() }
      try pair.stack.reopen()
      guard try SavesInDoubt(of: pair.stack.coordinator).list().count == 1 else {
        // The stores were opened in an order in which no store had to query the decider.
        return decides.clear()
      }
      let doubts = SavesInDoubt(of: pair.stack.coordinator)
      let doubt = try require(doubts.list().first, "the save in doubt")
      for committing in [false, true] {
        let error = try expectError(.invalidRequest) {
          try doubts.end(doubt, committing: committing)
        }
        try expect(error.message.contains("Remove it"), error.message)
      }
      decides.clear()
      try expectEqual(try doubts.list().count, 0, "saves in doubt once it is back")
      try pair.expect("0", "what was not decided")
    },
    pair(
      "only-last", "stores that can only be written last are refused before any is written (X12)"
    ) { pair in
      let order = try SaveOrder(of: pair.stack.coordinator.attachedStores)
      pair.decides.prepareNothing()
      try pair.change("1")
      try pair.stack.context.save()
      try pair.expect("1", "the one that prepares nothing decides")
      pair.prepares.prepareNothing()
      // One transaction writes those of one database.
      guard order.joined.isEmpty else { return }
      try pair.change("2")
      let error = try expectError(.persistentStoreSave) { try pair.stack.context.save() }
      try expect(error.store != nil, "the store is named: \(error)")
      try pair.expect("1", "refused")
      try pair.expectNothingLeft("refused")
    },
    pair(
      "evolution", "a store with a part is not brought to another version of its model (X7)",
      needs: [.reopening, .evolution]
    ) { pair in
      try leavePart(pair, decided: true)
      var sketch = ModelSketch()
      sketch.add(
        "Register", [.string("name"), .string("list"), .string("added")], unique: [["name"]])
      let model = sketch.make()
      try expectError(.saveInDoubt) {
        _ = try pair.stage.open(model, on: [pair.descriptions.prepares])
      }
      try pair.stack.reopen()
      try pair.expect("1", "opened with the old model")
    },
  ]
}
