// SPDX-License-Identifier: Apache-2.0

/// What histories and live results cost, a row for each work.
struct HistorySection {
  let results: [HistoryResult]

  static let title = "Histories and live results"
  static let head = ["", "", "with", "±", "", "ratio", "goal"]

  var html: String {
    """
    <section>
    <h2>\(Self.title)</h2>
    <p>The same work with a history and without, turn by turn; and what it takes to read one, to ask for the
    past, and to keep results current.</p>
    \(Markup.table("figures", head: Self.head, rows: rows))
    </section>
    """
  }

  var rows: [[String]] { results.compactMap(row) }

  private func row(_ result: HistoryResult) -> [String]? {
    guard let spread = result.spread else { return nil }
    let work = result.work
    let other = Spread(result.besides).flatMap { other in
      work.beside.map { "\(Figures.quantity(other.median, work.unit)) \($0)" }
    }
    let goal = work.goal(result.store).map { goal in
      (work.beside == nil ? Figures.quantity(goal, work.unit) : Figures.goal(goal))
        + (result.holds == false ? " MISSED" : "")
    }
    return [
      result.store.title, work.title, Figures.quantity(spread.median, work.unit),
      Figures.percent(spread.relativeDeviation), other ?? "", result.ratio.map(Figures.ratio) ?? "",
      goal ?? "",
    ]
  }
}
