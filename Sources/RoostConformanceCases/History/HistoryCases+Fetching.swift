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

/// Fetch requests on transactions and changes.
extension HistoryCases {
  static let fetching: [ConformanceCase] = [
    company("fetch-transactions", "conditions on transactions find what they say (H14)") { stack in
      try writeDiary(stack)
      let all = try stack.history()
      let middle = all[3]
      let someone = try require(all[2].changes?.last?.changedObjectID, "a changed object")
      typealias Transaction = PersistentHistoryTransaction
      @Sendable func touches(_ transaction: Transaction) -> Bool {
        (transaction.changes ?? []).contains { $0.changedObjectID == someone }
      }
      func date(_ transaction: Transaction) -> any Sendable { transaction.timestamp }
      let questions: [(String, [any Sendable], @Sendable (Transaction) -> Bool)] = [
        ("author == %@", ["ada"], { $0.author == "ada" }),
        ("author != %@", ["ada"], { $0.author != "ada" }),
        ("author == nil", [], { $0.author == nil }),
        ("author IN %@", [["bob", "ada"]], { ["bob", "ada"].contains($0.author) }),
        ("author BEGINSWITH[c] 'A'", [], { $0.author == "ada" }),
        (
          "contextName == 'night' OR author == 'bob'", [],
          {
            $0.contextName == "night" || $0.author == "bob"
          }
        ),
        ("NOT (author == 'ada')", [], { $0.author != "ada" }),
        ("processID BEGINSWITH bundleID", [], { _ in true }),
        ("bundleID == 'nobody'", [], { _ in false }),
        ("storeID == %@", [middle.storeID], { _ in true }),
        ("timestamp > %@", [date(middle)], { $0.timestamp > middle.timestamp }),
        ("timestamp >= %@", [date(middle)], { $0.timestamp >= middle.timestamp }),
        (
          "timestamp < %@ AND author == 'ada'", [date(middle)],
          {
            $0.timestamp < middle.timestamp && $0.author == "ada"
          }
        ),
        (
          "timestamp BETWEEN %@", [[middle.timestamp, all[6].timestamp]],
          {
            $0.timestamp >= middle.timestamp && $0.timestamp <= all[6].timestamp
          }
        ),
        (
          "transactionNumber > %d", [middle.transactionNumber],
          {
            $0.transactionNumber > middle.transactionNumber
          }
        ),
        (
          "transactionNumber >= %d AND timestamp > %@",
          [middle.transactionNumber, all[4].timestamp],
          {
            $0.transactionNumber >= middle.transactionNumber && $0.timestamp > all[4].timestamp
          }
        ),
        (
          "transactionNumber == %d", [middle.transactionNumber],
          {
            $0.transactionNumber == middle.transactionNumber
          }
        ),
        (
          "ANY changes.changeType == 2", [],
          {
            ($0.changes ?? []).contains { $0.changeType == .delete }
          }
        ),
        ("ANY changes.changedObjectID == %@", [someone], touches),
        ("ANY changes.changedObjectID IN %@", [[someone]], touches),
        (
          "ALL changes.changedObjectID == %@", [someone],
          {
            ($0.changes ?? []).allSatisfy { $0.changedObjectID == someone }
          }
        ),
        (
          "changes.@count > 1 AND author == 'ada'", [],
          {
            ($0.changes?.count ?? 0) > 1 && $0.author == "ada"
          }
        ),
        (
          "SUBQUERY(changes, $c, $c.changeType == 1 AND ANY $c.updatedProperties == 'age').@count > 0",
          [],
          {
            ($0.changes ?? []).contains { change in
              (change.updatedProperties ?? []).contains { $0.name == "age" }
            }
          }
        ),
      ]
      for (format, arguments, isWanted) in questions {
        let request = PersistentHistoryTransaction.fetchRequest
        request.predicate = try FetchPredicate(format: format, argumentArray: arguments)
        let wanted = all.filter(isWanted)
        try expectDiary(stack, request, wanted, format)
        let mark = try require(wanted.dropFirst().first ?? all.first, "a transaction")
        try expectAfter(stack, request, mark, all, isWanted, format)
      }
    },
    company("fetch-changes", "conditions on changes find them with their transactions (H14)") {
      stack in
      try writeDiary(stack)
      let all = try stack.history()
      let ids = all.flatMap { ($0.changes ?? []).map(\.changedObjectID) }
      typealias Change = PersistentHistoryChange
      func names(_ change: Change) -> Set<String> {
        Set((change.updatedProperties ?? []).map(\.name))
      }
      let person = try require(
        stack.coordinator.managedObjectModel.entitiesByName["Person"], "the entity")
      let questions: [(String, [any Sendable], (Change) -> Bool)] = [
        ("changedObjectID == %@", [ids[0]], { $0.changedObjectID == ids[0] }),
        ("changedObjectID != %@", [ids[0]], { $0.changedObjectID != ids[0] }),
        (
          "changedObjectID IN %@", [[ids[0], ids[1]]],
          {
            [ids[0], ids[1]].contains($0.changedObjectID)
          }
        ),
        (
          "changedObjectID == %@ AND changeType == 1", [ids[0]],
          {
            $0.changedObjectID == ids[0] && $0.changeType == .update
          }
        ),
        (
          "changedObjectID == %@ OR changeType == 2", [ids[0]],
          {
            $0.changedObjectID == ids[0] || $0.changeType == .delete
          }
        ),
        ("changedObjectID == %@ AND changedObjectID == %@", [ids[0], ids[1]], { _ in false }),
        (
          "changeType == %d", [PersistentHistoryChangeType.update.rawValue],
          {
            $0.changeType == .update
          }
        ),
        ("changeType == %@", [PersistentHistoryChangeType.delete], { $0.changeType == .delete }),
        ("changedEntity == %@", [person], { $0.changedObjectID.entity.name == "Person" }),
        ("changedEntity.name == 'Desk'", [], { $0.changedObjectID.entity.name == "Desk" }),
        ("ANY updatedProperties == 'age'", [], { names($0).contains("age") }),
        (
          "ANY updatedProperties.name IN {'age', 'note'}", [],
          {
            !names($0).isDisjoint(with: ["age", "note"])
          }
        ),
        ("updatedProperties CONTAINS 'note'", [], { names($0).contains("note") }),
        ("'note' IN updatedProperties", [], { names($0).contains("note") }),
        ("updatedProperties.@count == 2", [], { names($0).count == 2 }),
        ("transaction.author != 'ada'", [], { $0.transaction?.author != "ada" }),
        (
          "transaction.author == 'ada' AND changeType == 0", [],
          {
            $0.transaction?.author == "ada" && $0.changeType == .insert
          }
        ),
        (
          "transaction.timestamp > %@", [all[3].timestamp],
          {
            ($0.transaction?.timestamp ?? .distantPast) > all[3].timestamp
          }
        ),
        (
          "changeID > %lld", [all[3].changes?.first?.changeID ?? 0],
          {
            $0.changeID > all[3].changes?.first?.changeID ?? 0
          }
        ),
      ]
      for (format, arguments, isWanted) in questions {
        let request = PersistentHistoryChange.fetchRequest
        request.predicate = try FetchPredicate(format: format, argumentArray: arguments)
        let wanted = all.flatMap { ($0.changes ?? []).filter(isWanted) }
        for (limit, offset) in [(0, 0), (1, 0), (3, 0), (2, 1), (0, 2)] {
          (request.fetchLimit, request.fetchOffset) = (limit, offset)
          let rest = wanted.dropFirst(offset)
          let expected = Array(limit == 0 ? rest : rest.prefix(limit)).map(\.changeID)
          let history = PersistentHistoryChangeRequest.fetchHistory(withFetch: request)
          let found = try stack.context.execute(history).transactions ?? []
          try expectEqual(
            found.flatMap { ($0.changes ?? []).map(\.changeID) }, expected,
            "\(format), \(limit) after \(offset)")
          try expect(found.allSatisfy { $0.changes?.isEmpty == false }, "no transaction is empty")
          history.resultType = .changesOnly
          try expectEqual(
            try stack.context.execute(history).changes?.map(\.changeID), expected, format)
          history.resultType = .count
          try expectEqual(try stack.context.execute(history).count, expected.count, format)
          history.resultType = .transactionsOnly
          let bare = try stack.context.execute(history).transactions ?? []
          try expectEqual(bare.map(\.transactionNumber), found.map(\.transactionNumber), format)
          try expect(bare.allSatisfy { $0.changes == nil }, "without changes")
        }
      }
    },
    company("fetch-refused", "what a fetch request on the history cannot say is refused (H14)") {
      stack in
      try writeDiary(stack)
      func refuse(
        _ code: PersistenceError.Code, _ what: String,
        _ request: FetchRequest<any FetchRequestResult>,
        _ change: (FetchRequest<any FetchRequestResult>) throws -> Void
      ) throws {
        try change(request)
        let history = PersistentHistoryChangeRequest.fetchHistory(withFetch: request)
        let error = try expectError(code, what) { try stack.context.execute(history) }
        try expect(!error.remedy.isEmpty, "\(what) has a remedy")
      }
      typealias Transactions = PersistentHistoryTransaction
      typealias Changes = PersistentHistoryChange
      for format in ["person == 'x'", "token == nil", "changedObjectID == nil"] {
        try refuse(.unknownKey, format, Transactions.fetchRequest) {
          $0.predicate = try FetchPredicate(format)
        }
      }
      for format in ["author == 'x'", "transaction.mood == 1", "changedObjectID.name == 'Ada'"] {
        try refuse(.unknownKey, format, Changes.fetchRequest) {
          $0.predicate = try FetchPredicate(format)
        }
      }
      try refuse(.invalidValue, "another type", Transactions.fetchRequest) {
        $0.predicate = try FetchPredicate("author == 5")
      }
      try refuse(.invalidRequest, "an order", Transactions.fetchRequest) {
        $0.sortDescriptors = [SortOrdering("timestamp")]
      }
      try refuse(.invalidRequest, "columns", Changes.fetchRequest) {
        $0.propertiesToFetch = ["changeType"]
      }
      try refuse(.invalidRequest, "dictionaries", Changes.fetchRequest) {
        $0.resultType = .dictionaryResultType
      }
      try refuse(.invalidRequest, "a negative limit", Changes.fetchRequest) { $0.fetchLimit = -1 }
      for name in ["Person", "ChangedObject"] {
        try refuse(.unknownEntity, name, FetchRequest(entityName: name)) { _ in }
      }
      let cut = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      cut.fetchRequest = PersistentHistoryTransaction.fetchRequest
      try expectError(.invalidRequest, "a deletion") { try stack.context.execute(cut) }
      try expectEqual(try stack.history().count, 8, "and nothing is deleted")
    },
  ]

