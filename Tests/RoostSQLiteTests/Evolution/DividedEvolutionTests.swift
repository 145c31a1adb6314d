// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import Testing

@testable import RoostSQLite

/// Tests of evolutions in several transactions, which are ended at each of their commits.
@Suite("Divided evolutions of SQLite stores") struct DividedEvolutionTests {
  /// The outcome of a run that nothing disturbs.
  private struct Whole {
    var contents: [String] = []
    var before: [String] = []
    var schema: String?
    var commits = 0
    var rows: Int64 = 0
  }

  private func whole(
    _ scenario: EvolutionScenario, _ batches: EvolutionBatches
  ) throws -> Whole {
    let file = try EvolvingFile(scenario.before(), batches: batches)
    try scenario.fill(file.evolving)
    var whole = Whole()
    whole.before = try file.evolving.contents()
    let dying = DyingCommits()
    try dying.install(in: file.evolving.store)
    let rows = RowCounter()
    #expect(try file.evolving.evolve(to: scenario.after(), reporter: rows.reporter))
    whole.commits = dying.count
    whole.contents = try file.evolving.contents()
    whole.schema = LargePeople.schema(of: file)
    whole.rows = rows.count
    withExtendedLifetime(dying) {}
    return whole
  }

  @Test(
    "a store that is divided ends as in one transaction, and nothing of it is left (M9-M14, M57)",
    arguments: EvolutionScenario.all)
  func ends(_ scenario: EvolutionScenario) throws {
    let whole = try whole(scenario, LargePeople.batches)
    #expect(whole.contents == scenario.contents)
    #expect(whole.schema?.contains("_roost_evolution") == false)
  }

  @Test(
    "ended at each commit, and in the recovery again, a store is of one version (M50)",
    arguments: EvolutionScenario.all + [LargePeople.scenario])
  func ended(_ scenario: EvolutionScenario) throws {
    let whole = try whole(scenario, LargePeople.batches)
    if scenario.name == LargePeople.scenario.name { #expect(whole.commits > 15) }
    for commit in 0..<whole.commits {
      let file = try EvolvingFile(scenario.before(), batches: LargePeople.batches)
      try scenario.fill(file.evolving)
      let rows = RowCounter()
      try end(file.evolving, scenario, after: commit, rows)
      var store = try reopen(file, scenario, whole)
      if let old = store.old {
        try end(old, scenario, after: (commit * 7 + 3) % whole.commits, rows)
        store = try reopen(file, scenario, whole)
      }
      if let old = store.old {
        #expect(try old.evolve(to: scenario.after(), reporter: rows.reporter))
        #expect(try old.contents() == whole.contents, "\(commit)")
        store.new = old
      }
      // What was written is not written again.
      let isRepeated = scenario.name == LargePeople.scenario.name && rows.count > whole.rows
      #expect(!isRepeated, "\(commit): \(rows.count) of \(whole.rows)")
      let new = try #require(store.new)
      while try new.store.evolution?.finishDeferredStep(isEvolving: false) == true {}
      #expect(LargePeople.schema(of: file) == whole.schema, "\(commit)")
      #expect(RawDatabase(file.url).text("PRAGMA integrity_check") == "ok")
    }
  }

  /// Evolves a store, which is ended after some commits.
  private func end(
    _ store: EvolvingStore, _ scenario: EvolutionScenario, after count: Int, _ rows: RowCounter
  ) throws {
    let dying = DyingCommits(after: count)
    try dying.install(in: store.store)
    do {
      try store.evolve(to: scenario.after(), reporter: rows.reporter)
    } catch {
      #expect(dying.isDead, "\(error)")
    }
    store.store.close()
    withExtendedLifetime(dying) {}
  }

  /// Opens what is left with its version, and compares the contents.
  private func reopen(
    _ file: EvolvingFile, _ scenario: EvolutionScenario, _ whole: Whole
  ) throws -> (old: EvolvingStore?, new: EvolvingStore?) {
    let description = file.evolving.description
    let before = try scenario.before()
    let found = try #require(try description.type.driver.metadata(of: description))
    // Hashes do not tell all versions apart.
    let isOld = found.epoch ?? 0 == 0
    let store = try file.second(isOld ? before : scenario.after())
    #expect(try store.contents() == (isOld ? whole.before : whole.contents))
    return isOld ? (store, nil) : (nil, store)
  }
}

/// Counts the rows that an evolution reports, over several attempts.
final class RowCounter: Sendable {
  private let state = Mutex((step: 0, completed: Int64(0), sum: Int64(0)))
  private let stepCount: Int
  private let body: @Sendable (MigrationProgress) throws -> Void

  /// Makes a counter.
  ///
  /// - Parameters:
  ///   - stepCount: The number of steps, if it is known.
  ///   - body: Called with each report.
  init(
    stepCount: Int = 0, _ body: @escaping @Sendable (MigrationProgress) throws -> Void = { _ in }
  ) {
    self.stepCount = stepCount
    self.body = body
  }

  var count: Int64 { state.withLock(\.sum) }

  /// A reporter for one attempt.
  var reporter: MigrationReporter {
    state.withLock { ($0.step, $0.completed) = (0, 0) }
    return MigrationReporter(stepCount: stepCount) { progress in
      self.state.withLock { state in
        if progress.step != state.step { (state.step, state.completed) = (progress.step, 0) }
        state.sum += progress.completed - state.completed
        state.completed = progress.completed
      }
      try self.body(progress)
    }
  }
}
