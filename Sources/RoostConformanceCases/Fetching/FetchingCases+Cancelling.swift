// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Reads whose caller no longer wants to know: a read throws or answers in full, and nothing of it stays.
extension FetchingCases {
  /// A read of a context, and the call of the store that it comes to.
  private struct Read: Sendable {
    let name: String
    let call: StoreCall
    let answer: [String]
    /// Asks in a context that has nothing but the department Research, without its people.
    let ask: @Sendable (ManagedObjectContext, ManagedObject) throws -> [String]
  }

  private static let reads: [Read] = [
    Read(name: "objects", call: .fetch, answer: ["Ada", "Bob"]) { context, _ in
      try context.names("Person", "department.name == 'Research'")
    },
    Read(name: "count", call: .fetch, answer: ["5"]) { context, _ in
      [String(try context.count(for: context.request("Person", nil, [])))]
    },
    Read(name: "groups", call: .fetch, answer: ["Research", "Sales", "Void"]) { context, _ in
      let request = FetchRequest<[String: Any]>(entityName: "Department")
      request.propertiesToFetch = ["name"]
      request.returnsDistinctResults = true
      request.sortDescriptors = [SortOrdering("name")]
      return try context.fetch(request).map { "\($0["name"] ?? "")" }
    },
    Read(name: "members", call: .destinations, answer: ["Ada", "Bob"]) { _, research in
      try research.names("people")
    },
    Read(name: "refresh", call: .rows, answer: ["Research"]) { context, research in
      context.stalenessInterval = 0
      try context.refresh(research, mergeChanges: false)
      return [try research.text("name") ?? "-"]
    },
  ]

  static let cancelling: [ConformanceCase] =
    reads.map(cancelled) + [
      cancelledBefore, cancelledGetter, cancelledAnywhere, timedOut, timedOutSave, deadline,
    ]

  private static func cancelled(_ read: Read) -> ConformanceCase {
    ConformanceCase(
      .fetching, "cancelled.\(read.name)",
      "a read that is cancelled while its store is asked ends, and leaves nothing (F20, B361)",
      needs: [.cancellation]
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let context = stack.context
      let research = try context.named("Department", "Research")
      let cancellation = RequestCancellation()
      faults.interrupt(read.call) { cancellation.cancel() }
      try expectError(.userCancelled, "the read that is cancelled") {
        _ = try RequestScope.cancellable(by: cancellation) { try read.ask(context, research) }
      }
      try expect(context.readError == nil, "nothing is left of it")
      try expectEqual(try read.ask(context, research), read.answer, "the next read")
      try research.set("name", "Search")
      try context.save()
    }
  }

  private static let timedOut = ConformanceCase(
    .fetching, "cancelled.timeout",
    "a read that takes longer than its context allows ends with an error that says so (F20, B361)",
    needs: [.cancellation]
  ) { stage in
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    try stack.readAnew()
    let context = stack.context
    context.requestTimeout = .milliseconds(1)
    faults.interrupt(.fetch) { Thread.sleep(forTimeInterval: 0.05) }
    try expectError(.persistentStoreTimeout, "the read that takes too long") {
      _ = try context.names("Person", nil)
    }
    context.requestTimeout = .seconds(3_600)
    try expectEqual(try context.names("Person", "age == 25").count, 2, "the next read")
    let cancellation = RequestCancellation()
    cancellation.cancel()
    try expectError(.userCancelled, "a read that its task has cancelled") {
      _ = try RequestScope.cancellable(by: cancellation) { try context.names("Person", nil) }
    }
    context.requestTimeout = nil
    try expectEqual(context.requestTimeout, nil)
    try expectEqual(try context.names("Person", nil).count, 5, "a read without a limit")
  }

  private static let timedOutSave = ConformanceCase(
    .fetching, "cancelled.timeout-save",
    "a save for which no time is left writes nothing, and can be done again (F20, B361)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let context = stack.context
    try context.make("Person", ["name": "Flo"])
    context.requestTimeout = .zero
    try expectError(.persistentStoreTimeout, "the save") { try context.save() }
    try expectEqual(try stack.makeContext().names("Person", "name == 'Flo'").count, 0)
    context.requestTimeout = nil
    try context.save()
    try expectEqual(try stack.makeContext().names("Person", "name == 'Flo'").count, 1)
  }

