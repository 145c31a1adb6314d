// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchExpression {
  /// The value of the expression outside of stores, of objects that variables stand for.
  ///
  /// - Parameter variables: What stands for the variables; what has keys is looked into.
  /// - Returns: A ``Value``, nil, an array, or what a variable or a key stands for.
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

  /// The variables that have to be bound before the expression has a value.
  package var variableNames: Set<String> {
    FetchPredicate.comparison(ComparisonPredicate(self, .equalTo, .nullObject)).variableNames
  }
}

extension PlainValue {
  /// The value as it was before: members of collections that are nil are left out.
  fileprivate var any: Any? {
    switch self {
    case .value(.null): nil
    case .value(let value): value
    case .list(let members, _): members.compactMap(\.any)
    case .object(let object): object
    }
  }
}
