// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// M2: how much W2 adds to a process that holds all objects, from before the first row to its peak.
///
/// A store in memory is filled in the same process, and what it holds counts too: for plain structures the data are
/// the objects.
enum MemoryOfReadAll {
  /// Measures in this process, which should do nothing else.
  ///
  /// - Returns: The bytes; nil where the system does not say.
  static func run(_ task: ChildTask) throws -> Int? {
    let folder = URL(filePath: task.place)
    let data = SampleData(Extent(objects: task.objects))
    let engine = try EngineCatalogue.reopen(task.store, place: folder)
    defer { engine.shutDown() }
    var start = PeakMemory.current
    let fillsItself = task.place.isEmpty
    if task.baseline == nil {
      let stage = try Stage(engine, data)
      if fillsItself { try stage.fill() }
      try stage.reopen()
      PeakMemory.reset()
      if !fillsItself { start = PeakMemory.current }
      return try growth(from: start) { try holdAll(stage) }
    }
    let stage = try RawStage(engine, data)
    if fillsItself { try stage.fill() }
    PeakMemory.reset()
    if !fillsItself { start = PeakMemory.current }
    if fillsItself {
      // The structures are the objects, and they are held already.
      return try growth(from: start) { _ = try stage.database.readAll() }
    }
    return try growth(from: start) { _ = try stage.database.keepAll().checksum }
  }

  private static func growth(from start: Int?, _ body: () throws -> Void) rethrows -> Int? {
    try body()
    guard let start, let peak = PeakMemory.peak else { return nil }
    return peak - start
  }

  private static func holdAll(_ stage: Stage) throws {
    var sum = Checksum()
    let context = stage.newContext()
    let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
    for person in people { sum.add(person) }
    withExtendedLifetime((people, context, sum)) {}
  }
}
