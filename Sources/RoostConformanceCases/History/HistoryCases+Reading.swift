// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

// A reader concurrent with writers. A transaction may become visible after one that began later.
extension HistoryCases {
  static let reading: [ConformanceCase] = [
    company(
      "together-reading",
      "who goes on from token to token while eight save gets each save once, in its order (H1, H8)"
    ) { stack in
      let (writers, rounds) = (8, 12)
      let people = try (0..<writers).map { try stack.context.make("Person", ["name": "p\($0)"]) }
      try stack.context.save()
      let ids = people.map(\.objectID)
      let start = try stack.token()
      let found = try authors(of: writers, in: stack, after: start) { number, context in
        for round in 0..<rounds {
          try context.existingObject(with: ids[number]).set("age", round)
          context.transactionAuthor = "\(number) \(round)"
          try context.save()
        }
      }
      for number in 0..<writers {
        try expectEqual(
          found.filter { $0.hasPrefix("\(number) ") }, (0..<rounds).map { "\(number) \($0)" },
          "the saves of a writer")
      }
      try expectEqual(found.count, writers * rounds, "all saves")
    },
    company(
      "together-one-record",
      "the saves of one record come in the order of its versions, to all who read (H1, H8)"
    ) { stack in
      let (writers, rounds) = (6, 5)
      let person = try stack.context.make("Person", ["name": "all", "age": 0])
      try stack.context.save()
      let id = person.objectID
      let start = try stack.token()
      let found = try authors(of: writers, in: stack, after: start) { _, context in
        context.stalenessInterval = 0
        for _ in 0..<rounds { try countUp(id, in: context) }
      }
      let all = (1...writers * rounds).map(String.init)
      try expectEqual(found, all, "from token to token")
      try expectEqual(try stack.history(after: start).map { $0.author ?? "" }, all, "at once")
    },
  ]

  /// Increases a number, with the number as author of the save, until no other writer is faster.
  private static func countUp(_ id: ObjectID, in context: ManagedObjectContext) throws {
    while true {
      let object = try context.existingObject(with: id)
      try context.refresh(object, mergeChanges: false)
      let next = (try object.number("age") ?? 0) + 1
      try object.set("age", next)
      context.transactionAuthor = "\(next)"
      do {
        return try context.save()
      } catch let error as PersistenceError where error.code == .managedObjectMerge {
        context.rollback()
      }
    }
  }

  /// Runs writers, and returns the authors of their saves in the order in which a reader gets them, which goes on from
  /// token to token meanwhile.
  private static func authors(
    of writers: Int, in stack: ConformanceStack, after start: PersistentHistoryToken,
    _ write: @escaping @Sendable (Int, ManagedObjectContext) throws -> Void
  ) throws -> [String] {
    let coordinator = stack.coordinator
    let left = Atomic<Int>(writers)
    let seen = Mutex<[String]>([])
    try Threads.run(writers + 1) { number in
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      guard number < writers else {
        return try read(in: context, after: start, while: { left.load(ordering: .acquiring) > 0 }) {
          author in seen.withLock { $0.append(author) }
        }
      }
      defer { left.subtract(1, ordering: .releasing) }
      try write(number, context)
    }
    return seen.withLock { $0 }
  }

  /// Reads from token to token, and once more after the last write.
  private static func read(
    in context: ManagedObjectContext, after start: PersistentHistoryToken,
    while isGoingOn: () -> Bool,
    _ take: (String) -> Void
  ) throws {
    var token = start
    var isLast = false
    while true {
      let isOver = !isGoingOn()
      let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      let found = try context.execute(request).transactions ?? []
      for transaction in found {
        take(transaction.author ?? "")
        token = token.merging(transaction.token)
      }
      if found.isEmpty, isLast { return }
      isLast = isOver
    }
  }
}
