// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Validation of an attribute's value, and conversion to its stored form, the same in every store.
///
/// Integers fit their width, floats are rounded to theirs, decimals to 38 digits, half to even, -0.0 becomes 0.0; NaN
/// and NUL in strings are refused, and so are longer decimals where the attribute does not allow rounding. Required
/// values and bounds are checked by validation.
///
/// ```swift
/// let value = try ValueCheck.check(.integer(36), for: age)
/// ```
public enum ValueCheck {
  /// The maximum number of digits of a decimal in every store.
  public static let largestDigitCount = 38

  /// Returns the value in its stored form.
  ///
  /// - Throws: `invalidValue` with the attribute's entity and name, and the value.
  public static func check(
    _ value: Value, for attribute: AttributeDescription
  ) throws(PersistenceError) -> Value {
    do throws(Refusal) {
      if let composite = attribute as? CompositeAttributeDescription {
        return try check(value, elementsOf: composite)
      }
      return try check(value, type: attribute.type, rounds: attribute.allowsRounding)
    } catch {
      throw PersistenceError(
        .invalidValue, error.reason, entityName: attribute.entity?.name,
        key: error.element.map { "\(attribute.name).\($0)" } ?? attribute.name, value: value)
    }
  }

  /// A value was refused.
  struct Refusal: Error {
    let reason: String
    /// The path of the composite's element that was refused.
    var element: String?
  }

  /// - Parameter rounds: Whether a decimal of too many digits is rounded; if not, it is refused.
  static func check(
    _ value: Value, type: AttributeType, rounds: Bool = true
  ) throws(Refusal) -> Value {
    guard let converted = value.coerced(to: type) else {
      throw Refusal(reason: refusalOfType(value, type))
    }
    switch converted {
    case .integer(let number): try checkWidth(number, type)
    case .double(let number): return .double(try check(number, type))
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      if seconds.isNaN { throw Refusal(reason: "The date is not a number.") }
      return .date(Date(timeIntervalSinceReferenceDate: seconds == 0 ? 0 : seconds))
    case .string(let text): try check(text)
    case .decimal(let number): return .decimal(try check(number, rounds: rounds))
    default: break
    }
    return converted
  }

  private static func refusalOfType(_ value: Value, _ type: AttributeType) -> String {
    if case .double(let number) = value, number.isNaN { return "The number is NaN." }
    return "A value of type \(value.typeName) is no \(type)."
  }
}

// MARK: - Composites

extension ValueCheck {
  private static func check(
    _ value: Value, elementsOf composite: CompositeAttributeDescription, depth: Int = 0
  ) throws(Refusal) -> Value {
    if value.isNull { return .null }
    guard depth < CompositeAttributeDescription.largestDepth else {
      throw Refusal(reason: "Composites are nested too deep.")
    }
    guard case .composite(let given) = value else {
      throw Refusal(reason: "A composite needs a value for each of its elements, by name.")
    }
    var result: [String: Value] = [:]
    let elements = Dictionary(
      composite.elements.compactMap { $0 as? AttributeDescription }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    for (name, value) in given {
      guard let element = elements[name] else {
        throw Refusal(reason: "The composite has no such element.", element: name)
      }
      do throws(Refusal) {
        if let inner = element as? CompositeAttributeDescription {
          result[name] = try check(value, elementsOf: inner, depth: depth + 1)
        } else {
          result[name] = try check(value, type: element.type, rounds: element.allowsRounding)
        }
      } catch {
        throw Refusal(
          reason: error.reason, element: error.element.map { "\(name).\($0)" } ?? name)
      }
    }
    return .composite(result)
  }
}

// MARK: - Types

extension ValueCheck {
  private static func checkWidth(_ number: Int64, _ type: AttributeType) throws(Refusal) {
    let fits =
      switch type {
      case .integer16: Int16(exactly: number) != nil
      case .integer32: Int32(exactly: number) != nil
      default: true
      }
    if !fits { throw Refusal(reason: "The number is out of the range of \(type).") }
  }

  private static func check(_ number: Double, _ type: AttributeType) throws(Refusal) -> Double {
    if number.isNaN { throw Refusal(reason: "The number is NaN.") }
    if number == 0 { return 0 }
    guard type == .float, number.isFinite else { return number }
    let rounded = Float(number)
    if rounded.isInfinite { throw Refusal(reason: "The number is out of the range of float.") }
    return rounded == 0 ? 0 : Double(rounded)
  }

  private static func check(_ text: String) throws(Refusal) {
    if text.hasNUL { throw Refusal(reason: "The string contains a NUL character.") }
  }

  private static func check(_ number: Decimal, rounds: Bool) throws(Refusal) -> Decimal {
    if number.isNaN { throw Refusal(reason: "The decimal is not a number.") }
    guard number.hasMoreThan38Digits else { return number }
    guard rounds else {
      throw Refusal(
        reason: "The decimal has more than \(largestDigitCount) digits, and is not to be rounded.")
    }
    guard let rounded = number.roundedTo38Digits else {
      throw Refusal(reason: "The decimal has too many digits, and is too large to be rounded.")
    }
    return rounded
  }
}

extension AttributeDescription {
  /// Returns the value with decimals rounded to 38 digits, as stores keep them, where the attribute is stored and
  /// allows it. A value that needs no rounding is returned unchanged.
  package final func roundedToStore(_ value: Value) -> Value {
    switch value {
    case .decimal(let number):
      guard allowsRounding, isStored, !number.isNaN, number.hasMoreThan38Digits else {
        return value
      }
      return number.roundedTo38Digits.map(Value.decimal) ?? value
    case .composite(let elements):
      guard let composite = self as? CompositeAttributeDescription else { return value }
      var result = elements
      for case let element as AttributeDescription in composite.elements {
        if let given = elements[element.name] {
          result[element.name] = element.roundedToStore(given)
        }
      }
      return .composite(result)
    default: return value
    }
  }
}

extension Decimal {
  /// 10^38 - 1.
  private static let largestSignificand =
    Decimal(sign: .plus, exponent: 38, significand: 1) - Decimal(1)

  /// Whether there are more significant digits than all stores can keep.
  var hasMoreThan38Digits: Bool {
    if significand.magnitude <= Decimal.largestSignificand { return false }
    var compact = self
    NSDecimalCompact(&compact)
    return compact.significand.magnitude > Decimal.largestSignificand
  }

  /// The nearest decimal of 38 digits, rounding half to even; nil when it is out of range. Decimals have at most 39
  /// digits.
  var roundedTo38Digits: Decimal? {
    var parts = DecimalParts(self)
    parts.removeTrailingZeros()
    let (quotient, digit) = parts.mantissa.quotientAndRemainder(dividingBy: 10)
    let roundsUp = digit > 5 || digit == 5 && !quotient.isMultiple(of: 2)
    parts.mantissa = roundsUp ? quotient + 1 : quotient
    parts.exponent += 1
    return parts.decimal
  }
}
