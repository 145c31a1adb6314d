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
      "\(Figures.grouped(results.objects)) objects, \(rounds)\(hasRatios ? "; the ratio is the figure" : "")."
    )
    if results.isInterrupted {
      let most = results.measurements.map(\.values.count).max() ?? 0
      lines.append("The run was interrupted in round \(most): what is done so far.")
    }
    for failure in results.failures ?? [] { lines.append("NOT MEASURED: \(failure)") }
    for store in results.stores { lines += [""] + section(store) }
    return lines.joined(separator: "\n")
  }

  private var rounds: String {
    results.rounds == 1 ? "one round" : "medians of \(results.rounds) rounds"
  }

  /// Whether there are ratios: a custom model has no baselines.
  private var hasRatios: Bool {
    results.stores.contains { results.ratios($0).contains { $0.value != nil } }
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
      ratio.goal?.text ?? "-",
      holds, Figures.percent(ratio.roost.relativeDeviation), other.joined(separator: ", "),
      WorkloadTitles.title(ratio.workload, results.extent),
    ]
  }

  /// Aligns rows in columns; text columns are left-aligned, numbers right-aligned.
  static func aligned(_ rows: [[String]], textColumns: Set<Int> = [0, 5, 7, 8]) -> [String] {
    guard let width = rows.first?.count else { return [] }
    let widths = (0..<width).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        let pad = String(repeating: " ", count: widths[column] - cell.count)
        let isText = textColumns.contains(column)
        line += "  " + (isText ? cell + pad : pad + cell)
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

/// The titles of all workloads, M2's included.
enum WorkloadTitles {
  static func title(_ id: String, _ extent: Extent) -> String {
    if let work = MemoryWork(rawValue: id) { return work.title }
    if let work = ModelWork(rawValue: id) { return work.title }
    guard let workload = WorkloadCatalogue.all.first(where: { $0.id == id }) else { return "" }
    return (workload.count(extent).map { Figures.grouped($0) + " " } ?? "") + workload.title
  }
}
