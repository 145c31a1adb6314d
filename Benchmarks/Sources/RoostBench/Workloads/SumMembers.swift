// SPDX-License-Identifier: Apache-2.0

import Roost

/// W7: count and sum over the people of each department, through the relationship.
struct SumMembers: Workload {
  let id = "W7"
  let title = "departments: count and sum over their people"
  let baselines = [Baseline.raw, .atOnce]
  let expectedMilliseconds = 200.0

  func count(_ extent: Extent) -> Int? { extent.departments }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(0.6)
    case .postgresql: Goal(0.9)
    case .lmdb: Goal(1.5)
    case .memory: Goal(15)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    return try stage.measure {
      var sum = Checksum()
      let departments = try context.fetch(FetchRequest<Department>(entityName: "Department"))
      for department in departments {
        let people = department.people
        var ages = 0
        for person in people { ages += Int(person.age) }
        sum.add(people.count)
        sum.add(ages)
      }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure {
      baseline == .atOnce
        ? try stage.database.sumAtOnce() : try stage.database.sumByDepartment()
    }
  }
}
