// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The ratios of one store as bars that begin at 1: workloads that are faster than the engine alone extend to the
/// left, slower ones to the right. It is narrow enough for a phone; a wide page puts several side by side.
struct RatioChart {
  let ratios: [Ratio]
  let extent: Extent

  private static let width = 360.0
  private static let rowHeight = 26.0
  private static let labelWidth = 42.0
  private static let figureWidth = 48.0

  var svg: String {
    let shown = ratios.filter { $0.value != nil }
    let height = Double(shown.count) * Self.rowHeight + 26
    let scale = scale(shown)
    var parts = grid(scale, height)
    for (index, ratio) in shown.enumerated() {
      parts += bar(ratio, scale, top: Double(index) * Self.rowHeight + 20)
    }
    return Markup.svg(
      width: Self.width, height: height, label: "Ratios of \(shown.first?.store.title ?? "")",
      parts)
  }

  private func scale(_ shown: [Ratio]) -> LogScale {
    let values: [Double] = shown.flatMap { ratio -> [Double] in
      [ratio.value ?? 1, ratio.goal?.ratio ?? 1]
    }
    let lower = min(values.min() ?? 1, 0.5)
    let upper = max(values.max() ?? 1, 2)
    return LogScale(
      lower: lower * 0.85, upper: upper * 1.1, from: Self.labelWidth,
      to: Self.width - Self.figureWidth)
  }

  private func grid(_ scale: LogScale, _ height: Double) -> [String] {
    let marks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
    var parts: [String] = []
    var last = -100.0
    for mark in marks where mark >= scale.lower && mark <= scale.upper {
      let x = scale.place(mark)
      // Numbers that would touch are left out, except that of 1.
      guard x - last > 24 || mark == 1 else { continue }
      last = x
      let label = mark < 1 ? String(format: "%.1f", mark) : String(format: "%.0f", mark)
      parts.append(Markup.line(x, 16, x, height - 4, mark == 1 ? "axis" : "rule"))
      parts.append(Markup.text(label, x, 11, "scale", anchor: "middle"))
    }
    return parts
  }

  private func bar(_ ratio: Ratio, _ scale: LogScale, top: Double) -> [String] {
    guard let value = ratio.value, let baseline = ratio.baseline else { return [] }
    let one = scale.place(1)
    let end = scale.place(value)
    let middle = top + Self.rowHeight / 2
    let kind = ratio.holds.map { $0 ? "good" : "bad" } ?? "plain"
    let title =
      "\(ratio.workload), \(WorkloadTitles.title(ratio.workload, extent)): "
      + "\(Figures.quantity(ratio.roost.median, ratio.unit)) by "
      + "\(Figures.quantity(baseline.1.median, ratio.unit)) (\(baseline.0.rawValue))"
    var parts = [
      Markup.text(ratio.workload, 0, middle + 4, "name"),
      Markup.rectangle(
        min(one, end), top + 5, abs(end - one), Self.rowHeight - 10, "bar \(kind)", title: title),
      Markup.text(
        Figures.ratio(value), Self.width, middle + 4, "figure \(kind)", anchor: "end"),
    ]
    if let goal = ratio.goal, let most = goal.ratio, goal.baseline == baseline.0 {
      let x = scale.place(most)
      parts.append(Markup.line(x, top + 2, x, top + Self.rowHeight - 2, "goal"))
    }
    return parts
  }
}
