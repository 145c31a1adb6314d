// SPDX-License-Identifier: Apache-2.0

/// Random operations, compared with a model of plain values: a few seeds, and what longer runs have found.
enum WalkCases {
  static let all: [ConformanceCase] = (1...20).map { seed in
    ConformanceCase(
      .walks, "seed-\(seed)",
      "a hundred random operations agree with plain values (I1, I2, I3, I4, I5, I6, I7, I8, I10, I11)"
    ) { stage in
      try walk(WalkScript.steps(seed: UInt64(seed), count: 100), stage)
    }
  }

  private static func walk(_ steps: [WalkStep], _ stage: ConformanceStage) throws {
    let run = WalkRun(stage.harness, mode: stage.mode)
    if let failure = run.failure(of: steps) { throw run.shrunk(failure, attempts: 300) }
  }
}
