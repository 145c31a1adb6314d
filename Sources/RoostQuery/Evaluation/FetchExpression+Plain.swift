// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchExpression {
  /// Returns the value of the expression in memory, over the objects in its variables.
  ///
  /// - Parameter variables: The values of the variables; key paths traverse objects with keys.
  /// - Returns: A ``Value``, nil, an array, or the value of a variable or key.
  /// - Throws: `invalidRequest` for a variable without a value, `unknownKey`, `limitExceeded`.
  package func plainValue(variables: [String: Any?]) throws -> Any? {
    let shape = FetchPredicate.comparison(ComparisonPredicate(self, .equalTo, .nullObject))
    guard QueryShape(of: shape).isAllowed else {
      throw PersistenceError(
        .limitExceeded, "an expression is nested more than \(QueryLimits.maximumDepth) deep")
    }
    var evaluator = PlainEvaluator(object: .null)
    for (name, value) in variables { evaluator.variables[name] = try PlainValue(value) }
    return try evaluator.value(of: self).any
  }

  /// The variables that must be bound before the expression is evaluated.
  package var variableNames: Set<String> {
    FetchPredicate.comparison(ComparisonPredicate(self, .equalTo, .nullObject)).variableNames
  }
}

extension PlainValue {
  /// The original value; nil members of collections are omitted.
  fileprivate var any: Any? {
    switch self {
    case .value(.null): nil
    case .value(let value): value
    case .list(let members, _): members.compactMap(\.any)
    case .object(let object): object
    }
  }
}
