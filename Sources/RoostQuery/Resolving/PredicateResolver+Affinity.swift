// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// A column of text makes SQLite compare a number by its text. Programs that were written for Core Data's SQLite store
// rely on that; here the text is made before any store is asked, so that all give the same answer.
extension PredicateResolver {
  /// A constant as the type of what it is compared with; nil when it cannot be compared at all.
  func typed(_ constant: Value, for side: Typed) -> TypedConstant? {
    if comparesByAffinity, side.type == .string, side.key != nil, let number = constant.number {
      return .value(.string(Self.text(of: number)))
    }
    return TypedConstant(constant, as: side.type)
  }

  /// The text that SQLite makes of a number.
  private static func text(of number: Number) -> String {
    if case .integer(let integer) = number { return "\(integer)" }
    let text = String(format: "%.15g", number.double)
    guard !text.contains("."), number.double.isFinite else { return text }
    guard let exponent = text.firstIndex(of: "e") else { return text + ".0" }
    return text[..<exponent] + ".0" + text[exponent...]
  }
}
