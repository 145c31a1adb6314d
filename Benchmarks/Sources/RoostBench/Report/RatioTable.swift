// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All figures of one store.
struct RatioTable {
  let store: StoreKind
  let ratios: [Ratio]
  let extent: Extent

  var html: String {
    let head = ["", "ratio", "goal", "", "Roost", "±", "baseline", "±", "other baselines"]
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
    let title = Markup.escaped(WorkloadTitles.title(ratio.workload, extent))
    return [
      "<abbr title=\"\(title)\">\(ratio.workload)</abbr>",
      ratio.value.map { "<strong>\(Figures.ratio($0))</strong>" } ?? "–",
      ratio.goal?.text ?? "", verdict ?? "",
      Figures.quantity(ratio.roost.median, ratio.unit),
      Figures.percent(ratio.roost.relativeDeviation),
      ratio.baseline.map { Figures.quantity($0.1.median, ratio.unit) } ?? "–",
      ratio.baseline.map { Figures.percent($0.1.relativeDeviation) } ?? "",
      others.joined(separator: "<br>"),
    ]
  }
}
