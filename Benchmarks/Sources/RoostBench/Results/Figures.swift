// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Formats numbers with significant digits only.
enum Figures {
  static func ratio(_ value: Double) -> String {
    switch value {
    case 100...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
  }

  /// Formats a goal as performance.md does.
  static func goal(_ value: Double) -> String {
    if value == value.rounded(), value >= 2 { return String(format: "%.0f", value) }
    let isShort = (value * 10).rounded() == value * 10
    return String(format: isShort ? "%.1f" : "%.2f", value)
  }

  /// Formats a quantity with three digits and its unit.
  static func quantity(_ value: Double, _ unit: String) -> String {
    "\(digits(value)) \(unit)"
  }

  static func digits(_ value: Double) -> String {
    switch abs(value) {
    case 1000...: grouped(Int(value.rounded()))
    case 100...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    case 1...: String(format: "%.2f", value)
    default: String(format: "%.3f", value)
    }
  }

  /// Formats an integer with separated thousands.
  static func grouped(_ number: Int) -> String {
    var text = String(abs(number))
    var end = text.count
    while end > 3 {
      end -= 3
      text.insert(",", at: text.index(text.startIndex, offsetBy: end))
    }
    return (number < 0 ? "-" : "") + text
  }

  static func percent(_ part: Double) -> String { String(format: "%.0f %%", part * 100) }

  /// Formats the remaining time in everyday units.
  static func remaining(_ seconds: Double) -> String {
    let seconds = Int(seconds.rounded())
    if seconds < 90 { return "\(seconds) s" }
    if seconds < 5400 { return "\((seconds + 30) / 60) min" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }
}
