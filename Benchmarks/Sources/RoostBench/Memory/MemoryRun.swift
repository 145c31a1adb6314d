// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Measures the memory that a process takes for all objects, from before the first row to its peak.
///
/// An in-memory store is filled in the same process, and its data counts too: for plain structures the data are the
/// objects.
struct MemoryRun {
  let task: ChildTask

  /// Measures in this process, which should do nothing else.
  ///
  /// - Returns: The bytes; nil where the system does not report them.
  func run() throws -> Int? {
    let data = SampleData(Extent(objects: task.objects))
    let engine = try EngineCatalogue.reopen(task.store, place: task.place)
    let fillsItself = task.place.isEmpty
    let before = PeakMemory.current
    if task.baseline == nil {
      let stage = try Stage(engine, data)
      if fillsItself { try stage.fill() }
      try stage.reopen()
      PeakMemory.reset()
      let start = fillsItself ? before : PeakMemory.current
      try task.work == .hold ? holdAll(stage) : walkAll(stage)
      return growth(from: start)
    }
    let stage = try RawStage(engine, data)
    if fillsItself { try stage.fill() }
    PeakMemory.reset()
    let start = fillsItself ? before : PeakMemory.current
    // Plain structures already keep all objects.
    if task.work == .walk {
      _ = try stage.database.walkAll()
    } else if task.baseline == .keeping, !fillsItself {
      _ = try stage.database.keepAll().checksum
    } else {
      _ = try stage.database.readAll()
    }
    return growth(from: start)
  }

  private func growth(from start: Int?) -> Int? {
    guard let start, let peak = PeakMemory.peak else { return nil }
    return peak - start
  }

  private func holdAll(_ stage: Stage) throws {
    var sum = Checksum()
    let context = stage.newContext()
    let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
    for person in people { sum.add(person) }
    withExtendedLifetime((people, context, sum)) {}
  }

  private func walkAll(_ stage: Stage) throws {
    var sum = Checksum()
    let context = stage.newContext()
    let request = FetchRequest<Person>(entityName: "Person")
    request.fetchBatchSize = 1_000
    for person in try context.fetchBatches(request) { sum.add(person) }
    withExtendedLifetime((context, sum)) {}
  }
}
