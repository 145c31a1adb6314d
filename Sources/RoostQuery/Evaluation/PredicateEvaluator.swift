// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Evaluates a compiled condition for items; shared by all stores and contexts.
///
/// Logic is two-valued. A comparison with nil is false, except that `==`, `!=` and `IN` treat nil as a value; `ANY`
/// of no values is false, `ALL` of no values true. Conditions on an item's own attributes compare typed slots.
///
/// One evaluator serves one thread at a time.
///
/// ```swift
/// let evaluator = try PredicateEvaluator(predicate, source: RowSource(schema))
/// let adults = try rows.filter { try evaluator.matches($0) }
/// ```
public final class PredicateEvaluator<Source: EvaluationSource> {
  private let scope: EvaluationScope<Source>
  private let test: CompiledTest<Source>
  private let general: (EvaluationScope<Source>) throws -> Bool

  /// Compiles a condition.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - source: The source of the items' data.
  /// - Throws: `invalidRequest` for an unsupported combination of operands, `invalidPredicate` for an invalid
  ///   pattern.
  /// - Complexity: O(*n*) in the number of nodes and constants.
  public init(_ predicate: ResolvedPredicate, source: Source) throws {
    var compiler = PredicateCompiler(source: source)
    test = try compiler.test(predicate)
    general = test.general
    scope = EvaluationScope(source: source, variableCount: compiler.variableCount)
  }

  /// Whether an item satisfies the condition.
  ///
  /// - Throws: The errors of the source, and `arithmeticOverflow` for a sum.
  public func matches(_ item: Source.Item) throws -> Bool {
    switch test {
    case .constant(let truth): return truth
    case .row(let test): return test(try scope.source.base(of: item))
    case .scoped(let test):
      scope.object = item
      return try test(scope)
    }
  }

  /// The test by row memory, when the condition needs nothing else, for a scan without items.
  public var rowTest: ((UnsafeMutableRawPointer) -> Bool)? {
    switch test {
    case .constant(let truth): { _ in truth }
    case .row(let test): test
    case .scoped: nil
    }
  }
}

/// Computes an expression for items, for derived attributes and columns.
///
/// ```swift
/// let evaluator = try ExpressionEvaluator(expression, source: source)
/// let total = try evaluator.value(for: order)
/// ```
public final class ExpressionEvaluator<Source: EvaluationSource> {
  private let scope: EvaluationScope<Source>
  private let compiled: CompiledValue<Source>

  /// Compiles an expression.
  ///
  /// - Throws: The errors of ``PredicateEvaluator/init(_:source:)``.
  public init(_ expression: ResolvedExpression, source: Source) throws {
    var compiler = PredicateCompiler(source: source)
    compiled = try compiler.value(expression)
    scope = EvaluationScope(source: source, variableCount: compiler.variableCount)
  }

  /// Returns the value of the expression for an item.
  ///
  /// - Throws: The errors of ``PredicateEvaluator/matches(_:)``.
  public func value(for item: Source.Item) throws -> Value {
    switch compiled {
    case .constant(let value): return value
    case .row(let value): return value(try scope.source.base(of: item))
    case .scoped(let value):
      scope.object = item
      return try value(scope)
    }
  }
}
