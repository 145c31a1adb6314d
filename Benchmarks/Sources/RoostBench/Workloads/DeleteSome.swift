// SPDX-License-Identifier: Apache-2.0

import Roost

/// W8: a tenth of the persons is deleted; their departments lose them.
struct DeleteSome: Workload {
  let id = "W8"
  let title = "objects fetched and deleted, with nullify"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 130.0

  func count(_ extent: Extent) -> Int? { extent.changes }

  func operations(_ extent: Extent) -> Int { extent.changes }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.0)
    case .postgresql: Goal(1.2)
    case .lmdb: Goal(1.0)
    case .memory: Goal(1.5)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let request = FetchRequest<Person>(entityName: "Person").limit(stage.extent.changes)
    try stage.measure {
      for person in try context.fetch(request) { context.delete(person) }
      try context.save()
    }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.delete(stage.data) }
    return try stage.contents()
  }
}
