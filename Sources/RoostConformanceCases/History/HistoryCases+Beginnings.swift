// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Several observers begin at once to follow the writes of others. Change marks are slow, so that one begins while
// another one does.
extension HistoryCases {
  static let beginnings: [ConformanceCase] = [
    ConformanceCase(
      .history, "merge-and-follow", "who merges and who follows begin at once, and both hear (H20)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(model())
      try other.save("Ada")
      let ada = try other.context.named("Person", "Ada")
      for round in 1...12 {
        let mine = try stage.openSlow(other)
        let coordinator = mine.coordinator
        let reader = mine.makeContext()
        let shared = Unchecked(reader)
        let id = ada.objectID.uriRepresentation()
        let followers = Kept<HistoryFollower>()
        try Threads.run(2) { number in
          if number == 0 {
            shared.value.mergesRemoteChanges = true
          } else {
            followers.keep(HistoryFollower(of: coordinator))
          }
        }
        let known = try require(coordinator.managedObjectID(forURIRepresentation: id), "Ada's ID")
        let person = try reader.existingObject(with: known)
        _ = try person.number("age")
        try ada.set("age", round)
        try other.context.save()
        let ticks = coordinator.historyTicks.count
        RemoteChanges(to: coordinator).look()
        reader.processPendingChanges()
        try expectEqual(try person.number("age"), Int64(round), "what merges")
        try expect(coordinator.historyTicks.count > ticks, "who follows is woken")
        withExtendedLifetime(followers) {}
        mine.close()
      }
    },
    ConformanceCase(
      .history, "merge-twice",
      "of two that begin to merge at once none misses what is written (H20)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(model())
      for number in 0..<2 { try other.save("p\(number)") }
      let ids = try (0..<2).map {
        try other.context.named("Person", "p\($0)").objectID.uriRepresentation()
      }
      let writing = other.coordinator
      for round in 1...8 {
        let mine = try stage.openSlow(other)
        let coordinator = mine.coordinator
        try Threads.run(2) { number in
          let reader = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          let writer = ManagedObjectContext(.privateQueue, coordinator: writing)
          guard let id = coordinator.managedObjectID(forURIRepresentation: ids[number]),
            let theirs = writing.managedObjectID(forURIRepresentation: ids[number])
          else { return }
          reader.mergesRemoteChanges = true
          let person = try reader.existingObject(with: id)
          _ = try person.number("age")
          try writer.existingObject(with: theirs).set("age", round)
          try writer.save()
          RemoteChanges(to: coordinator).look()
          reader.processPendingChanges()
          try expectEqual(try person.number("age"), Int64(round), "person \(number)")
        }
        mine.close()
      }
    },
  ]
}

extension ConformanceStage {
  /// Opens the stores of a stack once more; their change marks take their time.
  fileprivate func openSlow(_ stack: ConformanceStack) throws -> ConformanceStack {
    let slow = try open(stack.model, on: stack.stores.map { $0.forwarded { SlowMarks($0) } })
    RemoteChanges(to: slow.coordinator).secondsBetweenLooks = 100_000
    return slow
  }
}

/// A store without change hints, whose change marks take some milliseconds.
private final class SlowMarks: ForwardingStore, StoreChangeMarks, @unchecked Sendable {
  // Sendable: it has no state of its own.
  override var changeHints: (any StoreChangeHints)? { nil }
  override var changeMarks: (any StoreChangeMarks)? { base.changeMarks == nil ? nil : self }

  func changeMark() throws -> String {
    Thread.sleep(forTimeInterval: .random(in: 0...0.006))
    return try base.changeMarks?.changeMark() ?? ""
  }
}

/// Keeps objects alive as long as it exists.
private final class Kept<Object: AnyObject & Sendable>: @unchecked Sendable {
  // Sendable: changed by one thread, and only kept afterwards.
  private var objects: [Object] = []

  func keep(_ object: Object) {
    objects.append(object)
  }
}

/// A context for one thread, while the others wait.
private struct Unchecked<Object>: @unchecked Sendable {
  // Sendable: see above.
  let value: Object

  init(_ value: Object) {
    self.value = value
  }
}
