// SPDX-License-Identifier: Apache-2.0

// The spelling of functions in format strings.
extension FetchFunction {
  /// Makes the function with a name such as `sum`, `sum:` or `add:to:`.
  init?(formatName name: String) {
    guard let function = Self.byName[name] ?? Self.byName[name + ":"] ?? Self.byShortName[name]
    else {
      return nil
    }
    self = function
  }

  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.filter { $0 != .cast && $0 != .objectFrom }.map {
      ($0.rawValue, $0)
    })

  private static let byShortName: [String: FetchFunction] = [
    "now:": .now, "random:": .random, "average": .average, "avg": .average, "avg:": .average,
    "minimum": .minimum, "maximum": .maximum, "modulus": .modulus, "bitwiseAnd": .bitwiseAnd,
    "bitwiseOr": .bitwiseOr, "bitwiseXor": .bitwiseXor,
  ]

  /// The number of arguments of the function.
  var arity: ClosedRange<Int> {
    switch self {
    case .now, .random: 0...0
    case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
      .bitwiseXor, .leftShift, .rightShift, .distanceToLocationFromLocation, .cast, .objectFrom:
      2...2
    case .negate, .onesComplement, .absolute, .ceiling, .floor, .trunc, .squareRoot, .logarithm,
      .naturalLogarithm, .exponential, .uppercase, .lowercase, .canonical, .length, .count, .sum,
      .average, .minimum, .maximum, .median, .mode, .standardDeviation:
      1...1
    }
  }

  /// The operator between two arguments, or before one.
  var formatOperator: (symbol: String, precedence: FormatParser.Precedence)? {
    switch self {
    case .add: ("+", .additive)
    case .subtract: ("-", .additive)
    case .multiply: ("*", .multiplicative)
    case .divide: ("/", .multiplicative)
    case .raise: ("**", .power)
    case .bitwiseAnd: ("&", .bitwise)
    case .bitwiseOr: ("|", .bitwise)
    case .bitwiseXor: ("^", .bitwise)
    case .leftShift: ("<<", .bitwise)
    case .rightShift: (">>", .bitwise)
    default: nil
    }
  }
}
