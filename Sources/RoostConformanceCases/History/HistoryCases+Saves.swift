// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

/// Saves that write to several stores.
extension HistoryCases {
  static let saves: [ConformanceCase] = [
    several("saves.common", 2, "the transactions of one save in several stores name it (H17)") {
      _, stack in
      try stack.save(["Ada"], in: [0])
      try stack.save(["Bob", "Cleo"], in: [0, 1])
      try stack.save(["Dan", "Eve"], in: [1, 0])
      try stack.save(["Fay"], in: [1])
      func expectSaves(_ what: String) throws {
        let all = try stack.history()
        try expectEqual(all.map { $0.saveID != nil }, [false, true, true, true, true, false], what)
        try expect(all[1].saveID == all[2].saveID && all[3].saveID == all[4].saveID, what)
        try expect(all[1].saveID != all[3].saveID, "\(what): two saves")
        try expect(all[1].storeID != all[2].storeID, "\(what): two stores")
        let fetch = PersistentHistoryTransaction.fetchRequest
        let save = try require(all[3].saveID, "the save")
        fetch.predicate = try FetchPredicate("saveID == %@", save)
        let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        try expectEqual(
          try stack.context.execute(request).transactions?.map(\.saveID), [save, save])
      }
      try expectSaves("saved")
      try stack.readAnew()
      try expectSaves("read anew")
    },
    several("saves.order", 3, "the transactions of one save are read next to each other (H17, H8)")
    { _, stack in
      stack.coordinator.historyTicks.isTrimming = false
      let start = Date.now.timeIntervalSinceReferenceDate
      let times = Mutex<[Double]>([])
      stack.coordinator.historyTicks.clock = {
        start + times.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 0 }
      }
      func save(_ names: [String], _ stores: [Int], at seconds: [Double]) throws {
        times.withLock { $0 = seconds }
        try stack.save(names, in: stores)
      }
      // Saved at 1 and 5. The timestamps of two other saves lie between: one is made earlier in one of the two
      // stores, the other one later in a third store.
      try save(["between"], [1], at: [2])
      try save(["first", "second"], [0, 1], at: [1, 5])
      try save(["elsewhere"], [2], at: [3])
      try save(["last"], [0], at: [6])
      let names = try stack.transactionNames()
      try expectEqual(names, ["between", "first", "second", "elsewhere", "last"])
      let reading = Reading(stack.coordinator.history(after: nil)) { $0.saveID }
      try wait("what is there") { reading.count == 5 }
      try expectEqual(reading.found, try stack.history().map(\.saveID), "and so they are followed")
      reading.cancel()
    },
    several("saves.undo", 2, "a save in several stores is undone as one step (L21, H17)") {
      _, stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      try stack.save(["Ada"], in: [0])
      try stack.save(["Bob", "Cleo"], in: [0, 1])
      try stack.context.named("Person", "Ada").set("age", 36)
      try stack.context.named("Person", "Cleo").set("age", 7)
      try stack.context.save()
      stack.context.undo()
      try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
      try expectEqual(try stack.context.all("Person", "age != nil").count, 0, "both are undone")
      stack.context.redo()
      try expectEqual(try stack.context.all("Person", "age != nil").count, 2, "both are redone")
      stack.context.undo()
      try expect(undo.canUndo, "the insertions are left")
      stack.context.undo()
      try expectEqual(try stack.context.all("Person").count, 1, "both are gone")
      try expect(undo.canUndo && undo.canRedo, "one is left, and two can be done again")
      stack.context.redo()
      stack.context.redo()
      try expectEqual(try stack.context.all("Person", "age != nil").count, 2, "all is back")
      try expect(!undo.canRedo, "there is no more")
      // Another one reads the same stacks from the history.
      let again = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = again
      stack.context.undo()
      try expectEqual(try stack.context.all("Person", "age != nil").count, 0, "also from a history")
    },
    several("saves.undo-in-part", 2, "what is left of a save is a step of its own (L21)") {
      _, stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      try stack.save(["Ada", "Bob"], in: [0, 1])
      try stack.context.named("Person", "Ada").set("age", 36)
      try stack.context.named("Person", "Bob").set("age", 7)
      try stack.context.save()
      let other = stack.makeContext()
      other.transactionAuthor = "other"
      try other.named("Person", "Bob").set("age", 8)
      try other.save()
      stack.context.undo()
      try expectEqual(undo.lastReport?.conflicts.count, 1, "the one that was changed again")
      try expectEqual(try stack.ages(), ["Ada": nil, "Bob": 8])
      stack.context.redo()
      try expectEqual(try stack.ages(), ["Ada": 36, "Bob": 8])
    },
    several(
      "saves.live", 2, "what one save wrote to several stores is told together (L3, H17)",
      needs: [.secondHandle, .changeMarks]
    ) { stage, stack in
      let other = try stage.openSame(stack)
      let context = stack.makeContext()
      context.mergesRemoteChanges = true
      let listener = StoreListener()
      stack.coordinator.addObserver(listener)
      for number in 0..<10 {
        try other.save(["a\(number)", "b\(number)"], in: [0, 1])
        RemoteChanges(to: stack.coordinator).look()
      }
      try other.save(["c"], in: [1])
      let last = try require(stack.coordinator.persistentStores.last, "the store")
      try wait("the last one is heard of") { listener.heard.contains([last.identity.identifier]) }
      // Saves of two stores at the same time may be reported by both.
      try expect(listener.heard.dropLast().allSatisfy { $0.count == 2 }, "\(listener.heard)")
    },
  ]

  /// A case on several stores that keep a history with values.
  private static func several(
    _ name: String, _ count: Int, _ title: String, needs: Set<ConformanceFacet> = [],
    _ body: @escaping @Sendable (ConformanceStage, ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: needs.union([.history])) { stage in
      let stores = try (0..<count).map { _ in
        var store = try stage.makeStore()
        try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
        return store
      }
      try body(stage, try stage.open(PastModel.make(), on: stores))
    }
  }
}

extension ConformanceStack {
  /// Saves new people at once, each in a store.
  fileprivate func save(_ names: [String], in stores: [Int]) throws {
    for (name, store) in zip(names, stores) {
      let person = try context.make("Person", ["name": name])
      try context.assign(person, to: coordinator.persistentStores[store])
    }
    try context.save()
  }

  /// The ages of all people by their names.
  fileprivate func ages() throws -> [String: Int64?] {
    let people = try context.all("Person")
    return Dictionary(
      uniqueKeysWithValues: try people.map { (try $0.text("name") ?? "", try $0.number("age")) })
  }

  /// The name of the person that each transaction of the history has changed.
  fileprivate func transactionNames() throws -> [String] {
    try history().map { transaction in
      let change = try require(transaction.changes?.first, "the change")
      return try context.existingObject(with: change.changedObjectID).text("name") ?? ""
    }
  }
}

/// Records the reports of records and stores that others have written.
private final class StoreListener: CoordinatorObserver {
  private let stores = Mutex<[Set<String>]>([])

  var hearsCommits: Bool { true }
  /// The UUIDs of the stores of each message.
  var heard: [Set<String>] { stores.withLock { $0 } }

  func coordinator(_ coordinator: PersistentStoreCoordinator, didRemove store: StoreIdentity) {}

  func coordinator(
    _ coordinator: PersistentStoreCoordinator, didCommit changes: CommittedChanges
  ) {
    let found = changes.inserted.compactMap(\.storeIdentity?.identifier)
    stores.withLock { $0.append(Set(found)) }
  }
}