  /// Eight transactions of two authors and without an author, some of them with equal timestamps.
  private static func writeDiary(_ stack: ConformanceStack) throws {
    let start = Date.now.timeIntervalSinceReferenceDate
    let step = Mutex(0)
    stack.coordinator.historyTicks.clock = { start + Double(step.withLock { $0 } / 2) }
    let context = stack.context
    func save(_ author: String?, _ name: String? = nil) throws {
      context.transactionAuthor = author
      context.name = name
      try context.save()
      step.withLock { $0 += 1 }
    }
    let ada = try context.make("Person", ["name": "Ada", "age": 36])
    let bob = try context.make("Person", ["name": "Bob"])
    try save("ada")
    let desk = try context.make("Desk", ["name": "Corner"])
    try save("bob", "night")
    try ada.set("age", 37)
    try save("ada", "night")
    try ada.set("age", 38)
    try ada.set("note", "older")
    try desk.set("name", "Window")
    try save(nil)
    try bob.set("note", "new")
    try save("ada")
    context.delete(desk)
    try save("bob")
    try ada.set("desk", try context.make("Desk", ["name": "Door"]))
    try save("ada")
    context.delete(bob)
    try save(nil, "night")
  }

  /// Expects transactions of a request, with every limit and result type.
  private static func expectDiary(
    _ stack: ConformanceStack, _ fetch: FetchRequest<any FetchRequestResult>,
    _ wanted: [PersistentHistoryTransaction], _ format: String
  ) throws {
    let numbers = wanted.map(\.transactionNumber)
    for (limit, offset) in [(0, 0), (1, 0), (2, 1), (0, 1)] {
      (fetch.fetchLimit, fetch.fetchOffset) = (limit, offset)
      let rest = numbers.dropFirst(offset)
      let expected = Array(limit == 0 ? rest : rest.prefix(limit))
      let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
      let found = try stack.context.execute(request).transactions ?? []
      try expectEqual(
        found.map(\.transactionNumber), expected, "\(format), \(limit) after \(offset)")
      for transaction in found {
        let same = wanted.first { $0.transactionNumber == transaction.transactionNumber }
        try expectEqual(
          transaction.changes?.map(\.changeID), same?.changes?.map(\.changeID), "all changes")
      }
      request.resultType = .transactionsOnly
      let bare = try stack.context.execute(request).transactions ?? []
      try expectEqual(bare.map(\.transactionNumber), expected, format)
      try expect(bare.allSatisfy { $0.changes == nil }, "without changes")
      request.resultType = .count
      try expectEqual(try stack.context.execute(request).count, expected.count, format)
    }
    (fetch.fetchLimit, fetch.fetchOffset) = (0, 0)
  }

