// SPDX-License-Identifier: Apache-2.0

import Roost

/// W6: the name of each person's department, which the fetch prefetches.
struct FollowPrefetched: Workload {
  let id = "W6"
  let title = "× person.department.name, prefetched"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 100.0

  func count(_ extent: Extent) -> Int? { extent.objects }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.6)
    case .postgresql: Goal(1.7)
    case .lmdb: Goal(5)
    case .memory: Goal(4)
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    let request = FetchRequest<Person>(entityName: "Person").prefetching(\.department)
    return try Self.follow(request, on: stage)
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.followPrefetched() }
  }

  static func follow(_ request: FetchRequest<Person>, on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    return try stage.measure {
      var sum = Checksum()
      for person in try context.fetch(request) { sum.add(person.department?.name ?? "") }
      return sum
    }
  }
}

/// W6b: the same without prefetching the departments.
struct FollowFaults: Workload {
  let id = "W6b"
  let title = "the same without prefetching"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 100.0

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.7)
    case .postgresql: Goal(1.3)
    case .lmdb, .memory: nil
    }
  }

  func run(on stage: Stage) throws -> Checksum {
    try FollowPrefetched.follow(FetchRequest<Person>(entityName: "Person"), on: stage)
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    try stage.measure { try stage.database.follow() }
  }
}
