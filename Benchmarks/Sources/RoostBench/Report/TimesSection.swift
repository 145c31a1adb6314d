// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The times of all stores side by side, a group of bars for each workload: a reader's aid for choosing a store.
struct TimesSection {
  let results: BenchResults

  /// A bar: the median time of one store.
  struct Bar: Hashable {
    let store: StoreKind
    let milliseconds: Double
  }

  var html: String {
    """
    <section>
    <h2>Times of all stores</h2>
    <p>The median time of Roost for each workload, in milliseconds, the same work in each store. One logarithmic
    scale for all: from one bar to another that is as much longer, the factor is the same.</p>
    <div class="times">
    \(groups.map(group).joined(separator: "\n"))
    </div>
    <dl class="list advice">\(advice)</dl>
    </section>
    """
  }

  /// The bars of each workload that was timed in several stores, in the order of the workloads.
  var groups: [(workload: String, bars: [Bar])] {
    results.workloads.compactMap { workload in
      let bars = results.stores.compactMap { store -> Bar? in
        let key = Measurement.Key(store: store, workload: workload, baseline: nil)
        guard let measured = results.measurements.first(where: { $0.key == key }),
          measured.unit == "ms", let median = measured.spread?.median, median > 0
        else { return nil }
        return Bar(store: store, milliseconds: median)
      }
      return bars.count > 1 ? (workload, bars) : nil
    }
  }

  private var scale: LogScale {
    LogScale(decadesFor: groups.flatMap(\.bars).map(\.milliseconds), from: 2, to: 100)
  }

  private func group(_ workload: String, _ bars: [Bar]) -> String {
    let title = Markup.escaped(WorkloadTitles.title(workload, results.extent))
    return """
      <div class="work"><h3>\(workload) <small>\(title)</small></h3>
      \(bars.map(row).joined(separator: "\n"))
      </div>
      """
  }

  private func row(_ bar: Bar) -> String {
    let width = Markup.number(scale.place(bar.milliseconds))
    return """
      <div class="time"><span>\(bar.store.title)</span>\
      <i><b class="\(bar.store.rawValue)" style="width: \(width)%"></b></i>\
      <span>\(Figures.quantity(bar.milliseconds, "ms"))</span></div>
      """
  }

  private var advice: String {
    results.stores.map { "<div><dt>\($0.title)</dt><dd>\($0.advice)</dd></div>" }.joined()
  }
}

extension StoreKind {
  /// The uses that the store suits, apart from its times.
  var advice: String {
    switch self {
    case .sqlite:
      "One file, no server: programs on one machine, and the first choice where nothing speaks for another."
    case .postgresql:
      "A server for many machines: its times have round trips in them, which grow with the network."
    case .lmdb:
      "One file that is mapped into memory: many reads of single records by several processes of one machine."
    case .memory: "Nothing stays: tests, caches, and what is computed anew at each start."
    }
  }
}
