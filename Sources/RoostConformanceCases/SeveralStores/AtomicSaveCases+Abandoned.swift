// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

/// Counts how often a decider is asked: who waits for a decision asks again and again.
private final class QueryCounter: Sendable {
  private let faults: FaultSwitch
  private let number = Mutex(0)

  init(_ faults: FaultSwitch) {
    self.faults = faults
    goOn()
  }

  private func goOn() {
    faults.interrupt(.decision) { [self] in
      number.withLock { $0 += 1 }
      goOn()
    }
  }

  /// The number of queries since the last time.
  func take() -> Int {
    number.withLock { number in
      defer { number = 0 }
      return number
    }
  }
}

/// Several saves that coordinators have left behind.
extension AtomicSaveCases {
  private static let count = 5
  /// More queries than one grace period takes, and fewer than two that follow one another.
  private static let queriesOfOneWait = 80

  /// The registration of a coordinator that is gone.
  private static func formerCoordinator(_ pair: Pair) throws -> UUID {
    let other = try pair.stage.openSame(pair.stack)
    let found = Mutex<UUID?>(nil)
    let prepares = try pair.store("prepares")
    pair.decides.interrupt(.decide) {
      let ticket = try? prepares.preparation?.pending().first?.ticket
      found.withLock { $0 = ticket?.coordinator }
    }
    try change(pair.names, to: "1", in: other.context)
    try other.context.save()
    other.close()
    return try require(found.withLock { $0 }, "the coordinator of the save")
  }

  static let abandoned: [ConformanceCase] = [
    pair(
      "dead-parts", "what a program that has ended left of several saves is ended at once (X6)",
      needs: [.secondHandle]
    ) { pair in
      guard try SaveOrder(of: pair.stack.coordinator.attachedStores).joined.isEmpty else { return }
      let former = try formerCoordinator(pair)
      let (prepares, decides) = (try pair.store("prepares"), try pair.store("decides"))
      let queries = QueryCounter(pair.decides)
      func leave() throws {
        try decides.preparation?.register(former)
        for _ in 0..<count { _ = try prepareForeignPart(pair, former) }
        _ = queries.take()
      }
      try leave()
      try expectEqual(try SavesInDoubt(of: pair.stack.coordinator).list().count, 0, "in doubt")
      try expect(queries.take() <= 2 * count, "those who ask do not wait")
      try expectEqual(try prepares.preparation?.pending().count, 0, "the parts")
      try leave()
      let other = try pair.stage.openSame(pair.stack)
      try expect(queries.take() <= 2 * count, "those who open the stores do not wait")
      try expectEqual(try prepares.preparation?.pending().count, 0, "the parts")
      other.close()
      let context = pair.stack.makeContext()
      context.stalenessInterval = 0
      let record = try context.named("Register", "prepares")
      let version = RowVersion(
        key: record.objectID.key, version: try pair.stack.version(of: record))
      try decides.preparation?.register(former)
      _ = try prepareForeignPart(pair, former, StoreChangeSet(locked: [version]))
      try leave()
      try change(pair.names, to: "2", in: context)
      try context.save()
      try expect(queries.take() <= 4 * count, "those who write do not wait")
      try pair.expectNothingLeft("written")
    },
    pair(
      "unknown-parts", "several saves of others are given one grace period, not one each (X6)"
    ) { pair in
      guard try SaveOrder(of: pair.stack.coordinator.attachedStores).joined.isEmpty else { return }
      let decides = try pair.store("decides")
      let record = try pair.stack.context.named("Register", "prepares")
      let version = RowVersion(
        key: record.objectID.key, version: try pair.stack.version(of: record))
      for number in 0..<count {
        let other = UUID()
        try decides.preparation?.register(other)
        _ = try prepareForeignPart(
          pair, other, number == 0 ? StoreChangeSet(locked: [version]) : StoreChangeSet())
      }
      let queries = QueryCounter(pair.decides)
      try pair.change("1")
      try pair.stack.context.save()
      try expect(queries.take() <= queriesOfOneWait, "one wait")
      try pair.expect("1", "written")
      try pair.expectNothingLeft("written")
    },
    pair(
      "reads-go-on", "reads of several stores do not wait for a save that waits for others (X20)"
    ) { pair in
      let coordinator = pair.stack.coordinator
      guard try SaveOrder(of: coordinator.attachedStores).joined.isEmpty else { return }
      let (prepares, decides) = (try pair.store("prepares"), try pair.store("decides"))
      let record = try pair.stack.context.named("Register", "decides")
      let version = RowVersion(
        key: record.objectID.key, version: try pair.stack.version(of: record))
      let ticket = SaveTicket(
        coordinator: UUID(),
        decider: .init(identifier: prepares.identity.identifier, name: "prepares"),
        participants: [decides.identity.identifier], startedAt: 1)
      try prepares.preparation?.register(ticket.coordinator)
      guard try decides.preparation?.canPrepare() == true else { return }
      _ = try decides.preparation?.prepare(StoreChangeSet(locked: [version]), for: ticket)
      let found = Mutex<[String?]?>(nil)
      pair.prepares.interrupt(.decision) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          context.stalenessInterval = 0
          let lists = try? context.all("Register").map { try $0.text("list") }
          found.withLock { $0 = lists }
          done.signal()
        }
        thread.start()
        _ = done.wait(timeout: .now() + 20)
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expectEqual(
        found.withLock { $0 } ?? [], pair.names.map { _ in Optional("0") }, "what was read")
      try pair.expect("1", "the save")
      try pair.expectNothingLeft("the save")
    },
  ]
}
