// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lines over a size, both axes logarithmic.
struct CurveChart {
  struct Line {
    /// The label at the end of the line; empty for none.
    let name: String
    /// The CSS class of the line.
    let kind: String
    let points: [(x: Double, y: Double)]
  }

  let lines: [Line]
  let label: String

  private static let width = 360.0
  private static let height = 230.0

  var svg: String {
    let points = lines.flatMap(\.points)
    let across = LogScale(decadesFor: points.map(\.x), from: 44, to: Self.width - 72)
    let upwards = LogScale(decadesFor: points.map(\.y), from: Self.height - 24, to: 12)
    var parts: [String] = []
    for decade in across.decades {
      let x = across.place(decade)
      parts.append(Markup.line(x, 12, x, Self.height - 24, "rule"))
      parts.append(Markup.text(Self.short(decade), x, Self.height - 8, "scale", anchor: "middle"))
    }
    for decade in upwards.decades {
      let y = upwards.place(decade)
      parts.append(Markup.line(44, y, Self.width - 72, y, "rule"))
      parts.append(Markup.text(Self.short(decade), 38, y + 4, "scale", anchor: "end"))
    }
    for line in lines { parts += draw(line, across, upwards) }
    parts += labels(across, upwards)
    return Markup.svg(width: Self.width, height: Self.height, label: label, parts)
  }

  private func draw(_ line: Line, _ across: LogScale, _ upwards: LogScale) -> [String] {
    let places = line.points.map { (x: across.place($0.x), y: upwards.place($0.y)) }
    let path = places.map { "\(Markup.number($0.x)),\(Markup.number($0.y))" }
    var parts = [
      "<polyline points=\"\(path.joined(separator: " "))\" class=\"curve \(line.kind)\"/>"
    ]
    guard !line.name.isEmpty else { return parts }
    for (place, point) in zip(places, line.points) {
      let title = "\(line.name), \(Figures.grouped(Int(point.x))): \(Figures.digits(point.y))"
      parts.append(
        "<circle cx=\"\(Markup.number(place.x))\" cy=\"\(Markup.number(place.y))\" r=\"3\" "
          + "class=\"point \(line.kind)\"><title>\(Markup.escaped(title))</title></circle>")
    }
    return parts
  }

  /// The names at the ends of the lines, moved apart where they would touch.
  private func labels(_ across: LogScale, _ upwards: LogScale) -> [String] {
    let ends = lines.filter { !$0.name.isEmpty }.compactMap { line in
      line.points.last.map { (line: line, x: across.place($0.x), y: upwards.place($0.y)) }
    }.sorted { $0.y < $1.y }
    var last = -100.0
    return ends.map { end in
      let y = max(end.y + 4, last + 13)
      last = y
      return Markup.text(end.line.name, end.x + 7, y, "end \(end.line.kind)")
    }
  }

  /// Returns a power of ten in few characters.
  static func short(_ value: Double) -> String {
    switch value {
    case 1e6...: "\(Int(value / 1e6)) M"
    case 1e3...: "\(Int(value / 1e3)) k"
    case 1...: "\(Int(value))"
    default: String(format: "%g", value)
    }
  }
}
