// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import Testing

@Suite("Random walks")
struct WalkTests {
  @Test("a seed gives the numbers that SplitMix64 gives everywhere")
  func generator() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }

  @Test("a seed gives the same steps for ever, and text gives them back")
  func steps() {
    let steps = WalkScript.steps(seed: 42, count: 50)
    #expect(steps == WalkScript.steps(seed: 42, count: 50))
    #expect(steps != WalkScript.steps(seed: 43, count: 50))
    #expect(steps == WalkScript.steps(seed: 42, count: 50, migrations: 0))
    let text = steps.map(\.description).joined(separator: "\n")
    #expect(WalkScript.steps(text: text) == steps)
    #expect(WalkStep(line: "fly 1 2 3") == nil)
    #expect(WalkStep(line: "set 1 2") == nil)
  }

  @Test("every kind of step occurs")
  func kinds() {
    let kinds = Set(WalkScript.steps(seed: 1, count: 2000, migrations: 5).map(\.kind))
    #expect(kinds == Set(WalkStep.Kind.allCases))
  }

  @Test("a failure is made small: a lost link needs few steps")
  func shrinking() throws {
    let run = WalkRun(StoreHarness.broken(.forgetsLinks))
    let failure = try #require(
      (1...20).lazy.compactMap { run.failure(of: WalkScript.steps(seed: $0, count: 100)) }.first)
    let small = run.shrunk(failure)
    #expect(small.steps.count <= 5, "\(small)")
    #expect(run.failure(of: small.steps) != nil)
    #expect(WalkRun(StoreHarness.reference).failure(of: small.steps) == nil)
  }

  @Test("walks that once went wrong go right", arguments: WalkCorpus.all)
  func corpus(_ entry: WalkCorpus.Entry) {
    StoresUnderTest.prepared
    for harness in StoresUnderTest.all {
      let failure = WalkRun(harness).failure(of: WalkScript.steps(text: entry.steps))
      #expect(
        failure == nil, "\(harness.storeName), \(entry.reason): \(String(describing: failure))")
    }
  }

  /// Walks for `ROOST_SOAK_SECONDS`, from a seed that is printed.
  @Test("a long run of walks goes right", .enabled(if: soakSeconds > 0))
  func soak() {
    StoresUnderTest.prepared
    let end = Date().addingTimeInterval(Self.soakSeconds)
    var seed = UInt64.random(in: 0..<(1 << 40))
    print("The first seed is \(seed).")
    var walks = 0
    while Date() < end {
      for harness in StoresUnderTest.all {
        let run = WalkRun(harness)
        guard let failure = run.failure(of: WalkScript.steps(seed: seed, count: 150)) else {
          continue
        }
        Issue.record("\(harness.storeName), seed \(seed): \(run.shrunk(failure))")
        return
      }
      seed += 1
      walks += 1
    }
    print("\(walks) walks of 150 steps on \(StoresUnderTest.all.count) stores went right.")
  }

  private static let soakSeconds =
    ProcessInfo.processInfo.environment["ROOST_SOAK_SECONDS"].flatMap(Double.init) ?? 0
}

/// Walks that once found a bug, shrunk as far as possible.
enum WalkCorpus {
  struct Entry: Sendable, CustomTestStringConvertible {
    let reason: String
    let steps: String

    var testDescription: String { reason }
  }

  static let all: [Entry] = [
    Entry(
      reason: "a never-saved node that is its own parent is forgotten",
      steps: """
        insert 0 0 0
        add 0 0 0
        delete 0 0 0
        """),
    Entry(
      reason: "a node that a save does not write keeps its version",
      steps: """
        insert 0 0 0
        insert 3 0 0
        save 0 0 0
        add 1 0 0
        set 0 2 0
        compare 0 0 0
        save 0 0 0
        insert 0 0 0
        set 0 0 1
        """),
    Entry(
      reason: "a rollback brings back a child that was deleted while its list was not read",
      steps: """
        insert 0 0 0
        toOne 0 1 1
        save 0 0 0
        refreshAll 0 0 0
        delete 0 0 0
        rollback 0 0 0
        """),
    Entry(
      reason: "a record that is written again after an undo has the relationships of its deletion",
      steps: """
        insert 0 0 0
        replace 0 0 3
        save 0 0 0
        toOne 0 1 0
        delete 0 0 0
        save 0 0 0
        undo 0 0 0
        """),
    Entry(
      reason: "a node that is its own parent comes back as its own child",
      steps: """
        insert 0 0 0
        toOne 0 1 1
        save 0 0 0
        reopen 0 0 0
        delete 0 0 0
        undo 0 0 0
        """),
    Entry(
      reason: "an undo points at a record that is gone, as before",
      steps: """
        insert 0 0 0
        insert 3 0 0
        insert 0 0 0
        save 0 0 0
        undo 0 0 0
        toOne 1 0 1
        delete 0 0 0
        toOne 0 0 0
        save 0 0 0
        undo 0 0 0
        """),
    Entry(
      reason: "a child sees that a node which its parent has not read lost its partner",
      steps: """
        insert 0 0 0
        insert 0 0 0
        insert 0 0 0
        insert 2 0 0
        insert 0 0 0
        delete 0 0 0
        delete 0 0 0
        insert 0 0 0
        toOne 2 2 2
        insert 0 0 0
        insert 0 0 0
        delete 4 0 0
        insert 3 0 0
        save 0 0 0
        refresh 3 1 0
        toOne 1 2 3
        openChild 0 0 0
        """),
    Entry(
      reason: "a never-saved tag leaves its nodes although its rule is deny",
      steps: """
        insert 0 0 0
        insert 3 0 0
        add 0 1 0
        delete 1 0 0
        """),
  ]
}
