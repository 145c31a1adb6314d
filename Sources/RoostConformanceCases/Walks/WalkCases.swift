// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostSimulation

/// Random operations, compared with a model of plain values: a few seeds, and what longer runs have found.
enum WalkCases {
  static let all: [ConformanceCase] = walks + crowds

  private static let walks: [ConformanceCase] = (1...20).map { seed in
    ConformanceCase(
      .walks, "seed-\(seed)",
      "a hundred random operations agree with plain values (I1, I2, I3, I4, I5, I6, I7, I8, I10, I11)"
    ) { stage in
      try walk(WalkScript.steps(seed: UInt64(seed), count: 100), stage)
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
