// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostModel
import RoostSQLite
import RoostStore
import Testing

@Suite("The kit itself")
struct KitTests {
  private func passing(_ name: String, needs: Set<ConformanceFacet> = []) -> ConformanceCase {
    ConformanceCase(.saving, name, "nothing fails (B169)", needs: needs) { _ in }
  }

  private func failing(_ name: String, needs: Set<ConformanceFacet> = []) -> ConformanceCase {
    ConformanceCase(.saving, name, "something fails (B156)", needs: needs) { _ in
      try expect(false, "something else")
    }
  }

  /// A store with fewer abilities than the reference.
  private static let plain = StoreHarness("Plain") {
    var description = PersistentStoreDescription.reference(named: UUID().uuidString)
    description.type = PersistentStoreType(
      rawValue: "Plain", driver: ForwardingDriver(description.type.driver) { RefusingStore($0) })
    return description
  }

  @Test("a case passes or fails with its sentence")
  func outcomes() {
    let run = ConformanceRun(StoreHarness.reference, cases: [passing("a"), failing("b")])
    let report = run.report()
    #expect(report.results.map(\.outcome.isFailure) == [false, true])
    #expect(!report.isConforming)
    #expect(report.text.contains("FAILED: saving.b: something fails (B156)"))
    #expect(report.text.contains("expected: something else"))
  }

  @Test("what is not claimed and not to be asked for is left out with a reason")
  func leftOut() {
    let harness = StoreHarness("Forgetful", isReopenable: false) { .reference() }
    let run = ConformanceRun(harness, cases: [failing("a", needs: [.reopening])])
    #expect(run.outcome(of: run.cases[0]) == .leftOut("the store does not claim reopening"))
    #expect(run.report().isConforming)
  }

  @Test("what is not claimed is run all the same, and must be refused as documented")
  func refusals() {
    let run = ConformanceRun(Self.plain, cases: ConformanceTopic.constraints.cases)
    #expect(!run.claims.contains(.uniqueness))
    for conformanceCase in run.cases {
      #expect(run.outcome(of: conformanceCase) == .refused, "\(conformanceCase)")
    }
    #expect(run.outcome(of: passing("a", needs: [.uniqueness])).isFailure)
    #expect(run.outcome(of: failing("b", needs: [.uniqueness])).isFailure)
  }

