// SPDX-License-Identifier: Apache-2.0

/// A diagram as a drawing that needs no other program: its colours follow the page, light or dark.
struct SVGDrawing {
  let graph: ModelGraph
  private static let rowHeight = 20.0
  private static let titleHeight = 28.0
  private static let padding = 10.0
  private static let margin = 24.0
  /// The width of a character of the monospaced font at 12 pixels.
  private static let characterWidth = 7.3

  var text: String {
    let sizes = graph.boxes.map(Self.size)
    let layout = LayeredLayout(sizes: sizes, lines: graph.lines.map(Self.direction))
    let width = layout.size.width + 2 * Self.margin + 40
    let height = layout.size.height + 2 * Self.margin
    var parts = [Self.head(width: width, height: height)]
    for route in layout.routes { parts.append(line(route, layout)) }
    for line in graph.lines where line.source.box == line.destination.box {
      parts.append(loop(line, layout))
    }
    for (index, box) in graph.boxes.enumerated() { parts.append(draw(box, layout.nodes[index])) }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func size(_ box: ModelGraph.Box) -> (width: Double, height: Double) {
    let title = box.name.count + 2
    let longest = box.rows.map { $0.name.count + $0.type.count + 3 }.max() ?? 0
    return (
      Double(max(title, longest, 12)) * characterWidth + 2 * padding,
      titleHeight + Double(box.rows.count) * rowHeight + (box.rows.isEmpty ? 0 : padding / 2)
    )
  }

  /// Parents, and the to-one side of a relationship, come first.
  private static func direction(_ line: ModelGraph.Line) -> (left: Int, right: Int) {
    let (source, destination) = (line.source.box, line.destination.box)
    if line.kind == .inheritance { return (destination, source) }
    return line.destination.isMany && !line.source.isMany
      ? (source, destination) : (destination, source)
  }

  // MARK: Head

  private static func head(width: Double, height: Double) -> String {
    let (width, height) = (number(width.rounded(.up)), number(height.rounded(.up)))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-label="Entities and relationships">
      <style>
      svg { --page: #ffffff; --box: #ffffff; --title: #dfe9f8; --ink: #1a2230; --soft: #5b6778; \
      --edge: #8a97ab; --line: #3f6fb5; }
      @media (prefers-color-scheme: dark) { svg { --page: #14181f; --box: #1d232d; \
      --title: #2a3a54; --ink: #e8edf5; --soft: #a3afc0; --edge: #566377; --line: #7fb0f5; } }
      text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
      .page { fill: var(--page); } .box { fill: var(--box); stroke: var(--edge); }
      .title { fill: var(--title); stroke: var(--edge); } .soft { fill: var(--soft); }
      .name { font-weight: bold; } .abstract { font-style: italic; }
      .line { fill: none; stroke: var(--line); stroke-width: 1.5; }
      .inheritance { stroke: var(--soft); stroke-dasharray: 5 4; }
      .parent { fill: var(--page); stroke: var(--soft); stroke-width: 1.5; }
      </style>
      <rect class="page" width="100%" height="100%"/>
      """
  }

  // MARK: Boxes

  private func draw(_ box: ModelGraph.Box, _ node: LayeredLayout.Node) -> String {
    let (x, y) = (node.x + Self.margin, node.y + Self.margin)
    let name = MarkupText.escaped(box.name)
    var parts = [
      "<rect class=\"box\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "width=\"\(Self.number(node.width))\" height=\"\(Self.number(node.height))\" rx=\"4\"/>",
      "<rect class=\"title\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "width=\"\(Self.number(node.width))\" height=\"\(Self.number(Self.titleHeight))\" rx=\"4\"/>",
      Self.text(
        name, x: x + Self.padding, y: y + 18, box.isAbstract ? "name abstract" : "name"),
    ]
    for (index, row) in box.rows.enumerated() {
      let line = y + Self.titleHeight + Double(index) * Self.rowHeight + 15
      parts.append(Self.text(MarkupText.escaped(row.name), x: x + Self.padding, y: line, ""))
      parts.append(
        Self.text(
          MarkupText.escaped(row.type), x: x + node.width - Self.padding, y: line, "soft",
          isRight: true))
    }
    return parts.joined(separator: "\n")
  }

  private static func text(
    _ text: String, x: Double, y: Double, _ style: String, isRight: Bool = false
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\"" + (style.isEmpty ? "" : " class=\"\(style)\"")
      + (isRight ? " text-anchor=\"end\"" : "") + ">\(text)</text>"
  }

  // MARK: Lines

  /// The vertical position of a line's end at a box.
  private func height(_ end: ModelGraph.End, _ node: LayeredLayout.Node) -> Double {
    let row = end.row.map {
      Self.titleHeight + (Double($0) + 0.5) * Self.rowHeight
    }
    return node.y + Self.margin + (row ?? Self.titleHeight / 2)
  }

  private func line(_ route: LayeredLayout.Route, _ layout: LayeredLayout) -> String {
    let line = graph.lines[route.line]
    let ends = [line.source, line.destination]
    guard let first = route.nodes.first, let last = route.nodes.last else { return "" }
    let left = ends.first { $0.box == layout.nodes[first].box } ?? line.source
    let right = ends.first { $0.box == layout.nodes[last].box } ?? line.destination
    var x = layout.nodes[first].x + layout.nodes[first].width + Self.margin
    var y = height(left, layout.nodes[first])
    let start = (x, y)
    var path = "M \(Self.number(x)) \(Self.number(y))"
    for index in route.nodes.dropFirst() {
      let node = layout.nodes[index]
      let nextX = node.x + Self.margin
      let nextY = node.box == nil ? node.y + Self.margin : height(right, node)
      path += Self.curve(x, y, nextX, nextY)
      (x, y) = (nextX, nextY)
      guard node.box == nil else { continue }
      x += node.width
      path += " L \(Self.number(x)) \(Self.number(y))"
    }
    return draw(
      line, path, mark(line, left, at: start, isLeft: true),
      mark(line, right, at: (x, y), isLeft: false))
  }

  /// A relationship of an entity to itself: a bow at the right of its box.
  private func loop(_ line: ModelGraph.Line, _ layout: LayeredLayout) -> String {
    let node = layout.nodes[line.source.box]
    let x = node.x + node.width + Self.margin
    let first = height(line.source, node)
    var second = height(line.destination, node)
    if first == second { second = node.y + Self.margin + Self.titleHeight / 2 }
    let path =
      "M \(Self.number(x)) \(Self.number(first)) C \(Self.number(x + 42)) \(Self.number(first)), "
      + "\(Self.number(x + 42)) \(Self.number(second)), \(Self.number(x)) \(Self.number(second))"
    return draw(
      line, path, mark(line, line.source, at: (x, first), isLeft: true),
      mark(line, line.destination, at: (x, second), isLeft: true))
  }

  private func draw(_ line: ModelGraph.Line, _ path: String, _ marks: String...) -> String {
    let style = line.kind == .inheritance ? "line inheritance" : "line"
    return (["<path class=\"\(style)\" d=\"\(path)\"/>"] + marks.filter { !$0.isEmpty })
      .joined(separator: "\n")
  }

  /// Returns the symbol at the end of a line: a fork for many, a bar for one, a triangle for a parent.
  ///
  /// - Parameter isLeft: Whether the line comes from the right.
  private func mark(
    _ line: ModelGraph.Line, _ end: ModelGraph.End, at place: (x: Double, y: Double), isLeft: Bool
  ) -> String {
    let outward = isLeft ? 1.0 : -1.0
    let (x, y) = place
    func point(_ dx: Double, _ dy: Double) -> String {
      "\(Self.number(x + dx * outward)) \(Self.number(y + dy))"
    }
    if line.kind == .inheritance {
      guard end == line.destination else { return "" }
      return
        "<path class=\"parent\" d=\"M \(point(0, 0)) L \(point(11, -6)) L \(point(11, 6)) Z\"/>"
    }
    // Without an inverse the number of sources is unknown.
    if end == line.source, line.destination.row == nil { return "" }
    let path =
      end.isMany
      ? "M \(point(0, -5)) L \(point(10, 0)) L \(point(0, 5))"
      : "M \(point(6, -5)) L \(point(6, 5))"
    return "<path class=\"line\" d=\"\(path)\"/>"
  }

  private static func curve(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double) -> String {
    let bend = (toX - x) / 2
    return " C \(number(x + bend)) \(number(y)), \(number(toX - bend)) \(number(toY)), "
      + "\(number(toX)) \(number(toY))"
  }

  /// A number with one decimal at the most.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }
}
