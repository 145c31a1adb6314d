// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program's output: headings, rows and tables, for a terminal or a file.
enum Terminal {
  /// Whether the output is a terminal; only then lines are overwritten.
  static let isInteractive = isatty(1) == 1

  static func title(_ text: String) {
    print(text)
    print(String(repeating: "=", count: text.count))
  }

  static func section(_ text: String) {
    print("\n\(text)")
    print(String(repeating: "-", count: text.count))
  }

  static func line(_ text: String = "") {
    print(text.isEmpty ? "" : "  " + text)
  }

  /// Prints a label and its text, aligned.
  static func row(_ label: String, _ text: String, width: Int = 14) {
    line(padded(label, width) + " " + text)
  }

  /// Several lines under each other, the long ones broken between words.
  static func block(_ text: String) {
    for part in text.split(separator: "\n") {
      var width = 0
      var broken = ""
      for word in part.split(separator: " ") {
        if width + word.count > 90 {
          broken += "\n       "
          width = 0
        }
        broken += (broken.isEmpty ? "" : " ") + word
        width += word.count + 1
      }
      line("  " + broken)
    }
  }

  /// The first few of many items, and their number.
  static func list(_ items: [String], atMost limit: Int = 8) -> String {
    guard !items.isEmpty else { return "none" }
    let shown = items.prefix(limit).joined(separator: ", ")
    return items.count > limit ? "\(shown), ... (\(number(items.count)) in all)" : shown
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A number with its thousands apart.
  static func number(_ value: Int) -> String {
    var digits = Array(String(value.magnitude))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return (value < 0 ? "-" : "") + String(digits)
  }
}

/// How far a long work is: a bar that grows at a terminal, one line at the end elsewhere.
struct ProgressBar {
  private let label: String
  private let total: Int
  private var done = 0
  private var drawn = -1
  private static let width = 30

  init(_ label: String, total: Int) {
    self.label = label
    self.total = total
    draw()
  }

  mutating func advance() {
    done += 1
    draw()
  }

  /// Ends the line; call it once.
  func finish() {
    print(Terminal.isInteractive ? "\r" + text : text)
  }

  private mutating func draw() {
    guard Terminal.isInteractive, filled != drawn else { return }
    drawn = filled
    print("\r" + text, terminator: "")
    fflush(nil)
  }

  private var filled: Int { total == 0 ? Self.width : done * Self.width / total }

  private var text: String {
    let bar =
      String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    return "  " + Terminal.padded(label, 14) + " [\(bar)] " + Terminal.number(done)
  }
}
