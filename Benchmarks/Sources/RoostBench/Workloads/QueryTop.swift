// SPDX-License-Identifier: Apache-2.0

import Roost

/// W4: active persons of ten ages, the 100 with the highest scores first.
struct QueryTop: Workload {
  let id = "W4"
  let title = "queries: age between, active, by score, limit 100"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 4_000.0

  func count(_ extent: Extent) -> Int? { extent.queries }

  func operations(_ extent: Extent) -> Int { extent.queries }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(0.5)
    case .postgresql: Goal(1.0)
    case .lmdb: Goal(0.4)
    case .memory: Goal(1.0)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let data = stage.data
    return try stage.measure {
      var sum = Checksum()
      for index in 0..<data.extent.queries {
        let (low, high) = data.ages(ofQuery: index)
        let request = FetchRequest<Person>(entityName: "Person")
          .where { $0.age >= Int32(low) && $0.age <= Int32(high) && $0.active == true }
          .sorted(by: \.score, ascending: false).limit(100)
        for (place, person) in try context.fetch(request).enumerated() {
          sum.add(person)
          sum.add(person.score, place: place)
        }
      }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.query(stage.data) }
  }
}
