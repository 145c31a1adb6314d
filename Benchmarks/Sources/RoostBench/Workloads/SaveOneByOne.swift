// SPDX-License-Identifier: Apache-2.0

import Roost

/// W10: persons that are saved one by one, each save durable.
struct SaveOneByOne: Workload {
  let id = "W10"
  let title = "saves of one object"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 400.0

  func count(_ extent: Extent) -> Int? { extent.saves }

  func operations(_ extent: Extent) -> Int { extent.saves }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(0.8)
    case .postgresql: Goal(0.9)
    case .lmdb: Goal(0.7)
    case .memory: Goal(1.5)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let departments = try context.fetch(FetchRequest<Department>(entityName: "Department"))
    let samples = (0..<stage.extent.saves).map(stage.data.latecomer)
    try stage.measure {
      for sample in samples {
        Stage.person(sample, in: context).department = departments[sample.department]
        try context.save()
      }
    }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    let samples = (0..<stage.extent.saves).map(stage.data.latecomer)
    let firstID = stage.extent.objects + 1
    try stage.measure { try stage.database.saveOneByOne(samples, firstID: firstID) }
    return try stage.contents()
  }
}
