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
    // A model of one's own has no baselines, so there are no ratios to draw.
    let hasRatios = results.stores.contains { results.ratios($0).contains { $0.value != nil } }
    var sections = hasRatios ? [ratioCharts, tables] : [tables]
    if !results.curves.isEmpty { sections.append(ScaleSection(curves: results.curves).html) }
    if !results.concurrency.isEmpty {
      sections.append(ConcurrencySection(results: results.concurrency).html)
    }
    if let comparison { sections.append(ComparisonSection(comparison: comparison).html) }
    sections.append(workloadList)
    return sections
  }

  private var head: String {
    let machine = results.machine
    let ratios = results.stores.flatMap(results.ratios)
    let judged = ratios.compactMap(\.holds)
    var warnings = ""
    if !machine.isOptimized {
      warnings += "<p class=\"warning\">Built without optimization: no time means anything.</p>"
    }
    if results.isInterrupted {
      warnings += "<p class=\"warning\">The run was interrupted: this is what was done.</p>"
    }
    return """
      <header>
      <h1>Roost, beside the engines alone</h1>
      <p class="lead">Each figure is the time of Roost divided by the time of a program that calls the
      same engine directly, does the same work on the same data, in the same run, and comes to the same
      checksum. Below 1 Roost is the faster one.</p>
      \(warnings)
      <dl class="facts">
      <div><dt>objects</dt><dd>\(Figures.grouped(results.objects))</dd></div>
      <div><dt>rounds</dt><dd>\(results.rounds)</dd></div>
      <div><dt>goals that hold</dt><dd>\(judged.filter { $0 }.count) of \(judged.count)</dd></div>
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
        \(RatioChart(ratios: results.ratios(store)).svg)
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
    let tables = results.stores.map { RatioTable(store: $0, ratios: results.ratios($0)).html }
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
      "<div><dt>\($0)</dt><dd>\(Markup.escaped(WorkloadTitles.title($0)))</dd></div>"
    }
    return """
      <section>
      <h2>Workloads</h2>
      <dl class="list">\(items.joined())</dl>
      </section>
      """
  }
}
