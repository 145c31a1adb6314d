// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A constant right side of a comparison.
enum ConstantOperand {
  case value(Value)
  /// For `IN` and `BETWEEN`.
  case list([Value])
}

/// Compiles comparisons of values computed per item.
struct ValueTestCompiler {
  let comparison: ComparisonPredicate.Comparison
  let options: ComparisonPredicate.Options

  /// Returns the test of a left side against a constant, for all comparisons.
  func throwingTest(with operand: ConstantOperand) throws -> (Value) throws -> Bool {
    guard comparison == .matches, case .value(.string(let pattern)) = operand else {
      return try test(with: operand)
    }
    let matcher = try StringMatcher(comparison, pattern, options: options)
    return {
      guard case .string(let text) = $0 else { return false }
      return try matcher.matches(text)
    }
  }

  /// Returns the test of a left side against a constant, for all comparisons except `MATCHES`, which may fail.
  func test(with operand: ConstantOperand) throws -> (Value) -> Bool {
    switch operand {
    case .list(let values): return try listTest(values)
    case .value(.string(let text)) where comparison != .in && comparison != .between:
      let matcher = try StringMatcher(comparison, text, options: options)
      let whenOther = comparison == .notEqualTo
      return {
        if case .string(let left) = $0 { return matcher.accepts(left) }
        return whenOther
      }
    case .value(let right):
      let comparison = comparison
      return { Self.compare($0, comparison, right) }
    }
  }

  /// Returns the test of two computed sides.
  func test() -> (Value, Value) throws -> Bool {
    let comparison = comparison
    let options = options
    return { left, right in
      switch (left, right) {
      case (_, .list(let values)) where comparison == .in || comparison == .between:
        try ValueTestCompiler(comparison: comparison, options: options).listTest(values)(left)
      case (.string(let left), .string(let right)):
        try StringMatcher(comparison, right, options: options).matches(left)
      default: Self.compare(left, comparison, right)
      }
    }
  }

  private func listTest(_ values: [Value]) throws -> (Value) -> Bool {
    switch comparison {
    case .between: return try betweenTest(values)
    case .in: return try memberTest(values)
    default:
      let comparison = comparison
      return { Self.compare($0, comparison, .list(values)) }
    }
  }

  private func betweenTest(_ bounds: [Value]) throws -> (Value) -> Bool {
    guard bounds.count == 2, !bounds[0].isNull, !bounds[1].isNull else { return { _ in false } }
    let lower = ValueTestCompiler(comparison: .greaterThanOrEqualTo, options: options)
    let upper = ValueTestCompiler(comparison: .lessThanOrEqualTo, options: options)
    let first = try lower.test(with: .value(bounds[0]))
    let second = try upper.test(with: .value(bounds[1]))
    return { first($0) && second($0) }
  }

  private func memberTest(_ values: [Value]) throws -> (Value) -> Bool {
    let texts = values.compactMap(\.asString)
    let others = values.filter { $0.asString == nil }
    let textTest = texts.isEmpty ? nil : try stringMemberTest(texts)
    return { left in
      if case .string(let text) = left { return textTest?(text) ?? false }
      return others.contains { ValueComparison.areEqual(left, $0) }
    }
  }

  private func stringMemberTest(_ texts: [String]) throws -> (String) -> Bool {
    let options = options
    if options.contains(.localeSensitive) {
      let matchers = try texts.map { try StringMatcher(.equalTo, $0, options: options) }
      return { text in matchers.contains { $0.accepts(text) } }
    }
    let set = Set(texts.map { UTF8Key(options.folding($0)) })
    return { set.contains(UTF8Key(options.folding($0))) }
  }

  private static func compare(
    _ left: Value, _ comparison: ComparisonPredicate.Comparison, _ right: Value
  ) -> Bool {
    switch comparison {
    case .equalTo: ValueComparison.areEqual(left, right)
    case .notEqualTo: !ValueComparison.areEqual(left, right)
    default: ValueComparison.compare(left, right).map(comparison.accepts) ?? false
    }
  }
}
