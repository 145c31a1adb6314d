// SPDX-License-Identifier: Apache-2.0

/// A diagram in the language of Graphviz.
struct GraphvizText {
  let graph: ModelGraph

  var text: String {
    var lines = [
      "digraph model {", "  rankdir = LR;",
      "  node [shape = plain, fontname = \"monospace\", fontsize = 11];",
      "  edge [fontname = \"monospace\", fontsize = 10, dir = both];",
    ]
    for (index, box) in graph.boxes.enumerated() {
      lines.append("  e\(index) [label = <\(table(box))>];")
    }
    for line in graph.lines {
      let from = port(line.source)
      let to = port(line.destination)
      switch line.kind {
      case .inheritance:
        lines.append(
          "  \(from) -> \(to) [arrowhead = onormal, arrowtail = none, style = dashed];")
      case .relationship:
        let head = line.destination.isMany ? "crow" : "tee"
        // The cardinality of a relationship without an inverse is known at its source only.
        let tail =
          line.destination.row == nil ? "none" : (line.source.isMany ? "crow" : "tee")
        lines.append("  \(from) -> \(to) [arrowhead = \(head), arrowtail = \(tail)];")
      }
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  private func port(_ end: ModelGraph.End) -> String {
    "e\(end.box):" + (end.row.map { "r\($0)" } ?? "title")
  }

  private func table(_ box: ModelGraph.Box) -> String {
    let name = MarkupText.escaped(box.name)
    var rows = [
      "<tr><td port=\"title\" colspan=\"2\" bgcolor=\"#e8eef7\">"
        + (box.isAbstract ? "<i>\(name)</i>" : "<b>\(name)</b>") + "</td></tr>"
    ]
    for (index, row) in box.rows.enumerated() {
      rows.append(
        "<tr><td port=\"r\(index)\" align=\"left\">\(MarkupText.escaped(row.name))</td>"
          + "<td align=\"right\">\(MarkupText.escaped(row.type))</td></tr>")
    }
    return "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
      + rows.joined() + "</table>"
  }
}
