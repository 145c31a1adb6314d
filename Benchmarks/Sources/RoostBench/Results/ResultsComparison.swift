// SPDX-License-Identifier: Apache-2.0

/// A comparison of two runs. It compares ratios, because times of two runs drift with the machine.
struct ResultsComparison {
  let old: BenchResults
  let new: BenchResults

  /// The change of a figure.
  struct Change: Hashable {
    let store: StoreKind
    let workload: String
    let old: Double
    let new: Double
    /// The meaning of the change.
    let verdict: Verdict

    /// The new figure divided by the old one.
    var factor: Double { new / old }
  }

  /// The meaning of a change, judged by the spread of both runs.
  enum Verdict: String {
    case faster, slower
    case noise = "within the noise"
    /// The spread of a single round is unknown.
    case unknown = "one round: no spread"
  }

  /// The changes of the figures that both runs contain.
  var changes: [Change] {
    new.stores.flatMap { store in
      new.ratios(store).compactMap { ratio in
        guard let before = old.ratio(store, ratio.workload), let oldValue = before.value,
          let newValue = ratio.value, oldValue > 0, before.baseline?.0 == ratio.baseline?.0
        else { return nil }
        return Change(
          store: store, workload: ratio.workload, old: oldValue, new: newValue,
          verdict: Self.verdict(before, oldValue, ratio, newValue))
      }
    }
  }

  private static func verdict(
    _ before: Ratio, _ oldValue: Double, _ now: Ratio, _ newValue: Double
  ) -> Verdict {
    guard before.roost.count > 1, now.roost.count > 1 else { return .unknown }
    guard abs(newValue / oldValue - 1) > noise(before) + noise(now) else { return .noise }
    return newValue < oldValue ? .faster : .slower
  }

  /// The differences between the runs that affect their figures, a sentence each.
  var differences: [String] {
    var found: [String] = []
    if old.objects != new.objects {
      found.append(
        "The runs differ in size: \(Figures.grouped(old.objects)) and \(Figures.grouped(new.objects)) objects."
      )
    }
    if old.durability != new.durability {
      found.append("The runs differ in durability: \(old.durability) and \(new.durability).")
    }
    for note in new.engines {
      guard let before = old.engines.first(where: { $0.store == note.store }) else { continue }
      if before.version != note.version {
        found.append("\(note.store.title) differs: \(before.version) and \(note.version).")
      }
      if old.durability == new.durability, before.durability != note.durability {
        found.append(
          "\(note.store.title) differs in durability: \(before.durability); now \(note.durability)."
        )
      }
    }
    if old.machine.isOptimized != new.machine.isOptimized {
      found.append("One of the runs was built without optimization: nothing can be compared.")
    }
    return found
  }

  /// Returns the relative spread of a ratio: the sum of those of both sides.
  private static func noise(_ ratio: Ratio) -> Double {
    ratio.roost.relativeDeviation + (ratio.baseline?.1.relativeDeviation ?? 0) + 0.02
  }

  var text: String {
    let changes = changes
    guard !changes.isEmpty else { return "The two runs have no figure in common." }
    var rows = [["", "before", "now", "factor", "", ""]]
    for change in changes {
      rows.append([
        "\(change.store.title) \(change.workload)", Figures.ratio(change.old),
        Figures.ratio(change.new), Figures.ratio(change.factor),
        change.verdict.rawValue, WorkloadTitles.title(change.workload, new.extent),
      ])
    }
    let lines = ["Ratios, compared with the run of \(old.date):"] + differences
    return (lines + TextTable.aligned(rows)).joined(separator: "\n")
  }
}
