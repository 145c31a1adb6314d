// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore
import Synchronization
import Testing

@Suite("What stores report")
struct StoreReportTests {
  @Test("statements are counted always and shown on demand only")
  func log() {
    let log = StoreLog(storeName: "hr.sqlite")
    let seen = Mutex<[String]>([])
    let made = Mutex(0)
    func text() -> String {
      made.withLock { $0 += 1 }
      return "SELECT 1"
    }
    log.statement(text())
    #expect(made.withLock { $0 } == 0)
    log.listen { line in seen.withLock { $0.append(line.description) } }
    #expect(log.isOn)
    log.statement(text())
    log.remark("plan")
    log.listen(nil)
    log.statement(text())
    #expect(log.statements == 3)
    #expect(made.withLock { $0 } == 1)
    #expect(seen.withLock { $0 } == ["[hr.sqlite] SELECT 1", "[hr.sqlite] plan"])
  }

  @Test("counters are added and subtracted field by field")
  func counters() {
    var first = StoreCounters()
    (first.roundTrips, first.fetches, first.rows, first.cacheHits) = (3, 2, 100, 7)
    var second = StoreCounters()
    (second.roundTrips, second.commits, second.statements) = (1, 1, 4)
    let sum = first + second
    #expect(sum.roundTrips == 4)
    #expect(sum.commits == 1)
    #expect(sum.statements == 4)
    #expect(sum - second == first)
    #expect(sum - first == second)
  }

  @Test("a plan prints what runs where, a line a step")
  func plan() {
    let plan = QueryPlan(steps: ["SELECT"], indexes: ["i"], inMemory: ["sort"])
    #expect(plan.description == "store: SELECT\nindex: i\nmemory: sort")
  }

  @Test("destinations belong to their sources, also where there are none (B325)")
  func destinations() {
    let found = RelationshipDestinations(offsets: [0, 2, 2, 3], keys: [8, 16, 24])
    #expect(Array(found[source: 0]) == [8, 16])
    #expect(found[source: 1].isEmpty)
    #expect(Array(found[source: 2]) == [24])
  }

  @Test("a change set is empty until it has anything at all, metadata included (B323)")
  func emptyChanges() {
    #expect(StoreChangeSet().isEmpty)
    #expect(!StoreChangeSet(locked: [RowVersion(key: 1, version: 1)]).isEmpty)
    #expect(!StoreChangeSet(metadata: StoreMetadata(storeType: "a")).isEmpty)
  }

  @Test("kinds of requests have Core Data's numbers")
  func requestTypes() {
    let numbers = PersistentStoreRequestType.allCases.map(\.rawValue)
    #expect(numbers == [1, 2, 5, 6, 7, 8])
    #expect(FetchRequest<ObjectID>(entityName: "Person").requestType == .fetchRequestType)
  }
}