  private static let deadline = ConformanceCase(
    .fetching, "cancelled.deadline",
    "after its deadline a context asks its store for nothing more, and saves nothing (F20, B361)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let context = stack.context
    context.deadline = .now + .seconds(3_600)
    try expectEqual(try context.names("Person", "age == 25").count, 2, "before the deadline")
    try context.make("Person", ["name": "Flo"])
    let passed = ContinuousClock.now
    context.deadline = passed
    let kept = try require(context.deadline, "the deadline")
    try expect(kept > passed - .milliseconds(1) && kept < passed + .milliseconds(1), "the deadline")
    let asked = stack.coordinator.counters
    try expectError(.persistentStoreTimeout, "a fetch") { _ = try context.names("Person", nil) }
    try expectError(.persistentStoreTimeout, "a save") { try context.save() }
    try expectEqual(stack.coordinator.counters, asked, "the requests")
    context.requestTimeout = .seconds(3_600)
    try expectError(.persistentStoreTimeout, "a fetch with time of its own") {
      _ = try context.names("Person", nil)
    }
    context.deadline = nil
    try context.save()
    try expectEqual(try stack.makeContext().names("Person", "name == 'Flo'").count, 1, "the save")
  }

  private static let cancelledBefore = ConformanceCase(
    .fetching, "cancelled.before", "work that is cancelled asks its store for nothing (F20, B361)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    try stack.readAnew()
    let cancellation = RequestCancellation()
    cancellation.cancel()
    let context = stack.context
    let asked = stack.coordinator.counters
    try expectError(.userCancelled, "the fetch") {
      _ = try RequestScope.cancellable(by: cancellation) {
        try context.fetch(context.request("Person", nil, []))
      }
    }
    try expectEqual(stack.coordinator.counters, asked, "what was asked")
    try expectEqual(try context.fetch(context.request("Person", nil, [])).count, 5)
  }

  private static let cancelledGetter = ConformanceCase(
    .fetching, "cancelled.getter",
    "where a cancelled read cannot throw, nothing is saved until it is read again (F20, B361)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    try stack.readAnew()
    let context = stack.context
    let research = try context.named("Department", "Research")
    let cancellation = RequestCancellation()
    cancellation.cancel()
    RequestScope.cancellable(by: cancellation) {
      research["name"] = "\((research["people"] as? Set<ManagedObject>)?.count ?? 0)"
    }
    try expectEqual(context.readError?.underlyingErrors.first?.code, .userCancelled, "why")
    try expectError(.readFailed, "the save") {
      try context.save()
    }
    try context.refresh(research, mergeChanges: false)
    try expectEqual(try research.many("people").count, 2, "the people")
    try research.set("name", "Search")
    try context.save()
  }

  private static let cancelledAnywhere = ConformanceCase(
    .fetching, "cancelled.anywhere",
    "a read that is cancelled at any moment throws or answers in full, and no other one does (F20, B361)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    for number in 0..<3_000 {
      try stack.context.make("Person", ["name": "person \(number)", "age": number % 100])
    }
    try stack.context.save()
    let ended = DispatchGroup()
    let neighbour = NeighbourReads()
    // Used by one thread alone.
    nonisolated(unsafe) let other = stack.makeContext()
    DispatchQueue(label: "roost.neighbour").async(group: ended) {
      neighbour.run { try other.count(for: other.request("Person", "age < 50", [])) }
    }
    var cancelled = 0
    for round in 0..<60 {
      let context = stack.makeContext()
      let cancellation = RequestCancellation()
      // At another moment in every round. Whether a read is then under way is up to the machine, but for the first one.
      if round == 0 {
        cancellation.cancel()
      } else {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(round * 200)) {
          cancellation.cancel()
        }
      }
      do {
        let found = try RequestScope.cancellable(by: cancellation) {
          try context.all("Person", "name ENDSWITH[c] '7'")
        }
        try expectEqual(found.count, 300, "the number of objects")
      } catch let error as PersistenceError where error.code == .userCancelled {
        cancelled += 1
        try expect(context.registeredObjects.isEmpty, "no object is registered")
      }
      try expect(context.readError == nil, "nothing is left of it")
    }
    neighbour.stop()
    ended.wait()
    try expect(cancelled > 0, "a read is cancelled before it begins")
    if let error = neighbour.error { throw error }
    try expectEqual(neighbour.answers, [1_500], "what the neighbour reads")
  }
}
