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

/// Concurrent saves that the store may write together (group commit): each gets its own result.
enum TogetherCases {
  static let ofOneStore: [ConformanceCase] = [outcomes, failures]
  static let ofSeveralStores: [ConformanceCase] = [acrossStores, opening]

  /// Makes a save on a thread of its own for each body; all of them reach the store before the first is let in.
  ///
  /// - Returns: How each ended; nil when it was written.
  private static func save(
    _ stack: ConformanceStack, _ faults: FaultSwitch,
    _ bodies: [@Sendable (ManagedObjectContext) throws -> Void]
  ) throws -> [PersistenceError.Code?] {
    let coordinator = stack.coordinator
    let ends = Mutex([PersistenceError.Code?](repeating: nil, count: bodies.count))
    let (made, sent) = (Meeting(of: bodies.count), Meeting(of: bodies.count))
    faults.onCommit { sent.attend() }
    defer { faults.onCommit(nil) }
    try Threads.run(bodies.count) { index in
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      try bodies[index](context)
      // All contexts make their changes before the first one saves.
      made.attend()
      do {
        try context.save()
      } catch let error as PersistenceError {
        ends.withLock { $0[index] = error.code }
        try expect(context.hasChanges, "a save that failed leaves its changes (B165)")
        // The conflict belongs to this save alone: the context can save again after a rollback.
        context.rollback()
        try context.make("Register", ["name": "after \(index)"])
        try context.save()
      }
    }
    return ends.withLock { $0 }
  }

  private static let outcomes = ConformanceCase(
    .conflicts, "together",
    "saves that reach the store at once each have their own end (B169, B175, B190)",
    needs: [.uniqueness]
  ) { stage in
    let (stack, faults) = try stage.openFaulty(ListWorkload.makeModel(isUnique: true))
    for name in ["changed", "gone", "left"] { try stack.context.make("Register", ["name": name]) }
    try stack.context.save()
    let ends = try save(
      stack, faults,
      [
        { try $0.make("Register", ["name": "new"]) },
        { try $0.named("Register", "changed").set("list", "one") },
        { try $0.named("Register", "changed").set("list", "two") },
        { try $0.make("Register", ["name": "wanted", "list": "one"]) },
        { try $0.make("Register", ["name": "wanted", "list": "two"]) },
        { $0.delete(try $0.named("Register", "gone")) },
        { try $0.named("Register", "gone").set("list", "kept") },
        { try $0.named("Register", "left").set("list", "done") },
      ])
    try expectEqual([ends[0], ends[7]], [nil, nil], "the ends of saves that nobody opposes")
    try expectEqual(
      Set([ends[1], ends[2]]), [nil, .managedObjectMerge], "the ends of two that change a record")
    try expectEqual(
      Set([ends[3], ends[4]]), [nil, .managedObjectConstraintMerge],
      "the ends of two that want a unique value")
    try expectEqual(
      Set([ends[5], ends[6]]), [nil, .managedObjectMerge], "the ends of a deletion and a change")
    try stack.readAnew()
    func list(_ name: String) throws -> String? {
      try stack.context.all("Register", "name == %@", name).first?.text("list")
    }
    try expectEqual(try list("changed"), ends[1] == nil ? "one" : "two", "the changed record")
    try expectEqual(try list("wanted"), ends[3] == nil ? "one" : "two", "the unique value")
    try expectEqual(try list("gone"), ends[6] == nil ? "kept" : nil, "the record that was to go")
    try expectEqual(try list("left"), "done", "the record of one alone")
    try expectEqual(
      try stack.context.names("Register", "name BEGINSWITH %@", "after").count, 3,
      "the saves that came after one that failed")
  }

