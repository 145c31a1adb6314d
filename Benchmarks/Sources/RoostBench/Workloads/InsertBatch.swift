// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// W15: a batch insert of a tenth more persons, as dictionaries that a handler fills.
struct InsertBatch: Workload {
  let id = "W15"
  let title = "objects inserted by a batch insert"
  let effect = WorkloadEffect.disturbs
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 120.0

  func count(_ extent: Extent) -> Int? { extent.changes }

  func operations(_ extent: Extent) -> Int { extent.changes }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let people = latecomers(stage.data)
    var next = 0
    let request = BatchInsertRequest(entityName: "Person") { (values: inout [String: Any]) in
      guard next < people.count else { return true }
      let person = people[next]
      next += 1
      values["name"] = person.name
      values["email"] = person.email
      values["age"] = person.age
      values["score"] = person.score
      values["created"] = Date(timeIntervalSinceReferenceDate: person.created)
      values["active"] = person.active
      values["uuid"] = person.uuid
      values["bio"] = person.bio
      return false
    }
    try stage.measure { _ = try context.execute(request) }
    return try stage.contents()
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    let people = latecomers(stage.data)
    let firstID = stage.extent.objects + stage.extent.saves + 1
    try stage.measure {
      try stage.database.insert(people, firstID: firstID, departments: [])
    }
    return try stage.contents()
  }

  /// Skips the persons that W10 adds, if it ran earlier in the same round.
  private func latecomers(_ data: SampleData) -> [Sample] {
    (0..<data.extent.changes).map { data.latecomer(data.extent.saves + $0) }
  }
}
