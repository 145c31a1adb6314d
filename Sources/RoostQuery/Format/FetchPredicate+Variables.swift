// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchPredicate {
  /// Returns the condition with its variables replaced by values.
  ///
  /// ```swift
  /// let template = try FetchPredicate("name == $name")
  /// let ada = try template.withSubstitutionVariables(["name": "Ada"])
  /// ```
  ///
  /// - Parameter variables: A value for each variable, of a type that a format string accepts; nil tests for nil.
  /// - Throws: `invalidRequest` when a variable has no value, `invalidPredicate` when a value is of a type that a
  ///   predicate cannot hold, `limitExceeded` when the condition is nested too deep.
  public func withSubstitutionVariables(_ variables: [String: Any?]) throws -> FetchPredicate {
    try substituting(try VariableValues(variables), leavesUnknown: false)
  }

  /// Returns the condition with its variables replaced by values, also of key paths that begin at one.
  ///
  /// - Parameter value: The value of a variable, or of a path from it; nil when there is no such variable. `NSNull`
  ///   tests for nil.
  /// - Throws: The errors of ``withSubstitutionVariables(_:)``, and those of `value`.
  package func substituting(
    _ value: (_ name: String, _ path: [String]) throws -> Any?
  ) throws -> FetchPredicate {
    try withoutActuallyEscaping(value) { value in
      var values = VariableValues()
      values.look = value
      return try substituting(values, leavesUnknown: false)
    }
  }

  /// The names of the unbound variables.
  ///
  /// - Complexity: O(*n*) in the size of the condition; parts that are nested too deep for a query have no names.
  public var variableNames: Set<String> {
    guard QueryShape(of: self).isAllowed else { return [] }
    var collector = VariableSubstitution(values: VariableValues(), leavesUnknown: true)
    _ = try? collector.predicate(self)
    return collector.unknown
  }

  func substituting(_ values: VariableValues, leavesUnknown: Bool) throws -> FetchPredicate {
    guard QueryShape(of: self).isAllowed else {
      throw PersistenceError(
        .limitExceeded, "a condition is nested more than \(QueryLimits.maximumDepth) deep")
    }
    var substitution = VariableSubstitution(values: values, leavesUnknown: leavesUnknown)
    return try substitution.predicate(self)
  }
}

/// The values of variables as expressions.
struct VariableValues {
  private(set) var expressions: [String: FetchExpression] = [:]
  /// Returns the value of a variable, or of a path from it, on demand.
  var look: ((_ name: String, _ path: [String]) throws -> Any?)?

  init() {}

  init(_ variables: [String: Any?]) throws {
    for (name, value) in variables {
      expressions[name] = try Self.expression(value, of: name)
    }
  }

  /// Returns the value of a variable, or of a path from it.
  func expression(_ name: String, _ path: [String] = []) throws -> FetchExpression? {
    if path.isEmpty, let known = expressions[name] { return known }
    return try look?(name, path).map { try Self.expression($0, of: name) }
  }

  private static func expression(_ value: Any?, of name: String) throws -> FetchExpression {
    guard let expression = PredicateArgument.expression(value) else {
      throw PersistenceError(
        .invalidPredicate,
        "the variable $\(name) has a value of a type that a predicate cannot hold")
    }
    return expression
  }
}

/// Replaces variables. It recurses to the depth of the tree, which was checked.
private struct VariableSubstitution {
  let values: VariableValues
  let leavesUnknown: Bool
  var unknown: Set<String> = []
  /// The variables bound by enclosing subqueries.
  private var bound: [String] = []

  init(values: VariableValues, leavesUnknown: Bool) {
    self.values = values
    self.leavesUnknown = leavesUnknown
  }

  mutating func predicate(_ predicate: FetchPredicate) throws -> FetchPredicate {
    switch predicate {
    case .constant: return predicate
    case .comparison(var comparison):
      comparison.left = try expression(comparison.left)
      comparison.right = try expression(comparison.right)
      return .comparison(comparison)
    case .and(let operands): return .and(try operands.map { try self.predicate($0) })
    case .or(let operands): return .or(try operands.map { try self.predicate($0) })
    case .not(let operand): return .not(try self.predicate(operand))
    }
  }

  private mutating func expression(_ expression: FetchExpression) throws -> FetchExpression {
    switch expression {
    case .constant, .nullObject, .refused, .evaluatedObject, .keyPath: return expression
    case .variable(let name): return try value(of: name)
    case .keyPathOf(.variable(let name), let path) where !bound.contains(name):
      if let value = try values.expression(name, path) { return value }
      return try value(of: name).appending(path).expression
    case .keyPathOf(let base, let path): return try self.expression(base).appending(path).expression
    case .list(let members): return .list(try members.map { try self.expression($0) })
    case .function(let function, let arguments):
      return .function(function, try arguments.map { try self.expression($0) })
    case .subquery(let collection, let variable, let condition):
      let collection = try self.expression(collection)
      bound.append(variable)
      defer { bound.removeLast() }
      return .subquery(collection, variable: variable, try predicate(condition))
    case .conditional(let condition, let first, let second):
      return .conditional(
        try predicate(condition), try self.expression(first), try self.expression(second))
    }
  }

  private mutating func value(of name: String) throws -> FetchExpression {
    if bound.contains(name) { return .variable(name) }
    if let value = try values.expression(name) { return value }
    guard leavesUnknown else {
      throw PersistenceError(.invalidRequest, "the variable $\(name) has no value", key: name)
    }
    unknown.insert(name)
    return .variable(name)
  }
}
