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

/// Views of other coordinators on a save over several stores.
extension AtomicSaveCases {
  /// The values that a coordinator reads from all stores at once.
  private static func lists(
    _ coordinator: PersistentStoreCoordinator, ofOneMoment: Bool = false
  ) throws -> [String?] {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    context.stalenessInterval = 0
    if ofOneMoment { try context.setQueryGenerationFrom(.current) }
    let request = try context.request("Register", nil, [])
    request.returnsObjectsAsFaults = false
    return try context.fetch(request).map { try $0.text("list") }
  }

  /// Saves, and runs other reads after the decision and before the first store has finished.
  private static func read(
    _ pair: Pair, _ others: PersistentStoreCoordinator, ofOneMoment: Bool = false
  ) throws -> [String?] {
    let outcome = Mutex<Result<[String?], any Error>?>(nil)
    pair.prepares.interrupt(.finish) {
      let result = Result { try lists(others, ofOneMoment: ofOneMoment) }
      outcome.withLock { $0 = result }
    }
    try pair.change("1")
    try pair.stack.context.save()
    return try require(outcome.withLock { $0 }, "what others have read").get()
  }

  /// Reads in two threads while a third one saves, and checks that each result is from one save.
  private static func readWhole(
    _ reading: PersistentStoreCoordinator, whileSaving pair: Pair, rounds: Int
  ) throws {
    let (coordinator, names) = (pair.stack.coordinator, pair.names)
    let isOver = Mutex(false)
    try Threads.run(3) { worker in
      guard worker > 0 else {
        defer { isOver.withLock { $0 = true } }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        for round in 1...rounds {
          try change(names, to: "\(round)", in: context)
          try context.save()
        }
        return
      }
      while !isOver.withLock({ $0 }) {
        let lists = try lists(reading)
        try expectEqual(Set(lists).count, 1, "the values of one save: \(lists)")
        Thread.sleep(forTimeInterval: 0.002)
      }
    }
    try expectEqual(try lists(reading), names.map { _ in "\(rounds)" }, "the last save")
  }

  /// Whether all stores have change marks, which consistent reads over several stores need.
  private static func canTellOfWrites(_ pair: Pair) -> Bool {
    pair.stack.coordinator.attachedStores.allSatisfy {
      $0.store.changeMarks != nil || !$0.isDurable
    }
  }

