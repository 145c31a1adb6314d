// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import Testing

/// A kit that finds nothing in a broken store proves nothing of a whole one.
@Suite("The kit finds defects")
struct ControlTests {
  /// The cases that a defect must fail, enough of them to find it and few enough to be quick.
  private static let cases = ConformanceCatalogue.all.filter { $0.topic != .walks }

  @Test(
    "the cases find a store's defect",
    arguments: StoreDefect.allCases.filter {
      !$0.isOfMigrations && !$0.isOfHistories && !$0.isOfSaves
    })
  func casesFind(_ defect: StoreDefect) throws {
    let run = ConformanceRun(StoreHarness.broken(defect), mode: .reopening, cases: Self.cases)
    let found = Self.cases.first { run.outcome(of: $0).isFailure }
    #expect(found != nil, "\(defect.rawValue) is not found")
  }

  @Test(
    "saves of eight contexts at once find a store's defect (F15)",
    arguments: [
      StoreDefect.ignoresConflicts, .forgetsUpdates, .keepsDeletedRecords, .ignoresUniqueness,
    ])
  func crowdsFind(_ defect: StoreDefect) {
    let run = CrowdRun(StoreHarness.broken(defect))
    let failure = (1...10).lazy.compactMap { run.failure(seed: $0, steps: 40) }.first
    #expect(failure != nil, "\(defect.rawValue) is not found")
  }

  @Test(
    "the cases of migrations find a store that migrates wrongly",
    arguments: StoreDefect.allCases.filter(\.isOfMigrations))
  func migrationsFind(_ defect: StoreDefect) throws {
    let cases = Self.cases.filter { $0.topic == .evolution }
    let whole = ConformanceRun(StoreHarness.migrating(nil), mode: .reopening, cases: cases)
    let run = ConformanceRun(StoreHarness.migrating(defect), mode: .reopening, cases: cases)
    // It is the defect that they find: the same store without it passes them.
    func isFound(by one: ConformanceCase) -> Bool {
      run.outcome(of: one).isFailure && !whole.outcome(of: one).isFailure
    }
    // A type that others stand in front of cannot be migrated by a mapping model in its place.
    let transforms = cases.filter { $0.id.contains("transform-") }
    #expect(!transforms.contains(where: isFound))
    let found = cases.first { one in !one.id.contains("transform-") && isFound(by: one) }
    #expect(found != nil, "\(defect.rawValue) is not found")
  }

  @Test(
    "the cases of history find a store that tells it wrongly (H1, H8, H12, H30)",
    arguments: StoreDefect.allCases.filter(\.isOfHistories))
  func historiesFind(_ defect: StoreDefect) throws {
    let cases = Self.cases.filter { $0.topic == .history }
    let whole = ConformanceRun(StoreHarness.migrating(nil), mode: .reopening, cases: cases)
    let run = ConformanceRun(StoreHarness.migrating(defect), mode: .reopening, cases: cases)
    let found = cases.first {
      run.outcome(of: $0).isFailure && !whole.outcome(of: $0).isFailure
    }
    #expect(found != nil, "\(defect.rawValue) is not found")
  }

  @Test(
    "a case finds a store that breaks saves over several stores (X3, X4, X6, X7, X21)",
    arguments: StoreDefect.allCases.filter(\.isOfSaves))
  func savesFind(_ defect: StoreDefect) throws {
    let named = Self.cases.filter { $0.id == defect.findingCase }
    try #require(named.count == 1, "\(defect.rawValue)")
    let whole = ConformanceRun(StoreHarness.saving(nil), mode: .reopening, cases: named)
    let run = ConformanceRun(StoreHarness.saving(defect), mode: .reopening, cases: named)
    #expect(!whole.outcome(of: named[0]).isFailure)
    #expect(run.outcome(of: named[0]).isFailure, "\(defect.rawValue) is not found")
  }

  @Test(
    "random walks find a store that tells its history wrongly (H1, H8)",
    arguments: [StoreDefect.writesHistoryLater, .numbersHistory])
  func walksFindHistories(_ defect: StoreDefect) throws {
    let run = WalkRun(StoreHarness.migrating(defect))
    let failure = (1...120).lazy.compactMap { seed in
      run.failure(of: WalkScript.steps(seed: UInt64(seed), count: 150))
    }.first
    #expect(failure != nil, "\(defect.rawValue) is not found")
  }

  @Test(
    "random walks across stores find one that breaks saves over several of them (X3, X4, X6)",
    arguments: [StoreDefect.commitsAborted, .showsParts, .losesParts, .forgetsDecisions])
  func walksFindSaves(_ defect: StoreDefect) throws {
    let whole = WalkRun(StoreHarness.saving(nil), isAcrossStores: true)
    let run = WalkRun(StoreHarness.saving(defect), isAcrossStores: true)
    let walks = (1...40).lazy.map { seed in
      var steps = WalkScript.steps(seed: UInt64(seed), count: 80)
      // Saves end in each way, and every other time at some call of the process.
      for index in 1...14 {
        let end = index % 2 == 0 ? 4 : index / 2
        steps.insert(WalkStep(.failedSave, 0, index / 2 + seed, end), at: index * 6)
      }
      return steps
    }
    let found = try #require(
      walks.first { run.failure(of: $0) != nil }, "\(defect.rawValue) is not found")
    #expect(whole.failure(of: found) == nil)
  }

  /// Walks have no long strings, no lists of unique values and no metadata, and migrate by chance only.
  private static let walkable = StoreDefect.allCases.filter {
    ![.cutsLongStrings, .ignoresUniqueness, .forgetsMetadata, .writesHalf].contains($0)
      && !$0.isOfMigrations && !$0.isOfHistories && !$0.isOfSaves
  }

  @Test("random walks find a store's defect", arguments: walkable)
  func walksFind(_ defect: StoreDefect) throws {
    let run = WalkRun(StoreHarness.broken(defect))
    let failure = (1...120).lazy.compactMap { seed in
      run.failure(of: WalkScript.steps(seed: UInt64(seed), count: 150))
    }.first
    #expect(failure != nil, "\(defect.rawValue) is not found")
  }
}
