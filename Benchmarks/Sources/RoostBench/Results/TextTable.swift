// SPDX-License-Identifier: Apache-2.0

/// The results as text: what `make bench` prints.
struct TextTable {
  let results: BenchResults

  var text: String {
    var lines: [String] = []
    if !results.machine.isOptimized {
      lines += ["BUILT WITHOUT OPTIMIZATION: no time means anything.", ""]
    }
    lines.append(
      "\(Figures.grouped(results.objects)) objects, medians of \(results.rounds) rounds; the ratio is the figure."
    )
    if results.isInterrupted {
      let most = results.measurements.map(\.values.count).max() ?? 0
      lines.append("The run was interrupted in round \(most): what is done so far.")
    }
    for store in results.stores { lines += [""] + section(store) }
    return lines.joined(separator: "\n")
  }

  private func section(_ store: StoreKind) -> [String] {
    let note = results.engines.first { $0.store == store }
    var lines = ["\(store.title)\(note.map { " (\($0.version); \($0.durability))" } ?? "")"]
    var rows = [["", "Roost", "baseline", "ratio", "goal", "", "±", "other baselines", ""]]
    for ratio in results.ratios(store) { rows.append(row(ratio)) }
    lines += Self.aligned(rows)
    return lines
  }

  private func row(_ ratio: Ratio) -> [String] {
    let holds = ratio.holds.map { $0 ? "holds" : "missed" } ?? ""
    let other = ratio.others.map { baseline, spread in
      "\(baseline.rawValue) \(Figures.ratio(ratio.roost.median / spread.median))"
    }
    return [
      ratio.workload, Figures.quantity(ratio.roost.median, ratio.unit),
      ratio.baseline.map { Figures.quantity($0.1.median, ratio.unit) } ?? "-",
      ratio.value.map(Figures.ratio) ?? "-",
      ratio.goal.map { goal in
        Figures.goal(goal.ratio) + (goal.baseline == .raw ? "" : " of \(goal.baseline.rawValue)")
      } ?? "-",
      holds, Figures.percent(ratio.roost.relativeDeviation), other.joined(separator: ", "),
      WorkloadTitles.title(ratio.workload),
    ]
  }

  /// Columns of one width; the first and the last two are text, the others numbers.
  static func aligned(_ rows: [[String]]) -> [String] {
    guard let width = rows.first?.count else { return [] }
    let widths = (0..<width).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        let pad = String(repeating: " ", count: widths[column] - cell.count)
        let isText = column == 0 || column >= 5 && column != 6
        line += "  " + (isText ? cell + pad : pad + cell)
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

/// The titles of all workloads, M2's included.
enum WorkloadTitles {
  static func title(_ id: String) -> String {
    if let work = MemoryWork(rawValue: id) { return work.title }
    if let work = ModelWork(rawValue: id) { return work.title }
    return WorkloadCatalogue.all.first { $0.id == id }?.title ?? ""
  }
}
