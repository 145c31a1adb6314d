// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// The store that decides cannot be reached for a while.
extension AtomicSaveCases {
  static let outages: [ConformanceCase] = [
    ConformanceCase(
      .severalStores, "atomic.too-many",
      "a save over more than sixteen stores is refused, and one over sixteen is not (X3)",
      needs: [.preparation]
    ) { stage in
      let stack = try stage.open(
        ListWorkload.makeModel(), on: try (0..<17).map { _ in try stage.makeStore() })
      let context = stack.context
      for (number, store) in stack.coordinator.persistentStores.enumerated() {
        try context.assign(
          try context.make("Register", ["name": "\(number)", "list": "0"]), to: store)
      }
      let error = try expectError(.limitExceeded) { try context.save() }
      try expect(error.message.contains("17 stores"), error.message)
      try expect(context.hasChanges, "the changes are pending")
      try expectEqual(try stack.makeContext().all("Register").count, 0, "what was written")
      context.delete(try context.named("Register", "16"))
      try context.save()
      try expectEqual(try stack.makeContext().all("Register").count, 16, "what was written")
    },
    pair(
      "out-of-reach",
      "a decider that is out of reach holds up what the save concerns, and nothing else (X5, X7)"
    ) { pair in
      let context = pair.stack.context
      let other = try context.make("Register", ["name": "other", "list": "0"])
      try context.assign(other, to: try pair.store("prepares"))
      try context.save()
      let decides = pair.decides
      try pair.change("1")
      // The save is decided, but the response is lost.
      decides.interrupt(.answer) { decides.cutOff() }
      try expectError(.commitOutcomeUnknown) { try context.save() }
      let alone = pair.stack.makeContext()
      alone.stalenessInterval = 0
      let prepares = try require(
        pair.stack.coordinator.persistentStores.first {
          $0.identity.identifier == other.objectID.storeIdentity?.identifier
        }, "the store that can be reached")
      func record(_ name: String) throws -> ManagedObject {
        let request = try alone.request("Register", "name == %@", [name])
        request.affectedStores = [prepares]
        return try require(try alone.fetch(request).first, name)
      }
      for round in 1...3 {
        try record("other").set("list", "\(round)")
        try alone.save()
        try expectEqual(try record("prepares").text("list"), "0", "what is read meanwhile")
        try record("prepares").set("list", "9")
        try expectError(.saveInDoubt) { try alone.save() }
        alone.rollback()
      }
      decides.clear()
      try pair.expect("1", "reached again")
      try pair.expectNothingLeft("reached again")
      try record("prepares").set("list", "1")
      try expectEqual(try record("other").text("list"), "3", "what was written meanwhile")
      alone.rollback()
    },
    pair(
      "ended-by-others",
      "a save that others have finished and forgotten is not called one that failed (X4, X5)"
    ) { pair in
      let stores = pair.stack.coordinator.persistentStores
      let decides = try pair.store("decides")
      try pair.change("1")
      // Another process finishes the parts while the response is on its way.
      pair.decides.interrupt(.answer) {
        for store in stores {
          for part in (try? store.preparation?.pending()) ?? [] {
            _ = try? store.preparation?.finish(part.ticket.id, committing: true)
            try? decides.preparation?.forget(
              part.ticket.participants.map {
                SaveAcknowledgement(save: part.ticket.id, participant: $0)
              })
          }
        }
      }
      pair.decides.fail(.answer)
      do {
        try pair.stack.context.save()
      } catch let error as PersistenceError {
        try expectEqual(error.code, .commitOutcomeUnknown, "it may be there: \(error)")
      }
      pair.stack.context.reset()
      try pair.expect("1", "what others have finished")
      try pair.expectNothingLeft("what others have finished")
      try pair.change("2")
      try pair.stack.context.save()
      try pair.expect("2", "saved again")
    },
  ]
}
