// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostModel
import RoostStore
import Testing

@Suite("The kit itself")
struct KitTests {
  private func passing(_ name: String, needs: Set<ConformanceFacet> = []) -> ConformanceCase {
    ConformanceCase(.saving, name, "nothing fails (B1)", needs: needs) { _ in }
  }

  private func failing(_ name: String, needs: Set<ConformanceFacet> = []) -> ConformanceCase {
    ConformanceCase(.saving, name, "something fails (B1)", needs: needs) { _ in
      try expect(false, "something else")
    }
  }

  @Test("a case passes or fails with its sentence")
  func outcomes() {
    let run = ConformanceRun(StoreHarness.reference, cases: [passing("a"), failing("b")])
    let report = run.report()
    #expect(report.results.map(\.outcome.isFailure) == [false, true])
    #expect(!report.isConforming)
    #expect(report.text.contains("FAILED: saving.b: something fails (B1)"))
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
    let harness = StoreHarness("Plain") {
      var description = PersistentStoreDescription.reference(named: UUID().uuidString)
      description.type = PersistentStoreType(rawValue: "Plain", driver: RefusingDriver())
      return description
    }
    let run = ConformanceRun(harness, cases: ConformanceTopic.constraints.cases)
    #expect(!run.claims.contains(.uniqueness))
    for conformanceCase in run.cases {
      #expect(run.outcome(of: conformanceCase) == .refused, "\(conformanceCase)")
    }
    #expect(run.outcome(of: passing("a", needs: [.uniqueness])).isFailure)
    #expect(run.outcome(of: failing("b", needs: [.uniqueness])).isFailure)
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
      ], knownDefects: [KnownDefect("saving.nobody", "gone")])
    let complaints = run.report().complaints
    #expect(complaints.contains("two cases are called saving.a"))
    #expect(complaints.contains("saving.two words is no plain name"))
    #expect(complaints.contains("the title of saving.c cites no behaviour"))
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

/// Reference stores that know no uniqueness, and say so.
private struct RefusingDriver: PersistentStoreDriver {
  private let base = PersistentStoreType.reference.driver

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    RefusingStore(try base.open(description))
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try base.destroy(description)
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }
}
