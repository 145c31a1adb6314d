// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The cases of `--savers`: one context that saves objects one by one as fast as it can, then several; compared with
/// the same number of threads that call the engine directly. The sides alternate, and each figure is the median of
/// the rounds.
struct SaversRun {
  /// The largest number of persons in the store before the saves.
  static let objects = 10_000

  let engine: any Engine
  let data: SampleData
  /// The minimum duration of a flush in milliseconds.
  var flush: Int?
  var duration = Duration.seconds(2)

  /// The work of one thread.
  private struct Work: Sendable {
    /// The duration of each save in milliseconds; empty when only the number of saves is known.
    var saves: [Double] = []
    var count = 0
  }

  /// The work of all threads in one round.
  private struct Round {
    var work: [Work]
    var seconds: Double
    var flushes: Int

    var count: Int { work.reduce(0) { $0 + $1.count } }
    var savesPerSecond: Double { Double(count) / seconds }
  }

  /// - Parameters:
  ///   - savers: The largest number of contexts that save.
  ///   - rounds: The number of measurements of each case.
  func run(savers: Int, rounds: Int, progress: Progress) throws -> [SaversResult] {
    if flush != nil, !Flushes.isAvailable {
      throw BenchError("Flushes can be drawn out with glibc only.")
    }
    let stage = try Stage(engine, data)
    try stage.fill()
    let raw = try engine.openRaw(.raw)
    try raw.fill(data)
    raw.close()
    let results = try (savers == 1 ? [1] : [1, savers]).compactMap { count -> SaversResult? in
      var (ours, others): ([Round], [Round]) = ([], [])
      for round in 0..<rounds where !Interruption.isRequested {
        progress.note("\(engine.kind.title): \(count) saving, round \(round + 1) of \(rounds)")
        try ours.append(saveInContexts(count, stage))
        if let round = try saveDirectly(count, round) { others.append(round) }
      }
      return result(count, ours, others)
    }
    try stage.close()
    return results
  }

  private func result(_ count: Int, _ ours: [Round], _ others: [Round]) -> SaversResult? {
    guard !ours.isEmpty else { return nil }
    let saves = ours.flatMap(\.work).map(\.count)
    let hasFiles = Flushes.isAvailable && (engine.kind == .sqlite || engine.kind == .lmdb)
    let flushes = Double(ours.reduce(0) { $0 + $1.flushes }) / Double(saves.reduce(0, +))
    let parts = ours.map { round in
      Double(round.work.map(\.count).min() ?? 0) / Double(round.work.map(\.count).max() ?? 1)
    }
    return SaversResult(
      store: engine.kind, savers: count, flush: flush,
      savesPerSecond: Self.median(ours.map(\.savesPerSecond)),
      flushesPerSave: hasFiles ? flushes : nil,
      saveMilliseconds: Percentiles(ours.flatMap(\.work).flatMap(\.saves)),
      fairness: Self.median(parts),
      rawSavesPerSecond: others.isEmpty ? nil : Self.median(others.map(\.savesPerSecond)))
  }

  private static func median(_ values: [Double]) -> Double {
    Spread.quantile(0.5, of: values.sorted())
  }

  /// Runs a body on several threads at once, and measures until the last thread is done.
  private func measure(
    _ count: Int, _ body: @escaping @Sendable (Int, ContinuousClock.Instant) throws -> Work
  ) throws -> Round {
    let clock = ContinuousClock()
    return try Flushes.taking(flush) {
      let (start, flushes) = (clock.now, Flushes.count)
      let end = start + duration
      let threads = SideBySide<Work>()
      for thread in 0..<count { threads.run { try body(thread, end) } }
      let work = try threads.waitForAll()
      return Round(
        work: work, seconds: (clock.now - start).seconds, flushes: Flushes.count - flushes)
    }
  }

  // MARK: Both sides

  private func saveInContexts(_ count: Int, _ stage: Stage) throws -> Round {
    try stage.reopen()
    let before = try Self.count(stage)
    let container = stage.container
    let extent = data.extent
    let round = try measure(count) { thread, end in
      let context = container.newBackgroundContext()
      let departments = try context.fetch(FetchRequest<Department>(entityName: "Department"))
      let clock = ContinuousClock()
      var work = Work()
      var start = clock.now
      repeat {
        let sample = Sample(
          extent.objects + work.count * count + thread, departments: departments.count)
        Stage.person(sample, in: context).department = departments[sample.department]
        try context.save()
        let now = clock.now
        work.saves.append((now - start).milliseconds)
        work.count += 1
        start = now
      } while start < end
      return withExtendedLifetime(context) { work }
    }
    guard try Self.count(stage) == before + round.count else {
      throw BenchError("A save that returned is not in the store, so no time means anything.")
    }
    return round
  }

  private static func count(_ stage: Stage) throws -> Int {
    try stage.newContext().count(for: FetchRequest<Person>(entityName: "Person"))
  }

  /// - Parameter number: The number of the round; each round inserts other persons.
  private func saveDirectly(_ count: Int, _ number: Int) throws -> Round? {
    guard let handles = try engine.openRaw(threads: count) else { return nil }
    defer { for handle in handles { handle.close() } }
    for handle in handles { try handle.readKey() }
    // Safe: each database is used by one thread, and this thread waits for all of them.
    nonisolated(unsafe) let databases = handles
    let extent = data.extent
    return try measure(count) { thread, end in
      var work = Work()
      // The IDs differ by case (one or several threads), round and thread.
      let first = ((min(count, 2) * 1_000 + number) * 256 + thread) * 1_000_000
      repeat {
        let samples = (0..<Self.batch).map {
          Sample(
            extent.objects + (work.count + $0) * count + thread, departments: extent.departments)
        }
        try databases[thread].saveOneByOne(samples, firstID: first + work.count)
        work.count += Self.batch
      } while ContinuousClock.now < end
      return work
    }
  }

  /// The number of saves after which the direct side checks the clock.
  private static var batch: Int { 10 }
}
