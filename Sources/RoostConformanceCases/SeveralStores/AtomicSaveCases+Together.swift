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

/// Readers and writers concurrent with a save over several stores.
extension AtomicSaveCases {
  static let together: [ConformanceCase] = [
    pair(
      "whole-reads", "who reads several stores never sees a part of a save (X20)"
    ) { pair in
      let (coordinator, names) = (pair.stack.coordinator, pair.names)
      // With snapshots in only some of the stores, the others show their newest state (B297).
      let keepsMoments = Set(coordinator.persistentStores.map { $0.snapshots != nil }).count == 1
      let isOver = Mutex(false)
      try Threads.run(4) { worker in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        if worker == 0 {
          defer { isOver.withLock { $0 = true } }
          for round in 1...40 {
            try change(names, to: "\(round)", in: context)
            try context.save()
          }
          return
        }
        context.stalenessInterval = 0
        while !isOver.withLock({ $0 }) {
          context.reset()
          if worker == 3, keepsMoments { try context.setQueryGenerationFrom(.current) }
          // A fault that fires later shows the state at that time.
          let request = try context.request("Register", nil, [])
          request.returnsObjectsAsFaults = false
          let lists = try context.fetch(request).map { try $0.text("list") }
          try expectEqual(Set(lists).count, 1, "the values of one save: \(lists)")
        }
      }
      try pair.expect("40", "the last save")
      try pair.expectNothingLeft("the last save")
    },
    pair(
      "overtaken", "others do not write what is prepared, and end what takes too long (X6, X7)",
      needs: [.secondHandle]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      let outcome = Mutex<Result<Void, any Error>?>(nil)
      let names = Mutex<[String?]>([])
      pair.decides.interrupt(.decide) {
        let result = Result {
          // Prepared but undecided changes are invisible.
          let context = ManagedObjectContext(.privateQueue, coordinator: others)
          context.stalenessInterval = 0
          let record = try context.named("Register", "prepares")
          try names.withLock { $0.append(try record.text("list")) }
          try record.set("list", "others")
          try context.save()
        }
        outcome.withLock { $0 = result }
      }
      try pair.change("1")
      let end = Result { try pair.stack.context.save() }
      try require(outcome.withLock { $0 }, "the save of others").get()
      try expectError(.managedObjectMerge) { try end.get() }
      try expectEqual(names.withLock { $0 }, ["0"], "what others saw")
      let fresh = pair.stack.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(
        try pair.names.map { try fresh.named("Register", $0).text("list") },
        pair.names.map { $0 == "prepares" ? "others" : "0" }, "what is stored")
      try pair.expectNothingLeft("ended by others")
    },
    pair(
      "write-skew", "what a save has only looked at is not changed by others meanwhile (X22, B174)",
      needs: [.secondHandle]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      let outcome = Mutex<Result<Void, any Error>?>(nil)
      pair.decides.interrupt(.decide) {
        let result = Result {
          let context = ManagedObjectContext(.privateQueue, coordinator: others)
          try context.named("Register", "prepares").set("list", "others")
          try context.save()
        }
        outcome.withLock { $0 = result }
      }
      pair.stack.context.detectConflicts(for: try pair.stack.context.named("Register", "prepares"))
      try pair.stack.context.named("Register", "decides").set("list", "1")
      let end = Result { try pair.stack.context.save() }
      try require(outcome.withLock { $0 }, "the save of others").get()
      try expectError(.managedObjectMerge) { try end.get() }
      try pair.expectNothingLeft("ended by others")
    },
    pair("order", "memory prepares before files, files before servers, by UUIDs (X1)") { pair in
      let stores = try pair.names.map { try pair.store($0) }
      let other = stores[stores.count - 1]
      let parts = Mutex<[[PreparedPart]]>([])
      pair.decides.interrupt(.decide) {
        let found = stores.map { (try? $0.preparation?.pending()) ?? [] }
        parts.withLock { $0 = found }
      }
      try pair.change("1")
      try pair.stack.context.save()
      let found = parts.withLock { $0 }
      try expectEqual(
        found.map(\.count), pair.names.map { $0 == "decides" ? 0 : 1 },
        "the parts before the decision")
      try expectEqual(
        found[0][0].ticket.decider.identifier, other.identity.identifier, "who decides")
      let ranks = stores.map { store in
        let isOnServer = store.description.url?.isFileURL == false
        let kind = store.preparation?.keepsParts == false ? 0 : isOnServer ? 2 : 1
        return "\(kind) \(store.identity.identifier)"
      }
      try expectEqual(ranks, ranks.sorted(), "the order")
    },
    pair(
      "put-back",
      "a decider says of a save from before what was acknowledged that nobody knows (X8)"
    ) { pair in
      let decider = try require(try pair.store("decides").preparation, "the decider")
      let participant = try pair.store("prepares").identity.identifier
      let place = SaveTicket.Place(identifier: "decider", name: "decider")
      func ticket(_ time: Double, _ coordinator: UUID) -> SaveTicket {
        SaveTicket(
          coordinator: coordinator, decider: place, participants: [participant], startedAt: time)
      }
      let coordinator = UUID()
      try decider.register(coordinator)
      let save = ticket(100, coordinator)
      func isDecided(_ ticket: SaveTicket) throws -> Bool {
        switch try decider.decide(StoreChangeSet(), for: ticket, forgetting: []) {
        case .committed: true
        case .conflicted, .refused: false
        }
      }
      try expect(try isDecided(save), "the save is decided")
      func decision(_ ticket: SaveTicket, aborting: Bool = false) throws -> Decision {
        try decider.decision(on: ticket, for: participant, aborting: aborting)
      }
      try expectEqual(try decision(save), .committed, "the save")
      try decider.forget([SaveAcknowledgement(save: save.id, participant: participant)])
      try expect(
        try !decider.decisions().contains { $0.ticket.id == save.id }, "the decision is forgotten")
      try expectEqual(try decision(save, aborting: true), .forgotten, "the save, put back")
      try expectEqual(
        try decision(ticket(99, UUID()), aborting: true), .forgotten, "an earlier one")
      // Its coordinator has ended with that.
      let next = UUID()
      try decider.register(next)
      let later = ticket(101, next)
      try expectEqual(try decision(later), .none, "a later one")
      try expectEqual(try decision(later, aborting: true), .aborted, "a later one that is ended")
      try expect(try !isDecided(later), "a save that was ended is not decided")
    },
  ]
}
