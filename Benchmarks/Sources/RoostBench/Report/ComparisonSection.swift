// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The changes since another run.
struct ComparisonSection {
  let comparison: ResultsComparison

  var html: String {
    let rows = comparison.changes.map { change in
      let verdict =
        switch change.verdict {
        case .faster: "<span class=\"good\">faster</span>"
        case .slower: "<span class=\"bad\">slower</span>"
        case .noise, .unknown: change.verdict.rawValue
        }
      return [
        "\(change.store.title) \(change.workload)", Figures.ratio(change.old),
        Figures.ratio(change.new), Figures.ratio(change.factor), verdict,
      ]
    }
    let warnings = comparison.differences.map {
      "<p class=\"warning\">\(Markup.escaped($0))</p>"
    }
    return """
      <section>
      <h2>Since \(comparison.old.date.ISO8601Format().prefix(10))</h2>
      <p>Ratios of both runs: times drift with the machine, ratios hardly do.</p>
      \(warnings.joined(separator: "\n"))
      \(Markup.table("figures", head: ["", "before", "now", "factor", ""], rows: rows))
      </section>
      """
  }
}
