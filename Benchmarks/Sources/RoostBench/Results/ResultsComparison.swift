// SPDX-License-Identifier: Apache-2.0

/// Two runs side by side. Ratios are compared, because times of two runs drift with the machine.
struct ResultsComparison {
  let old: BenchResults
  let new: BenchResults

  /// How a figure changed.
  struct Change: Hashable {
    let store: StoreKind
    let workload: String
    let old: Double
    let new: Double
    /// Whether the change is larger than what both runs scatter.
    let isCertain: Bool

    /// The new figure by the old one.
    var factor: Double { new / old }
  }

  /// What is in both runs.
  var changes: [Change] {
    new.stores.flatMap { store in
      new.ratios(store).compactMap { ratio in
        guard let before = old.ratio(store, ratio.workload), let oldValue = before.value,
          let newValue = ratio.value, oldValue > 0, before.baseline?.0 == ratio.baseline?.0
        else { return nil }
        return Change(
          store: store, workload: ratio.workload, old: oldValue, new: newValue,
          isCertain: abs(newValue / oldValue - 1) > Self.noise(before) + Self.noise(ratio))
      }
    }
  }

  /// How much a ratio scatters: what both of its sides do.
  private static func noise(_ ratio: Ratio) -> Double {
    ratio.roost.relativeDeviation + (ratio.baseline?.1.relativeDeviation ?? 0) + 0.02
  }

  var text: String {
    let changes = changes
    guard !changes.isEmpty else { return "The two runs have no figure in common." }
    var rows = [["", "before", "now", "factor", "", ""]]
    for change in changes {
      let verdict =
        !change.isCertain ? "within the noise" : change.factor < 1 ? "faster" : "slower"
      rows.append([
        "\(change.store.title) \(change.workload)", Figures.ratio(change.old),
        Figures.ratio(change.new), Figures.ratio(change.factor), verdict,
        WorkloadTitles.title(change.workload),
      ])
    }
    var lines = ["Ratios, compared with the run of \(old.date):"]
    if old.objects != new.objects {
      lines.append("The runs differ in size: \(old.objects) and \(new.objects) objects.")
    }
    return (lines + TextTable.aligned(rows)).joined(separator: "\n")
  }
}
