// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs workloads on stores, round after round.
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
    /// The raw side with tuned settings, where the engine has any.
    let tuned: RawStage?

    init(_ engine: any Engine, _ data: SampleData) throws {
      roost = try Stage(engine, data)
      raw = try RawStage(engine, data)
      tuned = engine.kind.hasSettings ? try RawStage(engine, data, .tuned) : nil
      try raw.database.clear()
      try tuned?.database.clear()
    }
  }

  /// - Parameter extent: The amount of work; nil for the default for the number of objects.
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
      sites[engine.kind] = try Site(engine, data)
    }
  }

  /// Runs all steps, until the run is interrupted. After an error, or when two sides get different results, the
  /// remaining steps of that store are skipped, and the results say why.
  func run() {
    let clock = ContinuousClock()
    for (index, step) in plan.steps.enumerated() where sites[step.store] != nil {
      if Interruption.isRequested {
        results.isInterrupted = true
        break
      }
      progress.show(
        step, rounds: options.rounds, part: Double(index) / Double(plan.steps.count),
        secondsLeft: estimate.seconds(for: plan.steps[index...]))
      let start = clock.now
      do {
        try take(step)
      } catch {
        results.fail("\(step.title), round \(step.round)", error)
        leaveOut(step.store)
      }
      estimate.finish(step, seconds: (clock.now - start).seconds)
    }
    progress.clear()
    for store in StoreKind.allCases { leaveOut(store) }
  }

  /// Closes both sides of a store and skips its remaining steps.
  private func leaveOut(_ store: StoreKind) {
    guard let site = sites.removeValue(forKey: store) else { return }
    do {
      try site.roost.close()
    } catch {
      results.fail("\(store.title), closing", error)
    }
    site.raw.close()
    site.tuned?.close()
  }

  private func take(_ step: Step) throws {
    guard let site = sites[step.store] else { return }
    switch step.work {
    case .fill:
      try site.raw.fill()
      try site.tuned?.fill()
      try site.roost.fill()
    case .workload(let id, let baseline):
      guard let workload = workloads.first(where: { $0.id == id }) else { return }
      let checksum: Checksum?
      let milliseconds: Double
      if let baseline {
        let side = baseline == .tuned ? site.tuned ?? site.raw : site.raw
        try side.reopen()
        side.startMeter()
        checksum = try workload.run(baseline, on: side)
        milliseconds = side.meter.milliseconds
      } else {
        try site.roost.reopen()
        site.roost.startMeter()
        checksum = try workload.run(on: site.roost)
        milliseconds = site.roost.meter.milliseconds
      }
      guard let checksum else { return }
      let key = Measurement.Key(store: step.store, workload: id, baseline: baseline)
      try results.agree(checksum, for: key)
      let figure = workload.figure(milliseconds, data.extent)
      results.add(figure.value, unit: figure.unit, to: key, checksum: checksum)
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
  /// Checks that the checksum equals those of all other sides and stores.
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
