// SPDX-License-Identifier: Apache-2.0

import Roost

/// W14: a batch delete of a tenth of the departments; their persons lose them.
struct DeleteBatch: Workload {
  let id = "W14"
  let title = "departments with a hundred persons each, removed by a batch delete, with nullify"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 60.0

  func count(_ extent: Extent) -> Int? { extent.removals }

  func operations(_ extent: Extent) -> Int { extent.removals }

  func goal(_ store: StoreKind) -> Goal? {
    store == .sqlite || store == .postgresql ? Goal(1.15) : nil
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let request = FetchRequest<ObjectID>(entityName: "Department").limit(stage.extent.removals)
    let deletion = BatchDeleteRequest(fetchRequest: request)
    try stage.measure { _ = try context.execute(deletion) }
    var sum = try stage.contents()
    let homeless = FetchRequest<Person>(entityName: "Person").filter(
      try FetchPredicate("department == nil"))
    sum.add(try stage.newContext().count(for: homeless))
    return sum
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    let removals = stage.extent.removals
    guard
      let homeless = try stage.measure({ try stage.database.deleteDepartments(removals) })
    else { return nil }
    var sum = try stage.contents()
    sum.add(homeless)
    return sum
  }
}
