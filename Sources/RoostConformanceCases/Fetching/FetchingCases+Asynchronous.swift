// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  /// Executes a request and waits until it has ended, as its context's queue sees it.
  private static func run(
    _ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext,
    then body: (AsynchronousFetchResult<ManagedObject>) throws -> Void = { _ in }
  ) throws -> AsynchronousFetchResult<ManagedObject> {
    let ended = DispatchSemaphore(value: 0)
    let asked = AsynchronousFetchRequest(fetchRequest: request) { _ in ended.signal() }
    let result = try context.performAndWait {
      let result = try context.execute(asked)
      try expect(result.finalResult == nil, "the result comes later")
      try body(result)
      return result
    }
    try expect(ended.wait(timeout: .now() + 60) == .success, "the fetch ends")
    return result
  }

  private static func asynchronous(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, FaultSwitch) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.fetching, "asynchronous.\(name)", title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try body(stack, faults)
    }
  }

  static let asynchronous: [ConformanceCase] = [
    asynchronous("result", "a fetch in the background brings objects of the context (B147)") {
      stack, _ in
      let context = stack.makeContext()
      let result = try run(context.request("Person", "age >= 30", []), in: context)
      try context.performAndWait {
        let people = try require(result.finalResult, "the result")
        try expectEqual(try people.map { try $0.text("name") }, ["Ada", "Dan"])
        try expect(people.allSatisfy { $0.managedObjectContext === context }, "they are of it")
        try expect(result.progress?.isFinished == true, "the progress is at its end")
      }
    },
    asynchronous("pending", "unsaved changes count, as in any fetch (B121, B147)") { stack, _ in
      let context = stack.makeContext()
      try context.performAndWait {
        try context.make("Person", ["name": "Zoe", "age": 99])
        try context.named("Person", "Ada").set("age", 3)
      }
      let result = try run(context.request("Person", "age >= 30", []), in: context)
      try context.performAndWait {
        let people = try require(result.finalResult, "the result")
        try expectEqual(try people.map { try $0.text("name") }, ["Dan", "Zoe"])
      }
    },
    asynchronous("early", "one that is cancelled before it runs is empty, without an error (B147)")
    {
      stack, _ in
      let context = stack.makeContext()
      // Other threads access the stores, so this cancellation may come too late: both results are correct.
      let result = try run(context.request("Person", nil, []), in: context) { $0.cancel() }
      try context.performAndWait {
        if result.operationError == nil {
          try expectEqual(result.finalResult?.count, 0, "the number of objects")
        } else {
          try expect(result.finalResult == nil, "there is no result")
        }
        try expect(context.registeredObjects.isEmpty, "no object is registered")
      }
    },
    asynchronous("cancelled", "one that is cancelled while it runs says so (B147)") {
      stack, faults in
      let context = stack.makeContext()
      let asked = DispatchSemaphore(value: 0)
      let cancelled = DispatchSemaphore(value: 0)
      faults.interrupt(.fetch) {
        asked.signal()
        cancelled.wait()
      }
      let result = try run(context.request("Person", nil, []), in: context) { result in
        asked.wait()
        result.cancel()
        cancelled.signal()
      }
      try context.performAndWait {
        try expectEqual(result.operationError?.code, .userCancelled, "the error")
        try expect(result.finalResult == nil, "there is no result")
        try expect(context.registeredObjects.isEmpty, "no object is registered")
      }
    },
    asynchronous("failure", "what a store throws is in the result (B147)") { stack, faults in
      let context = stack.makeContext()
      faults.fail(.fetch)
      let result = try run(context.request("Person", nil, []), in: context)
      try expectEqual(result.operationError?.code, FaultSwitch.error.code, "the error")
      try expectError(.unknownKey, "a request that means nothing") {
        _ = try run(context.request("Person", "nonsense == 1", []), in: context)
      }
    },
  ]
}
