// SPDX-License-Identifier: Apache-2.0

import Roost

/// W9: the average score of each department's people, computed where the data is.
struct AverageScores: Workload {
  let id = "W9"
  let title = "average score grouped by department"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 100.0

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(0.5)
    case .postgresql: Goal(1.0)
    case .lmdb: Goal(1.5)
    case .memory: Goal(1.0)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let average = ExpressionDescription(
      name: "average", expression: FetchExpression.function(.average, [.keyPath(["score"])]),
      resultType: .double)
    let request = FetchRequest<[String: Any]>(entityName: "Person")
    request.propertiesToFetch = ["department", average]
    request.propertiesToGroupBy = ["department"]
    let context = stage.newContext()
    return try stage.measure {
      var sum = Checksum()
      for group in try context.fetch(request) {
        if let average = group["average"] as? Double { sum.add(average: average) }
      }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.average() }
  }
}