  /// Expects that a token, a transaction or a time, and a fetch request, hold both.
  private static func expectAfter(
    _ stack: ConformanceStack, _ fetch: FetchRequest<any FetchRequestResult>,
    _ mark: PersistentHistoryTransaction, _ all: [PersistentHistoryTransaction],
    _ isWanted: (PersistentHistoryTransaction) -> Bool, _ format: String
  ) throws {
    let later = all.filter { $0.transactionNumber > mark.transactionNumber && isWanted($0) }
    let token = PersistentHistoryChangeRequest.fetchHistory(after: mark.token)
    let transaction = PersistentHistoryChangeRequest.fetchHistory(after: mark)
    for request in [token, transaction] {
      request.fetchRequest = fetch
      let found = try stack.context.execute(request).transactions ?? []
      try expectEqual(
        found.map(\.transactionNumber), later.map(\.transactionNumber), "\(format), after one")
    }
    let time = PersistentHistoryChangeRequest.fetchHistory(after: mark.timestamp)
    time.fetchRequest = fetch
    time.fetchLimit = 2
    let expected = all.filter { $0.timestamp > mark.timestamp && isWanted($0) }.prefix(2)
    try expectEqual(
      (try stack.context.execute(time).transactions ?? []).map(\.transactionNumber),
      expected.map(\.transactionNumber), "\(format), after a time")
  }
}
