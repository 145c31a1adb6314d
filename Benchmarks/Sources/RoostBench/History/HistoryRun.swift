// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The cases of `--history`: writes with a history and without, in turns, and the uses of a history.
struct HistoryRun {
  let engine: any Engine
  let data: SampleData

  /// - Parameter rounds: The number of measurements of each case.
  func run(rounds: Int, progress: Progress) throws -> [ComparedResult<HistoryWork>] {
    var found = ComparedResults<HistoryWork>(engine.kind)
    for round in 0..<rounds where !Interruption.isRequested {
      for kept in KeptHistory.allCases {
        progress.note(
          "\(engine.kind.title): history \(kept.rawValue), round \(round + 1) of \(rounds)")
        try write(kept, &found)
      }
      progress.note("\(engine.kind.title): following, round \(round + 1) of \(rounds)")
      try follow(&found)
    }
    return found.all
  }

  // MARK: - Writing

  /// Measures writes, with a history or without.
  private func write(_ kept: KeptHistory, _ found: inout ComparedResults<HistoryWork>) throws {
    let stage = try Stage(engine, data, history: kept)
    try stage.clear()
    func note(_ value: Double, _ work: HistoryWork) {
      switch kept {
      case .none:
        found.add(value, besides: work)
        if let work = work.withValues { found.add(value, besides: work) }
      case .changes: found.add(value, to: work)
      case .values: if let work = work.withValues { found.add(value, to: work) }
      }
    }
    note(try time(stage) { try insertAll(stage) }, .insert)
    if let bytes = engine.storedBytes() { note(Double(bytes) / 1e6, .size) }
    try stage.reopen()
    note(try time(stage) { try saveOneByOne(stage) }, .save)
    try stage.reopen()
    note(try time(stage) { try updateAll(stage) }, .update)
    if kept != .values {
      try stage.reopen()
      note(try saveSideBySide(stage), .savers)
    }
    try stage.close()
  }

  private func time(_ stage: Stage, _ body: () throws -> Void) throws -> Double {
    stage.startMeter()
    try body()
    return stage.meter.milliseconds
  }

  private func insertAll(_ stage: Stage) throws {
    let context = stage.newContext()
    let persons = data.persons
    try stage.measure {
      let departments = data.departmentNames.map { Stage.department($0, in: context) }
      for sample in persons {
        Stage.person(sample, in: context).department = departments[sample.department]
      }
      try context.save()
    }
  }

  private func saveOneByOne(_ stage: Stage) throws {
    let context = stage.newContext()
    let samples = (0..<data.extent.saves).map(data.latecomer)
    try stage.measure {
      for sample in samples {
        _ = Stage.person(sample, in: context)
        try context.save()
      }
    }
  }

  private func updateAll(_ stage: Stage) throws {
    let context = stage.newContext()
    let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
    try stage.measure {
      for person in people { person.score += 1 }
      try context.save()
    }
  }

  /// Returns the milliseconds of the saves of one round by eight contexts.
  private func saveSideBySide(_ stage: Stage) throws -> Double {
    let container = stage.container
    let extent = data.extent
    let threads = SideBySide<Int>()
    let clock = ContinuousClock()
    let start = clock.now
    for thread in 0..<Self.savers {
      threads.run {
        let context = container.newBackgroundContext()
        let count = extent.saves / Self.savers
        for index in 0..<count {
          let number = extent.objects + extent.saves + index * Self.savers + thread
          _ = Stage.person(Sample(number, departments: extent.departments), in: context)
          try context.save()
        }
        return withExtendedLifetime(context) { count }
      }
    }
    _ = try threads.waitForAll()
    return (clock.now - start).milliseconds
  }

  private static let savers = 8
}
