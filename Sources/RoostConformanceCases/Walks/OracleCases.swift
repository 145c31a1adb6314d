// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostSimulation

/// Random questions, compared with plain loops over arrays.
enum OracleCases {
  static let all: [ConformanceCase] = (1...4).map { seed in
    ConformanceCase(
      .walks, "questions-\(seed)",
      "random questions have the answers that plain loops give (B120, B121, B124, B125, B134, B142)"
    ) { stage in
      try OracleRun(stage.harness, mode: stage.mode).ask(stage, seed: UInt64(seed), questions: 15)
    }
  }
}
