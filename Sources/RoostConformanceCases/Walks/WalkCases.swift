// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostSimulation

/// Random operations, compared with a model of plain values: a few seeds, and what longer runs have found.
enum WalkCases {
  static let all: [ConformanceCase] = walks + across + migrating + dying + crowds

  private static let walks: [ConformanceCase] = (1...20).map { seed in
    ConformanceCase(
      .walks, "seed-\(seed)",
      "a hundred random operations agree with plain values (I1, I2, I3, I4, I5, I6, I7, I8, I10, I11)"
    ) { stage in
      try walk(WalkScript.steps(seed: UInt64(seed), count: 100), stage)
    }
  }

  /// The same with records in two stores, and relationships between them.
  private static let across: [ConformanceCase] = (1...8).map { seed in
    ConformanceCase(
      .walks, "across-\(seed)",
      "random operations on relationships across stores agree with plain values (X41, X42, X44, X46)"
    ) { stage in
      let run = WalkRun(
        stage.harness, mode: stage.mode, layout: seed % 2 == 0 ? .mixed : .apart)
      let steps = WalkScript.steps(seed: UInt64(seed) + 400, count: 100)
      if let failure = run.failure(of: steps) { throw run.shrunk(failure, attempts: 300) }
    }
  }

  /// The same with other versions of the model, and with many saves that fail half-way in two stores.
  private static let migrating: [ConformanceCase] = (1...4).map { seed in
    ConformanceCase(
      .walks, "across-migrating-\(seed)",
      "relationships across stores outlive migrations and processes that are killed (X4, X6, X41, X44, M12)"
    ) { stage in
      let run = WalkRun(stage.harness, mode: stage.mode, isAcrossStores: true)
      var steps = WalkScript.steps(seed: UInt64(seed) + 500, count: 100, migrations: 5)
      // Each way to fail comes after some other steps.
      for index in 1...8 {
        steps.insert(WalkStep(.failedSave, 0, 0, index), at: index * 12 - index % 3)
      }
      if let failure = run.failure(of: steps) { throw run.shrunk(failure, attempts: 300) }
    }
  }

  /// The same with a process that dies at one call after another of its saves: in even walks both stores have all
  /// entities, in odd ones each has a configuration.
  private static let dying: [ConformanceCase] = (1...6).map { seed in
    ConformanceCase(
      .walks, "across-dying-\(seed)",
      "a process that dies while it saves leaves the save in both stores or in neither (X3, X6, X30, X41)"
    ) { stage in
      let run = WalkRun(
        stage.harness, mode: stage.mode, layout: seed % 2 == 0 ? .mixed : .apart)
      var steps = WalkScript.steps(seed: UInt64(seed) + 600, count: 100)
      for index in 1...14 {
        steps.insert(WalkStep(.failedSave, 0, index + seed, 4), at: index * 8 - index % 3)
      }
      if let failure = run.failure(of: steps) { throw run.shrunk(failure, attempts: 300) }
    }
  }

  /// Eight writers at once.
  private static let crowds: [ConformanceCase] = (1...3).map { seed in
    ConformanceCase(
      .walks, "crowd-\(seed)",
      "what eight contexts save at once is stored, cached and told as each was told (B169, B175, B190, B218)",
      needs: [.uniqueness]
    ) { stage in
      try CrowdRun.run(stage, seed: UInt64(seed), steps: 25)
    }
  }

  private static func walk(_ steps: [WalkStep], _ stage: ConformanceStage) throws {
    let run = WalkRun(stage.harness, mode: stage.mode)
    if let failure = run.failure(of: steps) { throw run.shrunk(failure, attempts: 300) }
  }
}
