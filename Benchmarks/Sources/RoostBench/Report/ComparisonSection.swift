// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What changed since another run.
struct ComparisonSection {
  let comparison: ResultsComparison

  var html: String {
    let rows = comparison.changes.map { change in
      let verdict =
        !change.isCertain
        ? "within the noise"
        : change.factor < 1
          ? "<span class=\"good\">faster</span>" : "<span class=\"bad\">slower</span>"
      return [
        "\(change.store.title) \(change.workload)", Figures.ratio(change.old),
        Figures.ratio(change.new), Figures.ratio(change.factor), verdict,
      ]
    }
    return """
      <section>
      <h2>Since \(comparison.old.date.ISO8601Format().prefix(10))</h2>
      <p>Ratios of both runs: times drift with the machine, ratios hardly do.</p>
      \(Markup.table("figures", head: ["", "before", "now", "factor", ""], rows: rows))
      </section>
      """
  }
}
