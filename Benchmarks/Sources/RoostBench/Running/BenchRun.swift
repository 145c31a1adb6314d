// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures stores with workloads, round after round.
final class BenchRun {
  private let options: BenchOptions
  private let workloads: [any Workload]
  private let plan: StepPlan
  private let progress: Progress
  private let data: SampleData
  private var sites: [StoreKind: Site] = [:]
  private var estimate: TimeEstimate
  private(set) var results: BenchResults

  /// The two sides of a store.
  private struct Site {
    let roost: Stage
    let raw: RawStage
  }

  /// - Parameter extent: How much is done; nil for what belongs to the number of objects.
  init(
    _ options: BenchOptions, engines: [any Engine], progress: Progress, extent: Extent? = nil
  ) throws {
    let wanted = options.workloads
    let workloads = WorkloadCatalogue.all.filter { wanted?.contains($0.id) ?? true }
    let data = SampleData(extent ?? Extent(objects: options.objects))
    self.options = options
    self.workloads = workloads
    self.progress = progress
    self.data = data
    plan = StepPlan(
      stores: engines.map(\.kind), workloads: workloads,
      memory: MemoryWork.allCases.filter { wanted?.contains($0.rawValue) ?? true },
      rounds: options.rounds)
    estimate = TimeEstimate { step in
      let share = Double(options.objects) / 100_000
      guard case .workload(let id, _) = step.work else { return 0.6 * share }
      let workload = workloads.first { $0.id == id }
      return (workload?.expectedMilliseconds ?? 200) / 1_000 * share
    }
    results = BenchResults(
      objects: options.objects, rounds: options.rounds, durability: options.durability)
    for engine in engines {
      results.engines.append(
        .init(store: engine.kind, version: engine.version, durability: engine.durabilityNote))
      sites[engine.kind] = Site(
        roost: try Stage(engine, data), raw: try RawStage(engine, data))
    }
  }

  /// Takes all steps, or those before the run is interrupted.
  ///
  /// - Throws: What a store throws, and ``BenchError`` when two sides come to different results.
  func run() throws {
    let clock = ContinuousClock()
    for (index, step) in plan.steps.enumerated() {
      if Interruption.isRequested {
        results.isInterrupted = true
        break
      }
      progress.show(
        step, rounds: options.rounds, part: Double(index) / Double(plan.steps.count),
        secondsLeft: estimate.seconds(for: plan.steps[index...]))
      let start = clock.now
      try take(step)
      estimate.finish(step, seconds: (clock.now - start).seconds)
    }
    progress.clear()
    for site in sites.values {
      try site.roost.close()
      site.raw.close()
    }
  }

  private func take(_ step: Step) throws {
    guard let site = sites[step.store] else { return }
    switch step.work {
    case .fill:
      try site.raw.fill()
      try site.roost.fill()
    case .workload(let id, let baseline):
      guard let workload = workloads.first(where: { $0.id == id }) else { return }
      let checksum: Checksum?
      let milliseconds: Double
      if let baseline {
        try site.raw.reopen()
        site.raw.startMeter()
        checksum = try workload.run(baseline, on: site.raw)
        milliseconds = site.raw.meter.milliseconds
      } else {
        try site.roost.reopen()
        site.roost.startMeter()
        checksum = try workload.run(on: site.roost)
        milliseconds = site.roost.meter.milliseconds
      }
      guard let checksum else { return }
      let key = Measurement.Key(store: step.store, workload: id, baseline: baseline)
      try results.agree(checksum, for: key)
      let value = milliseconds / Double(workload.repetitions(data.extent))
      results.add(value, unit: "ms", to: key, checksum: checksum)
    case .memory(let work, let baseline):
      let task = ChildTask(
        work: work, store: step.store, baseline: baseline, objects: options.objects,
        place: site.roost.engine.placeForChild ?? "")
      guard let bytes = try task.runInChild() else { return }
      let key = Measurement.Key(
        store: step.store, workload: work.rawValue, baseline: baseline)
      results.add(Double(bytes) / 1e6, unit: "MB", to: key)
    }
  }
}

extension BenchResults {
  /// Makes sure that a side came to what all others came to, on every store.
  ///
  /// - Throws: ``BenchError`` that names the two that differ.
  func agree(_ checksum: Checksum, for key: Measurement.Key) throws {
    for other in measurements where other.workload == key.workload {
      guard let known = other.checksum, known != checksum else { continue }
      func name(_ store: StoreKind, _ baseline: Baseline?) -> String {
        "\(store.title), \(baseline?.rawValue ?? "Roost")"
      }
      throw BenchError(
        """
        \(key.workload) came to different results, so no time means anything: \
        \(name(key.store, key.baseline)) to \(checksum), \
        \(name(other.store, other.baseline)) to \(known).
        """)
    }
  }
}
