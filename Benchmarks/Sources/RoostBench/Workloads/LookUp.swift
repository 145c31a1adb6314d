// SPDX-License-Identifier: Apache-2.0

import Roost

/// W3: persons by ID, one at a time, nothing cached.
struct LookUp: Workload {
  let id = "W3"
  let title = "lookups by ID, one at a time"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 900.0

  func count(_ extent: Extent) -> Int? { extent.lookups }

  func operations(_ extent: Extent) -> Int { extent.lookups }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(0.7)
    case .postgresql: Goal(1.0)
    case .lmdb: Goal(1.3)
    case .memory: Goal(3)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let all = try stage.newContext().fetch(FetchRequest<ObjectID>(entityName: "Person"))
    let ids = stage.data.lookups.map { all[$0] }
    let context = stage.newContext()
    return try stage.measure {
      var sum = Checksum()
      for id in ids {
        guard let person = try context.existingObject(with: id) as? Person else { continue }
        sum.add(person)
      }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    let ids = stage.data.lookups.map { $0 + 1 }
    return try stage.measure { try stage.database.lookUp(ids) }
  }
}

/// W3b: the same persons as faults of one fetch, which fire one after the other in a random order. Firing one also
/// loads the rows of its siblings; the baseline is the loop of W3.
struct FireFaults: Workload {
  let id = "W3b"
  let title = "the same as faults of one fetch, siblings together"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 500.0

  func operations(_ extent: Extent) -> Int { extent.lookups }

  func goal(_ store: StoreKind) -> Goal? { store == .postgresql ? Goal(0.15) : nil }

  func run(on stage: Stage) throws -> Checksum {
    let lookups = stage.data.lookups
    let context = stage.newContext()
    let request = FetchRequest<Person>(entityName: "Person")
    request.includesPropertyValues = false
    return try stage.measure {
      let people = try context.fetch(request)
      var sum = Checksum()
      for index in lookups { sum.add(people[index]) }
      return sum
    }
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try LookUp().run(baseline, on: stage)
  }
}
