// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Argument and result types of functions.
extension PredicateResolver {
  func resultType(of function: FetchFunction, _ arguments: [Typed]) throws -> ExpressionType {
    let types = arguments.map(\.type)
    switch function {
    case .uppercase, .lowercase, .canonical:
      try require(types, [.string], function)
      return .string
    case .length:
      try require(types, [.string, .data], function)
      return .integer
    case .add, .subtract, .multiply, .divide, .modulus:
      return try arithmeticType(types, function)
    case .raise, .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      try requireNumbers(types, function)
      return .double
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      try require(types, [.integer, .boolean], function)
      return .integer
    case .negate, .absolute, .floor, .ceiling, .trunc:
      try requireNumbers(types, function)
      return types[0] == .boolean ? .integer : types[0]
    case .random: return .double
    case .cast: return try castType(arguments)
    default: throw invalid("\(function.rawValue) is not supported")
    }
  }

  private func arithmeticType(
    _ types: [ExpressionType], _ function: FetchFunction
  ) throws -> ExpressionType {
    if types.contains(.date), function == .add || function == .subtract {
      if types == [.date, .date] {
        guard function == .subtract else { throw invalid("two dates cannot be added") }
        return .double
      }
      guard function == .add || types[0] == .date || types[0] == .unknown else {
        throw invalid("a date cannot be subtracted from a number")
      }
      try requireNumbers(types.filter { $0 != .date }, function)
      return .date
    }
    try requireNumbers(types, function)
    if types.contains(.unknown) { return .unknown }
    if types.contains(.double) { return .double }
    return types.contains(.decimal) ? .decimal : .integer
  }

  private func castType(_ arguments: [Typed]) throws -> ExpressionType {
    guard case .string(let name)? = arguments[1].constant, let target = CastTarget(name: name)
    else { throw invalid("CAST needs the name of a type") }
    return switch target {
    case .number: .unknown
    case .string: .string
    case .date: .date
    case .decimal: .decimal
    case .data: .data
    case .uuid: .uuid
    case .uri: .uri
    }
  }

  private func require(
    _ types: [ExpressionType], _ allowed: [ExpressionType], _ function: FetchFunction
  ) throws {
    for type in types where type != .unknown && !allowed.contains(type) {
      throw mismatch("\(function.rawValue) does not take \(type.name)", key: nil)
    }
  }

  private func requireNumbers(_ types: [ExpressionType], _ function: FetchFunction) throws {
    for type in types where type != .unknown && !type.isNumeric {
      throw mismatch("\(function.rawValue) does not take \(type.name)", key: nil)
    }
  }
}
