// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension EventCases {
  static let stores: [ConformanceCase] = [
    ConformanceCase(
      .events, "store.own-writes",
      "every save and every batch request is told with the store that it wrote (B289)"
    ) { stage in
      let stack = try stage.openAnnouncing(CompanyModel.make())
      let listener = StoreListener(stack.coordinator)
      try CompanyModel.fill(stack.context)
      try listener.wait(untilTold: 1)
      try stack.context.named("Person", "Ada").set("age", 37)
      try stack.context.save()
      try listener.wait(untilTold: 2)
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["note": "seen"]
      try stack.context.execute(update)
      try listener.wait(untilTold: 3)
      let store = try require(stack.coordinator.persistentStores.first, "the store")
      let told = listener.told
      try expect(told.allSatisfy { $0.uuid == store.identity.identifier }, "the store's UUID")
      try expect(told.allSatisfy { $0.url == stack.coordinator.url(for: store) }, "its URL")
    },
    ConformanceCase(
      .events, "store.other-writes",
      "what another coordinator or process writes is told, where the store can tell (B289)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let stack = try stage.openAnnouncing(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let store = try require(stack.coordinator.persistentStores.first, "the store")
      let other = try stage.open(stack.model, on: stack.stores)
      let marks = try require(store.changeMarks, "the store's marks")
      // Reservations and notifications of the setup are complete before this listener begins.
      let listener = StoreListener(stack.coordinator)
      let mark = try marks.changeMark()
      try other.context.named("Person", "Bob").set("age", 26)
      try other.context.save()
      try expect(try marks.changeMark() != mark, "the mark is another one")
      try listener.wait(untilTold: 1)
      try expectEqual(listener.told.first?.uuid, store.identity.identifier)
    },
    ConformanceCase(
      .events, "store.marks", "what only reads leaves the store's mark (B289)",
      needs: [.changeMarks]
    ) { stage in
      let stack = try stage.openAnnouncing(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let store = try require(stack.coordinator.persistentStores.first, "the store")
      let marks = try require(store.changeMarks, "the store's marks")
      let mark = try marks.changeMark()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      _ = try fresh.names("Person", "age > 20")
      try expectEqual(try marks.changeMark(), mark, "the mark after reading")
      try stack.context.named("Person", "Ada").set("age", 1)
      try stack.context.save()
      try expect(try marks.changeMark() != mark, "the mark after a save")
    },
  ]
}

/// Records the written stores that a coordinator reports, on any thread.
private final class StoreListener: @unchecked Sendable {
  // Sendable: the list is used under the condition.
  struct Line {
    var uuid: String?
    var url: URL?
  }

  private let condition = NSCondition()
  private var lines: [Line] = []
  private var token: (any NSObjectProtocol)?

  init(_ coordinator: PersistentStoreCoordinator) {
    token = NotificationCenter.default.addObserver(
      forName: .persistentStoreRemoteChange, object: coordinator, queue: nil
    ) { [weak self] note in
      let line = Line(
        uuid: note.userInfo?[PersistentStoreCoordinator.storeUUIDKey] as? String,
        url: note.userInfo?[PersistentStoreCoordinator.persistentStoreURLKey] as? URL)
      self?.add(line)
    }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  private func add(_ line: Line) {
    condition.withLock {
      lines.append(line)
      condition.broadcast()
    }
  }

  var told: [Line] { condition.withLock { lines } }

  /// Waits for a number of reports, however slow the machine is; a report that never comes is the failure.
  func wait(untilTold count: Int) throws {
    let limit = Date(timeIntervalSinceNow: 120)
    try condition.withLock {
      while lines.count < count {
        try expect(condition.wait(until: limit), "the write number \(count) is told")
      }
    }
  }
}
