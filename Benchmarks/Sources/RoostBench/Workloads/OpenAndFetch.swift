// SPDX-License-Identifier: Apache-2.0

import Roost

/// W11: a program starts, opens its store and fetches one object. Repeated, because once is too short to measure.
struct OpenAndFetch: Workload {
  let id = "W11"
  let title = "open and fetch one object"
  let baselines = [Baseline.raw]
  let expectedMilliseconds = 60.0

  func operations(_ extent: Extent) -> Int { extent.openings }

  func goal(_ store: StoreKind) -> Goal? {
    switch store {
    case .sqlite: Goal(1.5)
    case .postgresql: Goal(1.2)
    case .lmdb: Goal(2)
    case .memory: nil
    }
  }

  func repetitions(_ extent: Extent) -> Int { extent.openings }

  func run(on stage: Stage) throws -> Checksum {
    // An in-memory store does not outlive its program, and copies its rows when it is opened with another model.
    let model =
      stage.engine.kind == .memory
      ? stage.container.persistentStoreCoordinator.managedObjectModel : nil
    try stage.close()
    var sum = Checksum()
    for _ in 0..<stage.extent.openings {
      let container = try stage.measure {
        let container = try stage.open(with: model)
        let context = container.newBackgroundContext()
        let request = FetchRequest<Person>(entityName: "Person").limit(1)
        for person in try context.fetch(request) { sum.add(person) }
        return withExtendedLifetime(context) { container }
      }
      let coordinator = container.persistentStoreCoordinator
      stage.meter.counters = stage.meter.counters + coordinator.counters
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    return sum
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    // Plain structures are not opened.
    guard stage.engine.kind != .memory else { return nil }
    stage.close()
    var sum = Checksum()
    for _ in 0..<stage.extent.openings {
      let (database, found) = try stage.measure {
        let database = try stage.open()
        return (database, try database.readFirst())
      }
      sum.add(found)
      database.close()
    }
    return sum
  }
}
