// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The cost of an operation at different sizes, one chart per workload; flat is best.
struct ScaleSection {
  let curves: [CurvePoint]

  var html: String {
    let workloads = Set(curves.map(\.workload)).sorted {
      WorkloadCatalogue.place(of: $0) < WorkloadCatalogue.place(of: $1)
    }
    var figures = workloads.map { workload in
      figure(
        "\(workload): microseconds \(Self.operation(workload))",
        lines(workload) { $0.microseconds } + baselines(workload), note: Self.note(workload))
    }
    let memory = lines("W2") { point in point.bytes.map { Double($0) / Double(point.objects) } }
    let plain = lines("W2") { point in
      point.baselineBytes.map { Double($0) / Double(point.objects) }
    }
    if !memory.isEmpty {
      figures.append(
        figure(
          "M2: bytes of memory an object, all held", memory + dashed(plain), note: Self.note("M2")))
    }
    let walk = lines("W2") { point in point.walkedBytes.map { Double($0) / 1e6 } }
    if !walk.isEmpty {
      figures.append(
        figure("M3: MB of memory, 1,000 objects at a time", walk, note: Self.note("M3")))
    }
    return """
      <section>
      <h2>At other sizes</h2>
      <p>Objects from left to right, cost of one operation upwards, both logarithmic: a flat line costs the
      same at every size. Dashed lines are the engines alone.</p>
      <div class="grid">\(figures.joined(separator: "\n"))</div>
      </section>
      """
  }

  /// Returns the name of one operation of a workload.
  static func operation(_ workload: String) -> String {
    switch workload {
    case "W2": "an object"
    case "W3": "a lookup"
    case "W4": "a query"
    case "W10": "a save"
    default: "an operation"
    }
  }

  /// Returns the known reasons for the shape of a workload's curve; none of them was profiled.
  static func note(_ workload: String) -> String {
    switch workload {
    case "W2":
      """
      What a request costs once is divided by more objects, and objects and rows outgrow the processor's caches:
      which of the two is stronger differs from store to store.
      """
    case "W3": "The trees become deeper, and less of them is in a cache."
    case "W4": "Rises with the size: a query looks at a ninth of all objects."
    case "W10":
      "On a disk mostly a wait, which does not know how much is stored; the trees become deeper."
    case "M2": "What a process needs anyway is divided by more objects."
    case "M3":
      """
      SQLite and PostgreSQL have a part of the objects at a time; the pages of LMDB are mapped and count, and
      memory holds all of the data in any case.
      """
    default: ""
    }
  }

  private func figure(
    _ caption: String, _ lines: [CurveChart.Line], note: String
  ) -> String {
    """
    <figure><figcaption><strong>\(Markup.escaped(caption))</strong>
    <small>\(Markup.escaped(note))</small></figcaption>
    \(CurveChart(lines: lines, label: caption).svg)</figure>
    """
  }

  private func lines(_ workload: String, _ value: (CurvePoint) -> Double?) -> [CurveChart.Line] {
    StoreKind.allCases.compactMap { store in
      let points = curves.filter { $0.workload == workload && $0.store == store }
        .compactMap { point in value(point).map { (Double(point.objects), $0) } }
      return points.isEmpty
        ? nil : CurveChart.Line(name: store.title, kind: store.rawValue, points: points)
    }
  }

  private func baselines(_ workload: String) -> [CurveChart.Line] {
    dashed(lines(workload) { $0.baselineMicroseconds })
  }

  private func dashed(_ lines: [CurveChart.Line]) -> [CurveChart.Line] {
    lines.map {
      CurveChart.Line(name: "", kind: $0.kind + " dashed", points: $0.points)
    }
  }
}
