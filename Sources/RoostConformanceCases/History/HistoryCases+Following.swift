// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let following: [ConformanceCase] = [
    company("save-token", "the notification of a save has a token of what came with it (H15)") {
      stack in
      let key = PersistentStoreCoordinator.persistentHistoryTokenKey
      let names = [
        ManagedObjectContext.didSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectIDsNotification,
      ]
      let found = FoundTokens()
      let observers = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: stack.context, queue: nil) {
          found.add($0.userInfo?[key] as? PersistentHistoryToken)
        }
      }
      defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
      try stack.save("Ada")
      try stack.save("Bob")
      try expectEqual(found.all.count, 4, "the notifications")
      // A store that would have to be asked says nothing.
      let tokens = found.all.compactMap(\.self)
      try expect(tokens.isEmpty || tokens.count == 4, "a store knows it or does not")
      let places = try stack.history().map(\.token)
      for (index, token) in tokens.enumerated() {
        try expectEqual(token, places[index / 2], "the token of save \(index / 2)")
        try expectEqual(try stack.history(after: token).count, 1 - index / 2)
      }
      // A save without changes has no place in the history.
      try stack.context.save()
      try expect(found.all.dropFirst(4).allSatisfy { $0 == nil }, "no token without a change")
    },
    ConformanceCase(
      .history, "remote-many", "what others save costs ten contexts two requests together (H20)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(model())
      let names = (0..<100).map { "P\($0)" }
      for name in names { try other.context.make("Person", ["name": name]) }
      try other.context.save()
      let mine = try stage.openMute(other)
      let request = try mine.context.request("Person", nil, [])
      let read = try (0..<10).map { _ in
        let context = mine.makeContext()
        HistoryMerging(of: context).isAutomatic = true
        return (context, try context.fetch(request))
      }
      for people in read { for person in people.1 { _ = try person.text("name") } }
      for person in try other.context.fetch(request) { try person.set("name", "Q") }
      try other.context.save()
      let before = mine.coordinator.counters
      RemoteChanges(to: mine.coordinator).look()
      for (context, people) in read {
        context.processPendingChanges()
        for person in people { try expectEqual(try person.text("name"), "Q") }
      }
      let asked = mine.coordinator.counters - before
      try expect(asked.roundTrips <= 2, "\(asked.roundTrips) requests, of which two are needed")
    },
    ConformanceCase(
      .history, "remote-token", "the message of a write has the token after it (H15, B289)",
      needs: [.history]
    ) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
      let stack = try stage.open(model(), on: [store])
      let found = FoundTokens()
      let observer = NotificationCenter.default.addObserver(
        forName: .persistentStoreRemoteChange, object: stack.coordinator, queue: nil
      ) { note in
        let key = PersistentStoreCoordinator.persistentHistoryTokenKey
        found.add(note.userInfo?[key] as? PersistentHistoryToken)
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try stack.save("Ada")
      let place = try require(try stack.history().first, "the save").token
      try wait("the write is told, with a token after it") {
        found.all.contains { $0?.covers(place) == true }
      }
      let token = try require(found.all.last ?? nil, "the token")
      try expectEqual(try stack.history(after: token).count, 0, "nothing is later")
    },
    ConformanceCase(
      .history, "remote-rows", "who is told of a write forgets the rows that it wrote (H20, B289)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
      let other = try stage.open(model(), on: [store])
      let mine = try stage.openMute(other)
      for name in ["Ada", "Bob"] { try mine.save(name) }
      let ids = try ["Ada", "Bob"].map { try mine.context.named("Person", $0).objectID }
      func ages() throws -> [Int64?] {
        let fresh = mine.makeContext()
        return try ids.map { try fresh.existingObject(with: $0).number("age") }
      }
      let ada = try other.context.named("Person", "Ada")
      for age in 1...3 {
        _ = try ages()
        try ada.set("age", age)
        try other.context.save()
        RemoteChanges(to: mine.coordinator).look()
        let before = mine.coordinator.counters.rowRequests
        let fresh = mine.makeContext()
        try expectEqual(try fresh.object(with: ids[1]).number("age"), nil)
        // How far it was is known after the first look.
        if age > 1 {
          try expectEqual(mine.coordinator.counters.rowRequests, before, "Bob is still known")
        }
        try expectEqual(try ages(), [Int64(age), nil])
      }
    },
  ]
}

/// Tokens of notifications, on whatever thread they come.
private final class FoundTokens: @unchecked Sendable {
  // Sendable: the list is used under the lock.
  private let lock = NSLock()
  private var tokens: [PersistentHistoryToken?] = []

  func add(_ token: PersistentHistoryToken?) { lock.withLock { tokens.append(token) } }
  var all: [PersistentHistoryToken?] { lock.withLock { tokens } }
}
