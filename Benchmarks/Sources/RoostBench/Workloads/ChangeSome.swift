// SPDX-License-Identifier: Apache-2.0

import Roost

/// W5: a tenth of the persons is fetched, gets new scores and is saved.
struct ChangeSome: Workload {
  let id = "W5"
  let title = "objects fetched, one property of each changed, saved"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 120.0

  func count(_ extent: Extent) -> Int? { extent.changes }

  func operations(_ extent: Extent) -> Int { extent.changes }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.2)
    case .postgresql: Goal(1.3)
    case .lmdb: Goal(1.1)
    case .memory: Goal(5)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let request = FetchRequest<Person>(entityName: "Person").limit(stage.extent.changes)
    try stage.measure {
      for (index, person) in try context.fetch(request).enumerated() {
        person.score = Sample.score(index, generation: 1)
      }
      try context.save()
    }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.change(stage.data) }
    return try stage.contents()
  }
}
