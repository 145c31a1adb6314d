// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results of concurrent contexts, one table per store.
struct ConcurrencySection {
  let results: [ConcurrencyResult]

  var html: String {
    let stores = Set(results.map(\.store)).sorted()
    let tables = stores.map { store in
      "<h3>\(store.title)</h3>"
        + Markup.table(
          "figures",
          head: [
            "readers", "writer", "fetches a second", "fetch p50", "p99", "saves a second",
            "save p50",
            "p95", "p99", "longest",
          ],
          rows: results.filter { $0.store == store }.map(row))
    }
    return """
      <section>
      <h2>Side by side</h2>
      <p>Contexts that read, each on a thread of its own, alone and beside one that saves all the time. A
      fetch reads 100 objects, a save writes one.</p>
      \(tables.joined(separator: "\n"))
      </section>
      """
  }

  private func row(_ result: ConcurrencyResult) -> [String] {
    func latency(_ value: Double?) -> String { value.map { Figures.quantity($0, "ms") } ?? "" }
    return [
      "\(result.readers)", result.hasWriter ? "1" : "–",
      Figures.grouped(Int(result.fetchesPerSecond)), latency(result.fetchMilliseconds?.p50),
      latency(result.fetchMilliseconds?.p99),
      result.hasWriter ? Figures.grouped(Int(result.savesPerSecond)) : "",
      latency(result.saveMilliseconds?.p50), latency(result.saveMilliseconds?.p95),
      latency(result.saveMilliseconds?.p99), latency(result.saveMilliseconds?.maximum),
    ]
  }
}