  @Test("cases of a mark of writes are left out where the store has none (B289)")
  func changeMarks() {
    let cases = ConformanceTopic.events.cases.filter { $0.id == "events.store.marks" }
    #expect(cases.count == 1)
    let whole = ConformanceRun(StoreHarness.reference, cases: cases)
    #expect(cases.map { whole.outcome(of: $0) } == [.passed])
    let markless = ConformanceRun(Self.plain, cases: cases)
    #expect(
      cases.map { markless.outcome(of: $0) } == [.leftOut("the store does not claim changeMarks")])
  }

  @Test("a store that cannot be removed is a failure, of walks too")
  func undroppable() {
    let harness = UndroppableHarness()
    #expect(ConformanceRun(harness, cases: [passing("a")]).report().isConforming)
    let opens = ConformanceCase(.saving, "b", "a store is made (B322)") { _ = try $0.makeStore() }
    #expect(ConformanceRun(harness, cases: [opens]).outcome(of: opens).isFailure)
    #expect(WalkRun(harness).failure(of: []) != nil)
  }

  @Test("a known defect must fail")
  func knownDefects() {
    let run = ConformanceRun(
      StoreHarness.reference, cases: [passing("a"), failing("b")],
      knownDefects: [KnownDefect("saving.a", "once"), KnownDefect("saving.b", "twice")])
    #expect(run.outcome(of: run.cases[0]).isFailure)
    #expect(run.outcome(of: run.cases[1]) == .knownDefect("twice"))
  }

  @Test("a run complains of cases with one name, strange names and unknown defects")
  func selfCheck() {
    let run = ConformanceRun(
      StoreHarness.reference,
      cases: [
        passing("a"), passing("a"), passing("two words"),
        ConformanceCase(.saving, "c", "no number") { _ in },
        ConformanceCase(.saving, "d", "numbers of nothing (B0, B12, B999)") { _ in },
      ], knownDefects: [KnownDefect("saving.nobody", "gone")])
    let complaints = run.report().complaints
    #expect(complaints.contains("two cases are called saving.a"))
    #expect(complaints.contains("saving.two words is no plain name"))
    #expect(complaints.contains("the title of saving.c cites no behaviour"))
    for number in [0, 999] {
      #expect(
        complaints.contains(
          "the title of saving.d cites B\(number), and there is no such behaviour"))
    }
    #expect(!complaints.contains { $0.contains("B12,") })
    #expect(complaints.contains("the known defect saving.nobody names no case"))
    #expect(!run.report().isConforming)
  }

  @Test("the catalogue has nothing to complain of, and every topic has cases")
  func catalogue() {
    let run = ConformanceRun(StoreHarness.reference, cases: [])
    #expect(run.report().complaints.isEmpty)
    for topic in ConformanceTopic.allCases { #expect(!topic.cases.isEmpty, "\(topic)") }
    let ids = ConformanceCatalogue.all.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.count > 900)
    #expect(ConformanceCatalogue.conformanceCase(id: ids[7])?.id == ids[7])
  }

  @Test("stores of other kinds take turns with the one under test, and lack what one of them lacks")
  func beside() throws {
    StoresUnderTest.prepared
    let companions = [StoresUnderTest.lmdb, StoresUnderTest.inMemory]
    let stage = ConformanceStage(harness: StoresUnderTest.sqlite, beside: companions)
    defer { stage.clear() }
    let types = try (0..<4).map { _ in try stage.makeStore().type.rawValue }
    #expect(Set(types.prefix(3)).count == 3)
    #expect(types[3] == types[0])
    #expect(stage.storeCount == 3)
    let run = ConformanceRun(
      StoresUnderTest.sqlite, beside: companions,
      cases: ConformanceCatalogue.ofSeveralStores.filter { $0.id.contains("atomic.order") })
    let report = run.report()
    #expect(report.storeName == "SQLite beside LMDB beside InMemory")
    #expect(report.results.map(\.outcome) == [.passed])
    let lacking = ConformanceRun(
      StoresUnderTest.sqlite, beside: [StoreHarness.reference], cases: [])
    #expect(!lacking.claims.contains(.preparation))
  }

  @Test(
    "threads that share stores without marks of change see whole saves of each other (X20, X21)")
  func memory() throws {
    let memory = StoreHarness("SQLite in memory") { .sqlite(at: URL(filePath: "/dev/null")) }
    let run = ConformanceRun(
      memory, cases: ConformanceCatalogue.ofSeveralStores.filter { $0.id.contains("atomic.own-") })
    let report = run.report()
    #expect(report.results.map(\.outcome) == [.passed, .passed])
  }

  @Test("the report for machines has every case, with its outcome")
  func json() throws {
    let run = ConformanceRun(StoreHarness.reference, cases: [passing("a"), failing("b")])
    let document = try #require(
      JSONSerialization.jsonObject(with: run.report().json()) as? [String: Any])
    #expect(document["store"] as? String == "Reference")
    #expect(document["conforming"] as? Bool == false)
    let cases = try #require(document["cases"] as? [[String: Any]])
    #expect(cases.map { $0["id"] as? String } == ["saving.a", "saving.b"])
    #expect(cases.map { $0["outcome"] as? String } == ["passed", "failed"])
  }

  @Test("the table for documents has a line for each topic")
  func markdown() {
    func table(_ cases: [ConformanceCase]) -> [Substring] {
      let report = ConformanceRun(StoreHarness.reference, cases: cases).report()
      return ConformanceReport.markdown([report, report]).split(separator: "\n")
    }
    let lines = table([passing("a")])
    #expect(lines.count == ConformanceTopic.allCases.count + 2)
    #expect(lines.contains("| saving | all | all |"))
    #expect(lines.contains("| delete rules | - | - |"))
    #expect(table([passing("a"), passing("b")]) == lines, "one more case is no other table")
    #expect(
      table([passing("a"), failing("b")]).contains(
        "| saving | some, **1 failed** | some, **1 failed** |"))
  }

  @Test("a case that leaves its store unreadable fails, whatever its body says")
  func finishing() {
    let run = ConformanceRun(
      StoreHarness.broken(.losesARow), mode: .reopening,
      cases: ConformanceTopic.faulting.cases)
    #expect(run.cases.contains { run.outcome(of: $0).isFailure })
  }
}

/// A harness of reference stores that cannot be removed.
private struct UndroppableHarness: ConformanceHarness {
  var storeName: String { "Sticky" }
  var isReopenable: Bool { true }
  var allowsSecondHandle: Bool { true }

  func makeEmptyStore() throws -> PersistentStoreDescription {
    try StoreHarness.reference.makeEmptyStore()
  }

  func drop(_ store: PersistentStoreDescription) throws {
    try StoreHarness.reference.drop(store)
    throw PersistenceError(.persistentStoreOperation, "it stays")
  }
}
