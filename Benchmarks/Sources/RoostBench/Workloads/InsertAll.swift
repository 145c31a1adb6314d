// SPDX-License-Identifier: Apache-2.0

import Roost

/// W1: all persons and departments in one save.
struct InsertAll: Workload {
  let id = "W1"
  let title = "insert all in one save"
  let effect = WorkloadEffect.fills
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 450.0

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.1)
    case .postgresql: Goal(1.0)
    case .lmdb: Goal(1.0)
    case .memory: Goal(1.3)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    try stage.clear()
    let persons = stage.data.persons
    let names = stage.data.departmentNames
    let context = stage.newContext()
    try stage.measure {
      let departments = names.map { Stage.department($0, in: context) }
      for sample in persons {
        Stage.person(sample, in: context).department = departments[sample.department]
      }
      try context.save()
    }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.database.clear()
    let persons = stage.data.persons
    let names = stage.data.departmentNames
    try stage.measure { try stage.database.insert(persons, firstID: 1, departments: names) }
    return try stage.contents()
  }
}
