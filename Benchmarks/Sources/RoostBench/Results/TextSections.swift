// SPDX-License-Identifier: Apache-2.0

/// What is printed below the table: scale curves, contexts side by side, and histories.
struct TextSections {
  let results: BenchResults

  var text: String {
    [curves, concurrency, savers, history, evolution, across].filter { !$0.isEmpty }
      .map { "\n\n" + $0.joined(separator: "\n") }.joined()
  }

  private var curves: [String] {
    guard !results.curves.isEmpty else { return [] }
    var rows = [["", "objects", "Roost", "raw", "ratio", "", "", "", ""]]
    for point in results.curves {
      var memory = point.bytes.map { "\($0 / point.objects) bytes an object, all held" } ?? ""
      if let bytes = point.walkedBytes {
        memory += ", \(Figures.quantity(Double(bytes) / 1e6, "MB")) for 1,000 at a time"
      }
      rows.append([
        "\(point.store.title) \(point.workload)", Figures.grouped(point.objects),
        Figures.quantity(point.microseconds, "µs"),
        point.baselineMicroseconds.map { Figures.quantity($0, "µs") } ?? "-",
        point.baselineMicroseconds.map { Figures.ratio(point.microseconds / $0) } ?? "-",
        ScaleSection.operation(point.workload), "", memory, "",
      ])
    }
    return ["One operation at different sizes"] + TextTable.aligned(rows)
  }

  private var concurrency: [String] {
    guard !results.concurrency.isEmpty else { return [] }
    var rows = [
      ["", "readers", "writers", "fetches/s", "saves/s", "save p50, p95, p99, longest", "", "", ""]
    ]
    for result in results.concurrency {
      let latency = result.saveMilliseconds.map { save in
        [save.p50, save.p95, save.p99, save.maximum].map { Figures.digits($0) }
          .joined(separator: ", ") + " ms"
      }
      rows.append([
        result.store.title, "\(result.readers)", result.hasWriter ? "1" : "0",
        Figures.grouped(Int(result.fetchesPerSecond)), Figures.grouped(Int(result.savesPerSecond)),
        latency ?? "", "", "", "",
      ])
    }
    return ["Contexts side by side"] + TextTable.aligned(rows)
  }

  private var savers: [String] {
    guard let savers = results.savers, !savers.isEmpty else { return [] }
    let rows = [["", "contexts"] + SaversSection.head] + SaversSection(results: savers).rows
    return ["Contexts that save side by side" + SaversSection.flushes(savers)]
      + TextTable.aligned(rows)
  }

  private var history: [String] { ComparedSection(results: results.history ?? []).lines }

  private var evolution: [String] { ComparedSection(results: results.evolution ?? []).lines }

  private var across: [String] { ComparedSection(results: results.across ?? []).lines }
}
