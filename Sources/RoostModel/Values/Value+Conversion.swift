// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Value {
  /// Returns the value converted to an attribute type; nil when that would lose information.
  ///
  /// An integer becomes a double or decimal, a number without a fraction an integer, 0 and 1 Booleans; a double
  /// becomes the decimal that prints alike. There are no conversions from or to strings. nil stays nil.
  public func coerced(to type: AttributeType) -> Value? {
    switch (self, type) {
    case (.null, _): .null
    case (.integer, .integer16), (.integer, .integer32), (.integer, .integer64),
      (.double, .double), (.double, .float), (.boolean, .boolean), (.string, .string),
      (.date, .date), (.data, .binaryData), (.uuid, .uuid), (.uri, .uri), (.decimal, .decimal),
      (.objectID, .objectID), (.transformable, .transformable), (.transformable, .undefined),
      (.composite, .composite):
      self
    case (_, .integer16), (_, .integer32), (_, .integer64): integerValue.map(Value.integer)
    case (_, .double), (_, .float): doubleValue.map(Value.double)
    case (_, .decimal): decimalValue.map(Value.decimal)
    case (.integer(let number), .boolean) where number == 0 || number == 1:
      .boolean(number == 1)
    case (_, .undefined): .transformable(TransformableValue(wrapping: self))
    default: nil
    }
  }

  /// Returns a number converted to the declared type of a fetch column, truncated for integers; other values, and
  /// those that cannot be converted, unchanged (B131).
  package func shown(as type: AttributeType) -> Value {
    if let exact = coerced(to: type), type != .undefined { return exact }
    switch (self, type) {
    case (.double(let number), .integer16), (.double(let number), .integer32),
      (.double(let number), .integer64):
      return Int64(exactly: number.rounded(.towardZero)).map(Value.integer) ?? self
    case (.decimal(let number), .integer16), (.decimal(let number), .integer32),
      (.decimal(let number), .integer64):
      return Value.double(DecimalParts.double(number)).shown(as: type)
    default: return self
    }
  }

  /// The number as an integer, if it has no fraction.
  private var integerValue: Int64? {
    switch self {
    case .double(let number): return Int64(exactly: number)
    case .decimal(let number):
      guard !number.isNaN, number >= Decimal(Int64.min), number <= Decimal(Int64.max) else {
        return nil
      }
      let integer = NSDecimalNumber(decimal: number).int64Value
      return Decimal(integer) == number ? integer : nil
    default: return nil
    }
  }

  private var doubleValue: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .decimal(let number): number.isNaN ? nil : DecimalParts.double(number)
    default: nil
    }
  }

  private var decimalValue: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .double(let number): Value.decimal(printedAs: number)
    default: nil
    }
  }

  /// Returns the decimal that prints like a double, because Foundation's binary conversion makes
  /// 0.07000000000000001024 of 0.07. nil outside of the range of decimals.
  private static func decimal(printedAs number: Double) -> Decimal? {
    let posix = Locale(identifier: "en_US_POSIX")
    guard number.isFinite, let decimal = Decimal(string: "\(number)", locale: posix),
      Double(decimal.description) == number
    else { return nil }
    return decimal
  }

  /// The name of the case, for messages that must not show the value.
  var typeName: String {
    switch self {
    case .null: "nil"
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .uuid: "UUID"
    case .uri: "URI"
    case .decimal: "decimal"
    case .objectID: "object ID"
    case .transformable: "transformable"
    case .list: "list"
    case .composite: "composite"
    }
  }
}
