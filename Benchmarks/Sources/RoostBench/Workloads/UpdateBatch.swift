// SPDX-License-Identifier: Apache-2.0

import Roost

/// W13: a batch update that sets one attribute of half of the persons to a constant; an indexed attribute selects
/// them.
struct UpdateBatch: Workload {
  let id = "W13"
  let title = "objects, of which half get a constant by a batch update"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 120.0

  func count(_ extent: Extent) -> Int? { extent.objects }

  func goal(_ store: StoreKind) -> Goal? {
    store == .sqlite || store == .postgresql ? Goal(1.15) : nil
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let request = BatchUpdateRequest(entityName: "Person")
    request.predicate = try FetchPredicate("age >= 45")
    request.propertiesToUpdate = ["score": 0.5]
    try stage.measure { _ = try context.execute(request) }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    guard try stage.measure({ try stage.database.updateBatch() }) else { return nil }
    return try stage.contents()
  }
}
