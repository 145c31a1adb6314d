// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Synchronization
import Testing

@Suite("The log of slow requests")
struct SlowQueryLogTests {
  private func tell(
    _ log: SlowQueryLog, milliseconds: Int, _ detail: String = "", statement: String = "SELECT 1"
  ) {
    let operation = StoreOperation(
      .fetch, storeName: "hr.sqlite", entityName: "Person", detail: detail, contextName: "import",
      author: "ada", isImplicit: true, callSite: CallSite(fileID: "Shop/Import.swift", line: 42))
    log.operationEnded(
      operation,
      StoreOperationResult(
        duration: .milliseconds(milliseconds), rows: 3, statements: [statement],
        plan: QueryPlan(steps: [statement], indexes: ["i_Person_age"])))
  }

  @Test("it keeps what reached the threshold, with who asked, the statement and the plan")
  func threshold() throws {
    let log = SlowQueryLog(threshold: .milliseconds(100))
    tell(log, milliseconds: 99)
    tell(log, milliseconds: 100, "rows of Person, limit 3")
    #expect(log.entries.count == 1)
    let entry = try #require(log.entries.first)
    #expect(entry.statement == "SELECT 1")
    #expect(entry.plan == "store: SELECT 1\nindex: i_Person_age")
    #expect(
      entry.description == """
        hr.sqlite: fetch of Person took 100.0 ms (3 rows), rows of Person, limit 3, for a fault or a \
        relationship, context “import”, author “ada”, at Shop/Import.swift:42
          SELECT 1
          store: SELECT 1
          index: i_Person_age
        """)
  }

  @Test("it keeps the newest entries, and no more than it may")
  func capacity() {
    let log = SlowQueryLog(threshold: .zero, capacity: 3)
    for number in 0..<8 { tell(log, milliseconds: 1, "\(number)") }
    #expect(log.entries.map(\.operation.detail) == ["5", "6", "7"])
    #expect(log.slowCount == 8)
    log.removeAll()
    #expect(log.entries.isEmpty)
    tell(log, milliseconds: 1, "8")
    #expect(log.entries.map(\.operation.detail) == ["8"])
  }

  @Test("long statements are cut off")
  func longStatements() throws {
    let log = SlowQueryLog(threshold: .zero)
    tell(log, milliseconds: 1, statement: String(repeating: "x", count: 1_000_000))
    let entry = try #require(log.entries.first)
    #expect(entry.statement?.count == SlowQueryLog.Entry.textLimit + 1)
    #expect(entry.plan?.count == SlowQueryLog.Entry.textLimit + 1)
  }

  @Test("it hands on so many entries a minute, and says how many it did not")
  func rate() {
    let handedOn = Mutex<[SlowQueryLog.Entry]>([])
    let clock = Clock()
    let log = SlowQueryLog(
      threshold: .zero, capacity: 10, linesPerMinute: 2,
      sink: { entry in handedOn.withLock { $0.append(entry) } }, now: { clock.now })
    for number in 0..<5 { tell(log, milliseconds: 1, "\(number)") }
    clock.advance(by: .seconds(61))
    tell(log, milliseconds: 1, "5")
    let entries = handedOn.withLock { $0 }
    #expect(entries.map(\.operation.detail) == ["0", "1", "5"])
    #expect(entries.map(\.withheld) == [0, 0, 3])
    #expect(entries.last?.description.contains("3 more were slow before") == true)
    #expect(log.entries.count == 6)
  }

  /// A clock that a test sets.
  private final class Clock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func advance(by duration: Duration) {
      instant.withLock { $0 += duration }
    }
  }
}
