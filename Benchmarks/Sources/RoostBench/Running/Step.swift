// SPDX-License-Identifier: Apache-2.0

/// One step of a run: one side of a workload on a store, in a round.
struct Step: Hashable {
  var round: Int
  var store: StoreKind
  var work: Work

  enum Work: Hashable {
    /// Restores the data of the run, on both sides.
    case fill
    /// A workload with Roost (nil), or with a baseline.
    case workload(String, Baseline?)
    /// A peak of memory, measured in a separate process.
    case memory(MemoryWork, Baseline?)
  }

  /// The key of steps that take the same time in every round.
  struct Cost: Hashable {
    var store: StoreKind
    var work: Work
  }

  var cost: Cost { Cost(store: store, work: work) }

  var title: String {
    switch work {
    case .fill: "\(store.title), filling"
    case .workload(let id, let baseline):
      "\(store.title) \(id), \(baseline.map { "baseline \($0.rawValue)" } ?? "Roost")"
    case .memory(let work, let baseline):
      "\(store.title) \(work.rawValue), \(baseline.map(\.rawValue) ?? "Roost")"
    }
  }
}

/// The order in which a run measures: round after round, and within a round both sides of a workload one after the
/// other, so that what changes on the machine changes for both.
struct StepPlan {
  let steps: [Step]

  init(stores: [StoreKind], workloads: [any Workload], memory: [MemoryWork], rounds: Int) {
    var steps: [Step] = []
    let fillsItself = workloads.first?.effect == .fills
    let disturbs = workloads.contains { $0.effect == .disturbs }
    for round in 1...rounds {
      for store in stores {
        if round == 1 || disturbs, !fillsItself {
          steps.append(Step(round: round, store: store, work: .fill))
        }
        for workload in workloads {
          var sides: [Baseline?] = workload.baselines(on: store) + [nil]
          // The second side finds a warmer machine, so the sides alternate.
          if round.isMultiple(of: 2) { sides.reverse() }
          for side in sides {
            steps.append(Step(round: round, store: store, work: .workload(workload.id, side)))
          }
        }
        guard !memory.isEmpty, round <= 3 else { continue }
        // A separate process needs the original data.
        if disturbs || fillsItself && workloads.count > 1 {
          steps.append(Step(round: round, store: store, work: .fill))
        }
        for work in memory {
          steps.append(Step(round: round, store: store, work: .memory(work, work.baseline)))
          steps.append(Step(round: round, store: store, work: .memory(work, nil)))
        }
      }
    }
    self.steps = steps
  }
}
