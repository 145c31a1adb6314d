// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All figures of one store.
struct RatioTable {
  let store: StoreKind
  let ratios: [Ratio]

  var html: String {
    let head = ["", "Roost", "±", "baseline", "±", "ratio", "goal", "", "other baselines"]
    return "<h3>\(store.title)</h3>" + Markup.table("figures", head: head, rows: ratios.map(row))
  }

  private func row(_ ratio: Ratio) -> [String] {
    let verdict = ratio.holds.map {
      $0 ? "<span class=\"good\">holds</span>" : "<span class=\"bad\">missed</span>"
    }
    let others = ratio.others.map { baseline, spread in
      "\(baseline.rawValue) \(Figures.quantity(spread.median, ratio.unit)), "
        + "ratio \(Figures.ratio(ratio.roost.median / spread.median))"
    }
    let title = Markup.escaped(WorkloadTitles.title(ratio.workload))
    return [
      "<abbr title=\"\(title)\">\(ratio.workload)</abbr>",
      Figures.quantity(ratio.roost.median, ratio.unit),
      Figures.percent(ratio.roost.relativeDeviation),
      ratio.baseline.map { Figures.quantity($0.1.median, ratio.unit) } ?? "–",
      ratio.baseline.map { Figures.percent($0.1.relativeDeviation) } ?? "",
      ratio.value.map { "<strong>\(Figures.ratio($0))</strong>" } ?? "–",
      ratio.goal.map(goal) ?? "", verdict ?? "", others.joined(separator: "<br>"),
    ]
  }

  private func goal(_ goal: Goal) -> String {
    Figures.goal(goal.ratio) + (goal.baseline == .raw ? "" : " of \(goal.baseline.rawValue)")
  }
}
