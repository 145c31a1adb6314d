// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel

/// An independent implementation of the value contract, without code of the layers under test.
package enum ValueOracle {
  /// Compares values of one type: negative when `left` comes first. nil comes before everything.
  package static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.integer(let a), .integer(let b)): order(a, b)
    case (.boolean(let a), .boolean(let b)): order(a ? 1 : 0, b ? 1 : 0)
    case (.double(let a), .double(let b)): order(a, b)
    case (.date(let a), .date(let b)):
      order(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    case (.decimal(let a), .decimal(let b)): order(a, b)
    case (.string(let a), .string(let b)): order(Array(a.utf8), Array(b.utf8))
    case (.uri(let a), .uri(let b)):
      order(Array(a.absoluteString.utf8), Array(b.absoluteString.utf8))
    case (.uuid(let a), .uuid(let b)): order(bytes(a), bytes(b))
    case (.data(let a), .data(let b)): order(Array(a), Array(b))
    default: preconditionFailure("Values of two types are not compared by the oracle.")
    }
  }

  /// Whether a comparison holds: `==` and `!=` take nil for a value, everything else is false for nil (B142).
  package static func holds(_ left: Value, _ comparison: String, _ right: Value) -> Bool {
    let order = compare(left, right)
    switch comparison {
    case "==": return order == 0
    case "!=": return order != 0
    default: break
    }
    if left.isNull || right.isNull { return false }
    switch comparison {
    case "<": return order < 0
    case "<=": return order <= 0
    case ">": return order > 0
    case ">=": return order >= 0
    default: preconditionFailure("\(comparison) is no comparison.")
    }
  }

  private static func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left == right { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

extension ValueOracle {
  /// A decimal of its text.
  package static func decimal(_ text: String) -> Decimal {
    Decimal(string: text) ?? .nan
  }

  /// Whether something that came out of a dictionary is a decimal.
  package static func equals(_ found: Any?, _ wanted: Decimal) -> Bool {
    found as? Decimal == wanted || (found as? NSDecimalNumber)?.decimalValue == wanted
  }
}
