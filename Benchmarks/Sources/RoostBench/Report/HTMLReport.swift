// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results as one page that needs nothing from outside: charts, tables, light and dark, readable on a phone.
struct HTMLReport {
  let results: BenchResults
  var comparison: ResultsComparison?

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Roost: benchmark</title>
    <style>\(ReportStyle.css)</style>
    </head>
    <body>
    <main>
    \(([head] + sections).joined(separator: "\n"))
    </main>
    </body>
    </html>

    """
  }

  /// Writes the page into a folder, which is made if it is missing.
  ///
  /// - Returns: The path of the page.
  func write(into folder: String) throws -> String {
    let folder = URL(filePath: folder)
    let page = folder.appending(path: "index.html")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(html.utf8).write(to: page, options: .atomic)
    } catch {
      throw BenchError("The report cannot be written to \(page.path).")
    }
    return page.path
  }

  private var sections: [String] {
    let times = TimesSection(results: results)
    var sections = times.groups.isEmpty ? [] : [times.html]
    sections += hasRatios ? [ratioCharts, tables] : [tables]
    if !results.curves.isEmpty { sections.append(ScaleSection(curves: results.curves).html) }
    if !results.concurrency.isEmpty {
      sections.append(ConcurrencySection(results: results.concurrency).html)
    }
    if let savers = results.savers, !savers.isEmpty {
      sections.append(SaversSection(results: savers).html)
    }
    if let history = results.history, !history.isEmpty {
      sections.append(ComparedSection(results: history).html)
    }
    if let evolution = results.evolution, !evolution.isEmpty {
      sections.append(ComparedSection(results: evolution).html)
    }
    if let across = results.across, !across.isEmpty {
      sections.append(ComparedSection(results: across).html)
    }
    if let comparison { sections.append(ComparisonSection(comparison: comparison).html) }
    sections.append(workloadList)
    return sections
  }

  /// A model of one's own has no baselines, so there are no ratios to draw.
  private var hasRatios: Bool {
    results.stores.contains { results.ratios($0).contains { $0.value != nil } }
  }

  private var lead: (title: String, text: String) {
    guard hasRatios else {
      return (
        "Roost, store beside store",
        """
        Times of the same work on the same data. There is no program without a framework to compare with,
        so only the stores can be compared.
        """
      )
    }
    return (
      "Roost, beside the engines alone",
      """
      Each figure is the time of Roost divided by the time of a program that calls the
      same engine directly, does the same work on the same data, in the same run, and comes to the same
      checksum. Below 1 Roost is the faster one.
      """
    )
  }

  private var warnings: String {
    var warnings: [String] = []
    if !results.machine.isOptimized {
      warnings.append("Built without optimization: no time means anything.")
    }
    if hasRatios, results.objects < BenchOptions.usualObjects {
      warnings.append(
        "Measured with \(Figures.grouped(results.objects)) objects: the goals are meant for "
          + "\(Figures.grouped(BenchOptions.usualObjects)), and fixed costs weigh more with fewer.")
    }
    if results.isInterrupted { warnings.append("The run was interrupted: this is what was done.") }
    warnings += (results.failures ?? []).map { "Not measured: \($0)" }
    return warnings.map { "<p class=\"warning\">\(Markup.escaped($0))</p>" }.joined(separator: "\n")
  }

  private var head: String {
    let machine = results.machine
    let ratios = results.stores.flatMap(results.ratios)
    let judged = ratios.compactMap(\.holds)
    let goals =
      judged.isEmpty
      ? ""
      : "<div><dt>goals that hold</dt><dd>\(judged.filter(\.self).count) of \(judged.count)</dd></div>"
    let lead = lead
    return """
      <header>
      <h1>\(lead.title)</h1>
      <p class="lead">\(lead.text)</p>
      \(warnings)
      <dl class="facts">
      <div><dt>objects</dt><dd>\(Figures.grouped(results.objects))</dd></div>
      <div><dt>rounds</dt><dd>\(results.rounds)</dd></div>
      \(goals)
      <div><dt>measured</dt><dd>\(day)</dd></div>
      <div><dt>machine</dt><dd>\(machine.processors) processors, \(machine.gigabytes) GB</dd></div>
      <div><dt>system</dt><dd>\(Markup.escaped(machine.system))</dd></div>
      </dl>
      </header>
      """
  }

  private var day: String {
    String(results.date.ISO8601Format().prefix(10))
  }

  private var ratioCharts: String {
    let charts = results.stores.map { store in
      let note = results.engines.first { $0.store == store }
      return """
        <figure>
        <figcaption><strong>\(store.title)</strong>
        <small>\(Markup.escaped(note.map { "\($0.version); \($0.durability)" } ?? ""))</small></figcaption>
        \(RatioChart(ratios: results.ratios(store), extent: results.extent).svg)
        </figure>
        """
    }
    return """
      <section>
      <h2>Ratios</h2>
      <p class="key"><span><i class="swatch good"></i> goal holds</span>
      <span><i class="swatch bad"></i> goal missed</span>
      <span><i class="swatch plain"></i> no goal</span>
      <span><i class="tick"></i> the goal</span>
      <span><i class="one"></i> 1: as fast as the engine alone</span>
      <span>The scale is logarithmic.</span></p>
      <div class="grid">
      \(charts.joined(separator: "\n"))
      </div>
      </section>
      """
  }

  private var tables: String {
    let tables = results.stores.map {
      RatioTable(store: $0, ratios: results.ratios($0), extent: results.extent).html
    }
    return """
      <section>
      <h2>All figures</h2>
      <p>Medians; ± is half the distance between the quartiles. Every baseline did the same work.</p>
      \(tables.joined(separator: "\n"))
      </section>
      """
  }

  private var workloadList: String {
    let items = results.workloads.map {
      "<div><dt>\($0)</dt><dd>\(Markup.escaped(WorkloadTitles.title($0, results.extent)))</dd></div>"
    }
    return """
      <section>
      <h2>Workloads</h2>
      <dl class="list">\(items.joined())</dl>
      </section>
      """
  }
}
