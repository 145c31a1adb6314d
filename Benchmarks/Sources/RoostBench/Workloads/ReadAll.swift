// SPDX-License-Identifier: Apache-2.0

import Roost

/// W2: all persons as objects, every property read.
struct ReadAll: Workload {
  let id = "W2"
  let title = "fetch all as objects, read every property"
  let baselines = [Baseline.raw, .keeping]
  let expectedMilliseconds = 100.0

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.4)
    case .postgresql: Goal(1.4)
    case .lmdb: Goal(4.5)
    case .memory: Goal(1.0, to: .keeping)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    return try stage.measure {
      var sum = Checksum()
      let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
      for person in people { sum.add(person) }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure {
      baseline == .keeping
        ? try stage.database.keepAll().checksum : try stage.database.readAll()
    }
  }
}
