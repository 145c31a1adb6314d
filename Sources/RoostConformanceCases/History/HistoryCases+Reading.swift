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
      let coordinator = stack.coordinator
      let left = Atomic<Int>(writers)
      let seen = Mutex<[String]>([])
      try Threads.run(writers + 1) { number in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        guard number < writers else {
          return try read(in: context, after: start, while: { left.load(ordering: .acquiring) > 0 })
          {
            author in seen.withLock { $0.append(author) }
          }
        }
        defer { left.subtract(1, ordering: .releasing) }
        for round in 0..<rounds {
          try context.existingObject(with: ids[number]).set("age", round)
          context.transactionAuthor = "\(number) \(round)"
          try context.save()
        }
      }
      let found = seen.withLock { $0 }
      for number in 0..<writers {
        try expectEqual(
          found.filter { $0.hasPrefix("\(number) ") }, (0..<rounds).map { "\(number) \($0)" },
          "the saves of a writer")
      }
      try expectEqual(found.count, writers * rounds, "all saves")
    }
  ]

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
