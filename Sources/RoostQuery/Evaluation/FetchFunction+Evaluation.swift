// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

// Evaluation of scalar functions, the same in every store.
extension FetchFunction {
  /// Returns the result of a function for its arguments.
  ///
  /// A nil argument, an unsupported type, a division by zero, a result outside of the type's range and NaN all give
  /// nil: no row can make a query fail, whatever the evaluation order of conditions. A product of decimals that is
  /// smaller than the smallest decimal is 0. Integers stay integers, and
  /// their division truncates; with a double the result is a double, otherwise with a decimal a decimal. Lengths
  /// count Unicode scalars. A date plus or minus a number is a date, a date minus a date is a number of seconds.
  ///
  /// A store registers this function in its engine where the engine's own differs.
  /// - Parameters:
  ///   - arguments: As many values as the function takes.
  /// - Returns: The result; nil for aggregate functions and for functions that need more than values.
  public func apply(_ arguments: [Value]) -> Value {
    switch arguments.count {
    case 0: applyToNothing()
    case 1: apply(arguments[0])
    case 2: apply(arguments[0], arguments[1])
    default: .null
    }
  }

  private func applyToNothing() -> Value {
    switch self {
    case .now: .date(Date())
    case .random: .double(Double.random(in: 0..<1))
    default: .null
    }
  }

  func apply(_ argument: Value) -> Value {
    switch self {
    case .uppercase: Self.text(argument) { $0.uppercased() }
    case .lowercase: Self.text(argument) { $0.lowercased() }
    case .canonical:
      Self.text(argument) {
        StringFolding.fold($0, [.caseInsensitive, .diacriticInsensitive])
      }
    case .length:
      if case .string(let text) = argument {
        .integer(Int64(text.unicodeScalars.count))
      } else if case .data(let data) = argument {
        .integer(Int64(data.count))
      } else {
        .null
      }
    case .onesComplement: argument.number.map(Self.complement) ?? .null
    case .negate, .absolute: argument.number.map(changedSign) ?? .null
    case .floor, .ceiling, .trunc: argument.number.map(rounded) ?? .null
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      argument.number.map { transcendental($0.double) } ?? .null
    default: .null
    }
  }

  func apply(_ left: Value, _ right: Value) -> Value {
    switch self {
    case .cast:
      if case .string(let name) = right, let target = CastTarget(name: name) {
        return target.cast(left) ?? .null
      }
      return .null
    case .add, .subtract:
      if let result = dateArithmetic(left, right) { return result }
      return arithmetic(left, right)
    case .multiply, .divide, .modulus: return arithmetic(left, right)
    case .raise:
      guard let base = left.number, let exponent = right.number else { return .null }
      return Self.value(pow(base.double, exponent.double))
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
      guard case .integer(let left)? = left.number, case .integer(let right)? = right.number else {
        return .null
      }
      return bitwise(left, right).map(Value.integer) ?? .null
    default: return .null
    }
  }

  private static func text(_ value: Value, _ change: (String) -> String) -> Value {
    if case .string(let text) = value { return .string(change(text)) }
    return .null
  }

  /// Returns a number as a result; NaN becomes nil, and negative zero becomes zero.
  static func value(_ number: Double) -> Value {
    number.isNaN ? .null : .double(number == 0 ? 0 : number)
  }
}

// MARK: - Numbers of one argument

extension FetchFunction {
  private static func complement(_ number: Number) -> Value {
    if case .integer(let number) = number { return .integer(~number) }
    return .null
  }

  private func changedSign(_ number: Number) -> Value {
    switch number {
    case .integer(let number):
      if number == .min { return .null }
      return .integer(self == .negate ? -number : abs(number))
    case .double(let number): return Self.value(self == .negate ? -number : abs(number))
    case .decimal(let number): return .decimal(self == .negate ? -number : abs(number))
    }
  }

  private func rounded(_ number: Number) -> Value {
    switch number {
    case .integer(let number): return .integer(number)
    case .double(let number):
      let rule: FloatingPointRoundingRule =
        self == .floor ? .down : self == .ceiling ? .up : .towardZero
      return Self.value(number.rounded(rule))
    case .decimal(var number):
      var result = Decimal()
      let isNegative = number < 0
      let mode: NSDecimalNumber.RoundingMode =
        switch self {
        case .floor: .down
        case .ceiling: .up
        default: isNegative ? .up : .down
        }
      NSDecimalRound(&result, &number, 0, mode)
      return .decimal(result)
    }
  }

  private func transcendental(_ number: Double) -> Value {
    let result =
      switch self {
      case .squareRoot: number.squareRoot()
      case .logarithm: log10(number)
      case .naturalLogarithm: log(number)
      default: exp(number)
      }
    // The logarithm of 0 is minus infinity, on which engines disagree.
    return result.isInfinite && number.isFinite ? .null : Self.value(result)
  }
}

extension Number {
  /// The nearest double.
  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): DecimalParts.double(number)
    }
  }

  /// The number as a decimal; nil when it is a double or too large.
  var exactDecimal: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .double: nil
    case .decimal(let number): number
    }
  }
}
