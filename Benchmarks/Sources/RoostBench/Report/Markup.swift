// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Pieces of HTML and SVG.
enum Markup {
  /// Returns a text escaped for element content and attributes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }

  /// Returns a coordinate with at most one digit after the point.
  static func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
  }

  static func text(
    _ text: String, _ x: Double, _ y: Double, _ kind: String = "", anchor: String = "start"
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" class=\"\(kind)\" text-anchor=\"\(anchor)\">"
      + "\(escaped(text))</text>"
  }

  static func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ kind: String
  ) -> String {
    "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" "
      + "class=\"\(kind)\"/>"
  }

  static func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ kind: String, title: String
  ) -> String {
    "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(max(width, 1)))\" "
      + "height=\"\(number(height))\" rx=\"2\" class=\"\(kind)\"><title>\(escaped(title))</title></rect>"
  }

  static func svg(width: Double, height: Double, label: String, _ parts: [String]) -> String {
    """
    <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-label="\(escaped(label))">
    \(parts.joined(separator: "\n"))
    </svg>
    """
  }

  static func table(_ kind: String, head: [String], rows: [[String]]) -> String {
    let headCells = head.map { "<th scope=\"col\">\($0)</th>" }.joined()
    let body = rows.map { row in
      "<tr><th scope=\"row\">\(row[0])</th>"
        + row.dropFirst().map { "<td>\($0)</td>" }.joined() + "</tr>"
    }
    return """
      <div class="scroll"><table class="\(kind)">
      <thead><tr>\(headCells)</tr></thead>
      <tbody>\(body.joined(separator: "\n"))</tbody>
      </table></div>
      """
  }
}
