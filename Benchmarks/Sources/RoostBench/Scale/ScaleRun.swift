// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures the cost of an operation with 1,000, 10,000, ... objects.
struct ScaleRun {
  static let workloads = ["W2", "W3", "W4", "W10"]

  let engine: any Engine
  let progress: Progress

  /// Returns the sizes up to a largest one.
  static func sizes(upTo largest: Int) -> [Int] {
    var sizes: [Int] = []
    var size = 1_000
    while size <= largest {
      sizes.append(size)
      size *= 10
    }
    return sizes
  }

  /// Returns the amount of work at a size: enough to be measured, but not hours of it.
  static func extent(_ objects: Int) -> Extent {
    var extent = Extent(objects: objects)
    extent.lookups = min(objects, 10_000)
    extent.queries = objects < 100_000 ? 200 : objects < 1_000_000 ? 50 : 10
    extent.saves = 200
    return extent
  }

  /// Returns whether this machine's memory can hold all objects of a size together with an in-memory store.
  static func fits(_ objects: Int, memory: UInt64 = ProcessInfo.processInfo.physicalMemory) -> Bool
  {
    UInt64(objects) * 1_500 < memory
  }

  /// Measures size after size, until all are done or the run is interrupted.
  ///
  /// - Parameters:
  ///   - largest: The upper limit of the sizes.
  ///   - found: Receives the points of each size; they remain valid even if the next size fails.
  func run(upTo largest: Int, found: ([CurvePoint]) -> Void) throws {
    let sizes = Self.sizes(upTo: largest)
    let clock = ContinuousClock()
    // A size takes ten times as long as the one before, once it takes a while.
    var expected: Double?
    for (turn, objects) in sizes.enumerated() where !Interruption.isRequested {
      guard Self.fits(objects) else {
        progress.note("\(engine.kind.title): \(objects) objects do not fit into the memory")
        break
      }
      let left = expected.map { first in
        sizes[turn...].reduce(0) { $0 + first * Double($1 / objects) }
      }
      progress.note(
        "\(engine.kind.title): \(Figures.grouped(objects)) objects"
          + (left.map { ", about \(Figures.remaining($0)) left" } ?? ""))
      let start = clock.now
      found(try measure(objects, turn: turn))
      expected = (clock.now - start).seconds * 10
    }
  }

  private func measure(_ objects: Int, turn: Int) throws -> [CurvePoint] {
    let data = SampleData(Self.extent(objects))
    let stage = try Stage(engine, data)
    let raw = try RawStage(engine, data)
    try raw.fill()
    try stage.fill()
    let rounds = objects < 1_000_000 ? 3 : 1
    var points: [CurvePoint] = []
    for workload in WorkloadCatalogue.all where Self.workloads.contains(workload.id) {
      var times: [Double] = []
      var baselines: [Double] = []
      // Saving changes the data, so it is measured once, last.
      for round in 0..<(workload.effect == .none ? rounds : 1) where !Interruption.isRequested {
        // The second side finds a warmer machine, so the sides alternate, also from size to size.
        let pair = try Self.measure(
          workload, stage, raw, rawFirst: (turn + round).isMultiple(of: 2))
        times.append(pair.roost)
        baselines.append(pair.raw)
      }
      guard let time = Spread(times)?.median else { continue }
      let share = 1_000 / Double(workload.operations(data.extent))
      var point = CurvePoint(
        store: engine.kind, workload: workload.id, objects: objects, microseconds: time * share,
        baselineMicroseconds: Spread(baselines).map { $0.median * share })
      if workload.id == "W2" { try addMemory(to: &point) }
      points.append(point)
    }
    try stage.close()
    raw.close()
    return points
  }

  /// Measures both sides once.
  ///
  /// - Throws: ``BenchError`` when their results differ.
  private static func measure(
    _ workload: any Workload, _ stage: Stage, _ raw: RawStage, rawFirst: Bool
  ) throws -> (roost: Double, raw: Double) {
    var sums: [Checksum?] = []
    for isRaw in [rawFirst, !rawFirst] {
      if isRaw {
        try raw.reopen()
        raw.startMeter()
        sums.append(try workload.run(.raw, on: raw))
      } else {
        try stage.reopen()
        stage.startMeter()
        sums.append(try workload.run(on: stage))
      }
    }
    guard sums[0] == sums[1] else {
      throw BenchError("\(stage.engine.kind.title) \(workload.id): the two sides differ.")
    }
    return (stage.meter.milliseconds, raw.meter.milliseconds)
  }

  private func addMemory(to point: inout CurvePoint) throws {
    func task(_ work: MemoryWork, _ baseline: Baseline?) -> ChildTask {
      ChildTask(
        work: work, store: engine.kind, baseline: baseline, objects: point.objects,
        place: engine.placeForChild ?? "")
    }
    point.bytes = try task(.hold, nil).runInChild()
    point.baselineBytes = try task(.hold, .keeping).runInChild()
    point.walkedBytes = try task(.walk, nil).runInChild()
  }
}
