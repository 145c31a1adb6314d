// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Accessors for the parts of an expression, without a switch. A missing part is nil.
extension FetchExpression {
  /// The kind of an expression.
  ///
  /// ```swift
  /// precondition(FetchExpression.keyPath(["name"]).kind == .keyPath)
  /// ```
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// A value.
    case constantValue
    /// `SELF`.
    case evaluatedObject
    /// `$name`.
    case variable
    /// A key path from the evaluated object or from another expression.
    case keyPath
    /// A function and its arguments.
    case function
    /// `{1, 2, 3}`.
    case aggregate
    /// `SUBQUERY(collection, $variable, predicate)`.
    case subquery
    /// `TERNARY(condition, a, b)`.
    case conditional
  }

  /// The kind of the expression. A refused key path is a key path, too.
  public var kind: Kind {
    switch self {
    case .constant(.list), .list: .aggregate
    case .constant, .nullObject: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .keyPath, .keyPathOf, .refused: .keyPath
    case .variable: .variable
    case .function: .function
    case .subquery: .subquery
    case .conditional: .conditional
    }
  }

  /// The value of a constant; of a list, when all of its members are constants, the values.
  public var constantValue: Value? {
    switch self {
    case .constant(let value): return value
    case .nullObject: return .null
    case .list(let members):
      let values = members.compactMap(\.constantValue)
      return values.count == members.count ? .list(values) : nil
    default: return nil
    }
  }

  /// The steps of a key path, separated by dots. ``operand`` is its start.
  public var keyPath: String? {
    switch self {
    case .keyPath(let path), .keyPathOf(_, let path): path.joined(separator: ".")
    default: nil
    }
  }

  /// The start of a key path: `SELF`, a variable or another expression.
  public var operand: FetchExpression? {
    switch self {
    case .keyPath: .evaluatedObject
    case .keyPathOf(let base, _): base
    default: nil
    }
  }

  /// The called function.
  public var function: FetchFunction? {
    if case .function(let function, _) = self { return function }
    return nil
  }

  /// The arguments of a function.
  public var arguments: [FetchExpression]? {
    if case .function(_, let arguments) = self { return arguments }
    return nil
  }

  /// The members of a list.
  public var members: [FetchExpression]? {
    switch self {
    case .list(let members): members
    case .constant(.list(let values)): values.map { .constant($0) }
    default: nil
    }
  }

  /// The collection of a subquery.
  public var collection: FetchExpression? {
    if case .subquery(let collection, _, _) = self { return collection }
    return nil
  }

  /// The name of a variable or of the variable bound by a subquery, without the `$`.
  public var variable: String? {
    switch self {
    case .variable(let name), .subquery(_, let name, _): name
    default: nil
    }
  }

  /// The condition of a subquery or of a `TERNARY`.
  public var predicate: FetchPredicate? {
    switch self {
    case .subquery(_, _, let condition), .conditional(let condition, _, _): condition
    default: nil
    }
  }

  /// The value of a `TERNARY` whose condition holds.
  public var trueExpression: FetchExpression? {
    if case .conditional(_, let first, _) = self { return first }
    return nil
  }

  /// The value of a `TERNARY` whose condition does not hold.
  public var falseExpression: FetchExpression? {
    if case .conditional(_, _, let second) = self { return second }
    return nil
  }

  /// Returns the expression for a `%@` argument: a value, an object or its ID, a collection of these, nil or
  /// `NSNull`.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` for unsupported types.
  package static func constant(of value: Any?) throws -> FetchExpression {
    guard let expression = PredicateArgument.expression(value) else {
      throw PersistenceError(
        .invalidPredicate, "A predicate cannot hold an instance of \(TypeName.of(value)).")
    }
    return expression
  }
}
