// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Roost

@Suite("Batch requests in transactions")
struct TransactionBatchTests {
  let tracker: Tracker
  var container: PersistentContainer { tracker.container }

  init() throws {
    tracker = try Tracker()
    try tracker.seed(2)
  }

  @Test("work that has executed a batch request is not done again: it is committed already")
  func batchBefore() throws {
    for inChild in [false, true] {
      var attempts = 0
      let before = try tracker.anotherContext().count(Errand.self)
      #expect(throws: PersistenceError(.managedObjectMerge, "")) {
        try container.transaction { context in
          attempts += 1
          let errand = try #require(try context.find(Errand.self, \.number, 0))
          errand.points = 5
          let insertion = BatchInsertRequest(
            entityName: "Errand", objects: [["number": Int64(100 + before), "title": "once"]])
          let child = ManagedObjectContext(.privateQueue)
          child.parent = context
          if inChild {
            try child.performAndWait { _ = try child.execute(insertion) }
          } else {
            try context.execute(insertion)
          }
          context.resetCounters()
          try TransactionTests.addPoint(in: container)
        }
      }
      #expect(attempts == 1)
      #expect(try tracker.anotherContext().count(Errand.self) == before + 1)
    }
  }

  @Test("a batch request that was refused has committed nothing, and the work is done again")
  func refusedBatch() throws {
    var attempts = 0
    try container.transaction { context in
      attempts += 1
      let update = BatchUpdateRequest(entityName: "Errand")
      update.propertiesToUpdate = ["number": 7]
      #expect(throws: PersistenceError(.managedObjectConstraintMerge, "")) {
        try context.execute(update)
      }
      try context.find(Errand.self, \.number, 0)?.points = 5
      if attempts == 1 { try TransactionTests.addPoint(in: container) }
    }
    #expect(attempts == 2)
  }
}
