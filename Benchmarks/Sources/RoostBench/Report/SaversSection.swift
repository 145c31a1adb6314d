// SPDX-License-Identifier: Apache-2.0

/// The saves of concurrent contexts, one row per number of contexts.
struct SaversSection {
  let results: [SaversResult]

  static let head = [
    "saves/s", "raw", "of raw", "times one", "goal", "flushes a save", "save p50, p99, longest",
    "slowest of fastest",
  ]

  /// Returns the minimum duration of a flush, as the end of a title.
  static func flushes(_ results: [SaversResult]) -> String {
    guard let flush = results.first?.flush else { return "" }
    return "; a flush of a file of this process takes \(flush) ms at the least"
  }

  var html: String {
    """
    <section>
    <h2>Saving side by side</h2>
    <p>Contexts that each save one new object after the other, on threads of their own, beside as many threads
    that call the engine directly\(Self.flushes(results)). Each save is durable.</p>
    \(Markup.table("figures", head: ["", "contexts"] + Self.head, rows: rows))
    </section>
    """
  }

  var rows: [[String]] { results.map(row) }

  private func row(_ result: SaversResult) -> [String] {
    let one = results.first { $0.store == result.store && $0.savers == 1 }
    let goal = result.goal(besides: one).map { goal in
      "\(Figures.goal(goal.goal)) \(goal.name)\(goal.value < goal.goal ? " MISSED" : "")"
    }
    let latency = result.saveMilliseconds.map { save in
      [save.p50, save.p99, save.maximum].map(Figures.digits).joined(separator: ", ") + " ms"
    }
    let times = one.map { Figures.ratio(result.savesPerSecond / $0.savesPerSecond) }
    return [
      result.store.title, "\(result.savers)", Figures.grouped(Int(result.savesPerSecond)),
      result.rawSavesPerSecond.map { Figures.grouped(Int($0)) } ?? "",
      result.partOfRaw.map(Figures.ratio) ?? "", times ?? "", goal ?? "",
      result.flushesPerSave.map(Figures.ratio) ?? "", latency ?? "",
      Figures.ratio(result.fairness),
    ]
  }
}