  private static let failures = ConformanceCase(
    .conflicts, "together-failing",
    "a save that cannot be written fails alone among those that reach the store at once (B169)"
  ) { stage in
    let (stack, faults) = try stage.openFaulty(ListWorkload.makeModel())
    // The third commit fails like on a full disk, after it has met the others.
    faults.fail(.commit, number: 3)
    let ends = try save(
      stack, faults,
      (0..<8).map { number in { try $0.make("Register", ["name": "\(number)"]) } })
    try expectEqual(ends.count { $0 == nil }, 7, "the saves that were written")
    try expectEqual(
      ends.compactMap(\.self), [.persistentStoreOperation], "the errors of those that were not")
    try stack.readAnew()
    let written = (0..<8).filter { ends[$0] == nil }.map(String.init)
    let failed = (0..<8).filter { ends[$0] != nil }.map { "after \($0)" }
    try expectEqual(try stack.context.names("Register"), written + failed, "what is stored")
  }

  /// Transfers money from one store to another, while others save to each.
  private static let acrossStores = ConformanceCase(
    .severalStores, "together", "saves of several stores go between saves of one (B169, B170, B175)"
  ) { stage in
    let stores = [try stage.makeStore(), try stage.makeStore()]
    let stack = try stage.open(ListWorkload.makeModel(), on: stores)
    let coordinator = stack.coordinator
    for (number, store) in coordinator.persistentStores.enumerated() {
      let register = try stack.context.make("Register", ["name": "\(number)", "list": "0"])
      try stack.context.assign(register, to: store)
    }
    try stack.context.save()
    let moved = Mutex(0)
    try Threads.run(8) { worker in
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      for round in 0..<15 {
        guard worker < 3 else {
          let new = try context.make("Register", ["name": "\(worker)-\(round)"])
          try context.assign(new, to: coordinator.persistentStores[worker % 2])
          try context.save()
          continue
        }
        context.reset()
        for (name, change) in [("0", -1), ("1", 1)] {
          let register = try context.named("Register", name)
          let old = try register.text("list").flatMap { Int($0) } ?? 0
          try register.set("list", "\(old + change)")
        }
        do {
          try context.save()
          moved.withLock { $0 += 1 }
        } catch let error as PersistenceError where error.code == .managedObjectMerge {}
      }
    }
    try stack.readAnew()
    let count = moved.withLock { $0 }
    try expect(count > 0, "some of the saves of both stores take place")
    try expectEqual(
      try ["0", "1"].map { try stack.context.named("Register", $0).text("list") },
      ["\(-count)", "\(count)"], "what was moved")
    try expectEqual(try stack.context.all("Register").count, 2 + 5 * 15, "the records")
  }

  /// A store that is slow to open, as if its server did not answer.
  private static let opening = ConformanceCase(
    .severalStores, "slow-opening",
    "a store that is being opened holds up no other one (B235, B243)"
  ) { stage in
    let stack = try stage.open(ListWorkload.makeModel())
    let coordinator = stack.coordinator
    let (slow, faults) = (try stage.makeStore(), FaultSwitch())
    let other = try stage.makeStore()
    let result = Mutex<Result<Void, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    faults.interrupt(.open) {
      Thread.detachNewThread {
        let end = Result {
          let store = try coordinator.addPersistentStore(with: other)
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          let new = try context.make("Register", ["name": "one"])
          try context.assign(new, to: store)
          try context.save()
          try coordinator.remove(store)
        }
        result.withLock { $0 = end }
        isDone.signal()
      }
      // The other side would wait for ever: then the case is to fail, and not to hang.
      _ = isDone.wait(timeout: .now() + 30)
    }
    let added = try coordinator.addPersistentStore(with: slow.interposed(faults))
    let end = try require(result.withLock { $0 }, "the end of what was done meanwhile")
    try end.get()
    try expectEqual(coordinator.persistentStores.count, 2, "the stores")
    // A second opening of the same place waits, and is refused.
    try expectError(.persistentStoreOpen) { try coordinator.addPersistentStore(with: slow) }
    try coordinator.remove(added)
  }
}
