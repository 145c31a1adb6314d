// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let writers: [ConformanceCase] = [
    company("conflict", "a save that is refused leaves no transaction (H1)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let other = stack.makeContext()
      let hers = try other.existingObject(with: ada.objectID)
      try hers.set("age", 1)
      try ada.set("age", 2)
      try other.save()
      try expectError(.managedObjectMerge, "the save") { try stack.context.save() }
      try expectEqual(try stack.history().count, 2)
    },
    company("merge", "a context takes over what the history tells (B287, H15)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      var token = try stack.token()
      let other = stack.makeContext()
      let batch = BatchUpdateRequest(entityName: "Person")
      batch.propertiesToUpdate = ["age": 7]
      try other.execute(batch)
      other.delete(try other.existingObject(with: bob.objectID))
      try other.save()
      try expectEqual(try ada.number("age"), nil, "nothing is merged yet")
      token = try stack.context.mergeHistory(after: token)
      try expectEqual(try ada.number("age"), 7)
      try expect(bob.isDeleted || bob.managedObjectContext == nil, "Bob is gone")
      try expect(!stack.context.hasChanges, "nothing is dirty")
      try expectEqual(try stack.history(after: token).count, 0, "the token is that of now")
    },
    company("notification", "a transaction is a notification that contexts merge (B287, H15)") {
      stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      let token = try stack.token()
      let batch = BatchUpdateRequest(entityName: "Person")
      batch.propertiesToUpdate = ["age": 7]
      try stack.context.execute(batch)
      for transaction in try stack.history(after: token) {
        stack.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      try expectEqual(try ada.number("age"), 7)
    },
    ConformanceCase(
      .history, "remote", "a context takes over by itself what others save (H20, B218)",
      needs: [.history, .secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.openTracking(model())
      let mine = try stage.openMute(other)
      try mine.save("Ada")
      try mine.save("Bob")
      let ada = try mine.context.named("Person", "Ada")
      let bob = try mine.context.named("Person", "Bob")
      mine.context.mergesRemoteChanges = true
      try bob.set("note", "mine")
      try other.context.named("Person", "Ada").set("age", 5)
      try other.context.named("Person", "Bob").set("age", 6)
      try other.save("Cleo")
      // Own saves at the same time are not attributed to the others.
      try mine.makeContext().make("Desk", ["name": "own"]).managedObjectContext?.save()
      RemoteChanges(to: mine.coordinator).look()
      mine.context.processPendingChanges()
      try expectEqual(try ada.number("age"), 5)
      try expectEqual(try bob.number("age"), 6, "under what was changed here")
      try expectEqual(try bob.text("note"), "mine")
      try expectEqual(try mine.context.names("Person", "age != nil"), ["Ada", "Bob"])
      let before = mine.coordinator.counters.roundTrips
      RemoteChanges(to: mine.coordinator).look()
      mine.context.processPendingChanges()
      try expectEqual(mine.coordinator.counters.roundTrips, before, "nothing is asked twice")
      let sibling = mine.makeContext()
      try sibling.existingObject(with: ada.objectID).set("age", 9)
      try sibling.save()
      let requests = mine.coordinator.counters.rowRequests
      RemoteChanges(to: mine.coordinator).look()
      mine.context.processPendingChanges()
      try expectEqual(try ada.number("age"), 9)
      try expectEqual(
        mine.coordinator.counters.rowRequests, requests, "what is known of own saves is kept")
      other.context.delete(try other.context.named("Person", "Ada"))
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      mine.context.processPendingChanges()
      try expect(ada.managedObjectContext == nil || ada.isDeleted, "Ada is gone")
      try mine.context.save()
      try expectEqual(try other.storedNumber("age", ofPerson: "Bob"), 6)
    },
    ConformanceCase(
      .history, "remote-without", "without a history all objects are read anew (H20, B218)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let other = try stage.open(model())
      let mine = try stage.openMute(other)
      try mine.save("Ada")
      let ada = try mine.context.named("Person", "Ada")
      mine.context.mergesRemoteChanges = true
      try other.context.named("Person", "Ada").set("age", 5)
      try other.context.save()
      RemoteChanges(to: mine.coordinator).look()
      mine.context.processPendingChanges()
      try expectEqual(try ada.number("age"), 5)
    },
    company(
      "together", "saves that run side by side are all there, each once, in one order (H1, H8)"
    ) { stack in
      // Tokens are read while others write: each transaction comes after exactly one of them.
      let people = try (0..<4).map { try stack.context.make("Person", ["name": "p\($0)"]) }
      try stack.context.save()
      let ids = people.map(\.objectID)
      let start = try stack.token()
      let coordinator = stack.coordinator
      try Threads.run(4) { number in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        for round in 0..<25 {
          let mine = try context.existingObject(with: ids[number])
          try mine.set("age", round)
          context.transactionAuthor = "writer \(number)"
          try context.save()
        }
      }
      var token = start
      var seen: [String: [Int64]] = [:]
      while true {
        let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
        request.fetchLimit = 7
        let found = try stack.context.execute(request).transactions ?? []
        guard let last = found.last else { break }
        token = last.token
        for transaction in found {
          seen[transaction.author ?? "", default: []].append(transaction.transactionNumber)
        }
      }
      try expectEqual(seen.keys.sorted(), (0..<4).map { "writer \($0)" })
      for numbers in seen.values {
        try expectEqual(numbers.count, 25, "the transactions of a writer")
        try expectEqual(numbers, numbers.sorted(), "their order")
      }
    },
  ]
}

// Frequent steps of the cases.
extension ConformanceStack {
  /// Saves a new person.
  func save(_ name: String) throws {
    try context.make("Person", ["name": name])
    try context.save()
  }

  /// Expects that saving a new person fails, because the store has another version by now.
  func expectRefused(_ name: String, _ otherwise: String) throws {
    do {
      try save(name)
    } catch let error as PersistenceError {
      return try expect(
        [.persistentStoreIncompatibleVersionHash, .persistentStoreIncompatibleSchema].contains(
          error.code), "the error is \(error.code)")
    }
    throw ExpectationFailure(message: otherwise, file: #fileID, line: #line)
  }

  func token() throws -> PersistentHistoryToken {
    try require(
      try coordinator.currentPersistentHistoryToken(fromStores: nil), "the current token")
  }

  func history(
    after token: PersistentHistoryToken? = nil
  ) throws -> [PersistentHistoryTransaction] {
    let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    return try require(try context.execute(request).transactions, "the transactions")
  }

  func deleteHistory(before token: PersistentHistoryToken?) throws -> Int {
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: token)).count
  }

  /// Compares the history with words for it.
  func expectHistory(_ expected: [String], names: [ObjectID: String]) throws {
    let found = try history().map { transaction in
      (transaction.changes ?? []).map { change in
        let properties = (change.updatedProperties ?? []).map(\.name).sorted()
        let id = change.changedObjectID
        return (["\(change.changeType)", id.entity.name ?? "", names[id] ?? "?"] + properties)
          .joined(separator: " ")
      }.joined(separator: "; ")
    }
    try expectEqual(found, expected)
  }
}
