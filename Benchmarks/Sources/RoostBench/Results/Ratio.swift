// SPDX-License-Identifier: Apache-2.0

/// A figure of the table: Roost's median divided by the baseline's, and whether the goal is met.
struct Ratio: Hashable {
  let store: StoreKind
  let workload: String
  let roost: Spread
  /// The baseline of the ratio, nil when the engine has none.
  let baseline: (Baseline, Spread)?
  /// The other baselines.
  let others: [(Baseline, Spread)]
  let goal: Goal?
  let unit: String

  /// The ratio; nil without a baseline.
  var value: Double? {
    guard let baseline, baseline.1.median > 0 else { return nil }
    return roost.median / baseline.1.median
  }

  /// Whether the goal is met; nil without a goal or without a baseline to compare with.
  var holds: Bool? {
    guard let goal else { return nil }
    var parts: [Bool] = []
    if let most = goal.ratio {
      guard let value, baseline?.0 == goal.baseline else { return nil }
      parts.append(value <= most)
    }
    if let most = goal.nanoseconds {
      guard unit == "ns" else { return nil }
      parts.append(roost.median <= most)
    }
    return parts.isEmpty ? nil : parts.allSatisfy(\.self)
  }

  static func == (left: Ratio, right: Ratio) -> Bool {
    left.store == right.store && left.workload == right.workload && left.roost == right.roost
      && left.value == right.value
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(store)
    hasher.combine(workload)
  }
}

extension BenchResults {
  /// Returns the figures of a store, one per workload.
  func ratios(_ store: StoreKind) -> [Ratio] {
    workloads.compactMap { ratio(store, $0) }
  }

  func ratio(_ store: StoreKind, _ workload: String) -> Ratio? {
    guard let measurement = measurement(store, workload), let roost = measurement.spread else {
      return nil
    }
    let goal = Goal.of(workload, store)
    let wanted = goal?.baseline ?? .raw
    var baselines: [(Baseline, Spread)] = []
    for baseline in Baseline.allCases {
      if let spread = self.measurement(store, workload, baseline)?.spread {
        baselines.append((baseline, spread))
      }
    }
    let main = baselines.first { $0.0 == wanted } ?? baselines.first
    return Ratio(
      store: store, workload: workload, roost: roost, baseline: main,
      others: baselines.filter { $0.0 != main?.0 }, goal: goal, unit: measurement.unit)
  }
}

extension Goal {
  /// The goal of a workload by its name, M2's included.
  static func of(_ workload: String, _ store: StoreKind) -> Goal? {
    if let work = MemoryWork(rawValue: workload) { return work.goal(store) }
    return WorkloadCatalogue.all.first { $0.id == workload }?.goal(store)
  }
}
