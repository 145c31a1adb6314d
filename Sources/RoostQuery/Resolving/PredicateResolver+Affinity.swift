// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// SQLite's TEXT affinity compares a number with a text column by its text. Programs for Core Data's SQLite store rely
// on that; here the number is converted before the request reaches a store, so that all stores agree.
extension PredicateResolver {
  /// Converts a constant to the type it is compared with; nil when the two are not comparable.
  func typed(_ constant: Value, for side: Typed) -> TypedConstant? {
    if comparesByAffinity, side.type == .string, side.key != nil, let number = constant.number {
      return .value(.string(Self.text(of: number)))
    }
    return TypedConstant(constant, as: side.type)
  }

  /// Returns SQLite's text of a number.
  private static func text(of number: Number) -> String {
    if case .integer(let integer) = number { return "\(integer)" }
    let text = String(format: "%.15g", number.double)
    guard !text.contains("."), number.double.isFinite else { return text }
    guard let exponent = text.firstIndex(of: "e") else { return text + ".0" }
    return text[..<exponent] + ".0" + text[exponent...]
  }
}
