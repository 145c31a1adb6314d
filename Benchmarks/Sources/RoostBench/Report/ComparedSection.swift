// SPDX-License-Identifier: Apache-2.0

/// Compared results, a row for each work.
struct ComparedSection<Work: ComparedWork> {
  let results: [ComparedResult<Work>]

  static var head: [String] { ["", "", "takes", "±", "", "ratio", "goal"] }

  var html: String {
    """
    <section>
    <h2>\(Work.heading)</h2>
    <p>\(Work.explanation)</p>
    \(Markup.table("figures", head: Self.head, rows: rows))
    </section>
    """
  }

  /// The same table as text for a terminal.
  var lines: [String] {
    results.isEmpty ? [] : [Work.heading] + TextTable.aligned([Self.head] + rows)
  }

  var rows: [[String]] { results.compactMap(row) }

  private func row(_ result: ComparedResult<Work>) -> [String]? {
    guard let spread = result.spread else { return nil }
    let work = result.work
    let beside = work.beside(result.store)
    let other = Spread(result.besides).flatMap { other in
      beside.map { "\(Figures.quantity(other.median, work.unit)) \($0)" }
    }
    let goal = work.goal(result.store).map { goal in
      (beside == nil ? Figures.quantity(goal, work.unit) : Figures.goal(goal))
        + (result.holds == false ? " MISSED" : "")
    }
    return [
      result.store.title, work.title, Figures.quantity(spread.median, work.unit),
      Figures.percent(spread.relativeDeviation), other ?? "", result.ratio.map(Figures.ratio) ?? "",
      goal ?? "",
    ]
  }
}
