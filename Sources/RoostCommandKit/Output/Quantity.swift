// SPDX-License-Identifier: Apache-2.0

/// Numbers in sentences.
enum Quantity {
  /// A number with commas between thousands.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text = "," + text }
      text = String(digit) + text
    }
    return (number < 0 ? "-" : "") + text
  }

  /// `1 record`, `2,000 records`.
  static func of(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(count)) \(count == 1 ? singular : plural ?? singular + "s")"
  }

  /// A number of bytes: `512 bytes`, `61.4 MB`.
  static func bytes(_ count: Int) -> String {
    guard count >= 1000 else { return of(count, "byte") }
    var value = Double(count)
    var unit = ""
    for next in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
      value /= 1000
      unit = next
    }
    let tenths = Int((value * 10).rounded())
    return value < 99.95
      ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
  }
}