  static let readers: [ConformanceCase] = [
    pair(
      "others-see-each-store", "others see each store by itself unless they ask for more (X21)",
      needs: [.secondHandle]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      try expectEqual(
        try read(pair, others).compactMap(\.self).sorted(),
        pair.names.map { $0 == "decides" ? "1" : "0" }.sorted(), "what others saw")
      try pair.expectNothingLeft("saved")
    },
    pair(
      "others-see-whole-saves", "others see a save in all stores when they ask for that (X21)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      others.saveTraffic.reads = .wholeSaves
      try expectEqual(try read(pair, others), pair.names.map { _ in "1" }, "what others saw")
      try pair.expect("1", "saved")
      try pair.expectNothingLeft("saved")
    },
    pair(
      "others-look-at-a-moment", "a moment of others has a save in all stores or in none (X21)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      others.saveTraffic.reads = .wholeSaves
      try expectEqual(
        try read(pair, others, ofOneMoment: true), pair.names.map { _ in "1" }, "what others saw")
      try pair.expectNothingLeft("saved")
    },
    pair(
      "others-read-on", "who reads whole saves sees no part while others save (X21)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      others.saveTraffic.reads = .wholeSaves
      try readWhole(others, whileSaving: pair, rounds: 40)
    },
    pair("own-read-on", "threads of one coordinator that read whole saves see no part (X20, X21)") {
      pair in
      guard canTellOfWrites(pair) else { return }
      pair.stack.coordinator.saveTraffic.reads = .wholeSaves
      try readWhole(pair.stack.coordinator, whileSaving: pair, rounds: 60)
    },
    pair(
      "own-read-between", "a save of another thread does not come between two stores (X20, X21)"
    ) { pair in
      let (coordinator, names) = (pair.stack.coordinator, pair.names)
      guard canTellOfWrites(pair) else { return }
      coordinator.saveTraffic.reads = .wholeSaves
      for (number, store) in [pair.prepares, pair.decides].enumerated() {
        let isSaved = DispatchSemaphore(value: 0)
        let hasBegun = Mutex(false)
        store.interrupt(.fetch) {
          hasBegun.withLock { $0 = true }
          Thread.detachNewThread {
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try? change(names, to: "\(number + 1)", in: context)
            try? context.save()
            isSaved.signal()
          }
          // It waits for the reader, or the reader reads again.
          if isSaved.wait(timeout: .now() + 0.3) == .success { isSaved.signal() }
        }
        let lists = try lists(coordinator)
        try expectEqual(Set(lists).count, 1, "the values of one save: \(lists)")
        // A snapshot is read without the store, so no save can come between.
        store.interrupt(.fetch) {}
        guard hasBegun.withLock({ $0 }) else { continue }
        isSaved.wait()
        try pair.expect("\(number + 1)", "saved")
      }
    },
    pair("one-moment", "a generation has no save of one store without those before it (X20)") {
      pair in
      let coordinator = pair.stack.coordinator
      guard coordinator.persistentStores.allSatisfy({ $0.snapshots != nil }) else { return }
      for (number, store) in [pair.prepares, pair.decides].enumerated() {
        for names in [pair.names, pair.names.reversed()] {
          let value = "\(number)\(names[0])"
          store.interrupt(.snapshot) {
            let isSaved = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
              // One save after the other.
              for name in names {
                let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
                try? change([name], to: value, in: context)
                try? context.save()
              }
              isSaved.signal()
            }
            _ = isSaved.wait(timeout: .now() + 20)
          }
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          try context.setQueryGenerationFrom(.current)
          let seen = try names.map { try context.named("Register", $0).text("list") == value }
          try expectEqual(seen, seen.sorted { $0 && !$1 }, "the later save without the earlier one")
          try pair.expect(value, "saved")
        }
      }
    },
    ConformanceCase(
      .severalStores, "atomic.half-finished-without-decider",
      "a save that one store shows and another one does not is not read without its decider (X7, X21)",
      needs: [.preparation, .reopening, .changeMarks]
    ) { stage in
      let faults = (0..<3).map { _ in FaultSwitch() }
      let descriptions = try faults.map { try stage.makeStore().interposed($0) }
      let stack = try stage.open(ListWorkload.makeModel(isUnique: true), on: descriptions)
      let order = try SaveOrder(of: stack.coordinator.attachedStores)
      // Stores of one database are written by one transaction; one in memory is part of no ticket.
      guard order.preparing.count == 2, stack.coordinator.attachedStores.allSatisfy(\.isDurable)
      else { return }
      for (number, store) in stack.coordinator.persistentStores.enumerated() {
        let register = try stack.context.make("Register", ["name": "\(number)", "list": "0"])
        try stack.context.assign(register, to: store)
      }
      try stack.context.save()
      for register in try stack.context.all("Register") { try register.set("list", "1") }
      faults[order.preparing[0]].fail(.finish)
      try stack.context.save()
      stack.close()
      let reading = try stage.open(stack.model, on: order.preparing.map { descriptions[$0] })
      try expectEqual(
        Set(try lists(reading.coordinator)), ["0", "1"], "each store by itself")
      reading.coordinator.saveTraffic.reads = .wholeSaves
      let error = try expectError(.saveInDoubt) { _ = try lists(reading.coordinator) }
      try expect(error.message.contains("waits for the decision"), "why: \(error)")
      try reading.coordinator.addPersistentStore(with: descriptions[order.deciding])
      try expectEqual(try lists(reading.coordinator), ["1", "1", "1"], "with its decider")
    },
    pair(
      "undecided-is-not-read", "who reads whole saves does not wait for what is not decided (X21)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      others.saveTraffic.reads = .wholeSaves
      let seen = Mutex<[String?]>([])
      pair.decides.interrupt(.decide) {
        let lists = (try? lists(others)) ?? []
        seen.withLock { $0 = lists }
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expectEqual(seen.withLock { $0 }, pair.names.map { _ in "0" }, "what others saw")
      try pair.expect("1", "saved")
    },
    pair(
      "whole-saves-need-a-writer",
      "a part that cannot be finished where it is read only is told, and nothing torn read (X21)",
      needs: [.reopening, .secondHandle, .changeMarks]
    ) { pair in
      try leavePart(pair, decided: true)
      var readOnly = pair.descriptions.prepares
      readOnly.isReadOnly = true
      let reading = try pair.stage.open(
        pair.stack.model, on: [pair.descriptions.decides, readOnly])
      reading.coordinator.saveTraffic.reads = .wholeSaves
      let error = try expectError(.saveInDoubt) { _ = try lists(reading.coordinator) }
      try expect(error.message.contains("for reading only"), "why: \(error)")
      reading.coordinator.saveTraffic.reads = .eachStore
      try expectEqual(try lists(reading.coordinator).count, 2, "each store by itself")
      reading.close()
      try pair.stack.reopen()
      try pair.expect("1", "opened for writing")
    },
    pair(
      "whole-saves-ask-the-decider",
      "a decider that cannot be asked is told, and nothing torn read (X21)",
      needs: [.secondHandle, .changeMarks]
    ) { pair in
      let others = try pair.stage.openSame(pair.stack).coordinator
      others.saveTraffic.reads = .wholeSaves
      let ends = Mutex<[PersistenceError.Code?]>([])
      let decides = pair.decides
      pair.prepares.interrupt(.finish) {
        decides.fail(.decision)
        for _ in 1...2 {
          let code: PersistenceError.Code?
          do {
            _ = try lists(others)
            code = nil
          } catch {
            code = (error as? PersistenceError)?.code
          }
          ends.withLock { $0.append(code) }
        }
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expectEqual(ends.withLock { $0 }, [.saveInDoubt, nil], "how the reads ended")
      try pair.expectNothingLeft("saved")
    },
  ]
}
