// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Judges items by a condition that was compiled once: the evaluator that all stores and contexts share.
///
/// Logic has two values. A comparison with nil is false, except that `==`, `!=` and `IN` treat nil as a value;
/// `ANY` of nothing is false, `ALL` of nothing true. Conditions on an item's own attributes compare typed slots.
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
  ///   - source: What is known of the items.
  /// - Throws: `invalidRequest` when the condition combines what cannot be combined, `invalidPredicate` when a pattern
  ///   cannot be read.
  /// - Complexity: O(*n*) in the number of nodes and constants.
  public init(_ predicate: ResolvedPredicate, source: Source) throws {
    var compiler = PredicateCompiler(source: source)
    test = try compiler.test(predicate)
    general = test.general
    scope = EvaluationScope(source: source, variableCount: compiler.variableCount)
  }

  /// Whether an item satisfies the condition.
  ///
  /// - Throws: What the source throws when it follows a relationship, and `arithmeticOverflow` for a sum.
  public func matches(_ item: Source.Item) throws -> Bool {
    switch test {
    case .constant(let truth): return truth
    case .row(let test): return test(try scope.source.base(of: item))
    case .scoped(let test):
      scope.object = item
      return try test(scope)
    }
  }

  /// The test of a row's memory, when the condition looks at nothing else: for a scan that has no items yet.
  public var rowTest: ((UnsafeMutableRawPointer) -> Bool)? {
    switch test {
    case .constant(let truth): { _ in truth }
    case .row(let test): test
    case .scoped: nil
    }
  }
}

/// Computes an expression for items: the evaluator of derived attributes and of columns.
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
  /// - Throws: As ``PredicateEvaluator/init(_:source:)``.
  public init(_ expression: ResolvedExpression, source: Source) throws {
    var compiler = PredicateCompiler(source: source)
    compiled = try compiler.value(expression)
    scope = EvaluationScope(source: source, variableCount: compiler.variableCount)
  }

  /// The value of the expression for an item.
  ///
  /// - Throws: As ``PredicateEvaluator/matches(_:)``.
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
