// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import RoostQuery

/// A mapping expression whose names are resolved in the models.
indirect enum CompiledExpression {
  /// A value.
  case constant(Value)
  /// An attribute of the source object, read without boxing it.
  case attribute(String)
  /// A key path from the source object.
  case sourcePath(String)
  /// The value of a variable.
  case variable(String)
  /// The result of a call.
  case call(CompiledCall)
  /// Several values.
  case list([CompiledExpression])
  /// One of two.
  case conditional(CompiledCondition, CompiledExpression, CompiledExpression)
  /// An expression for the predicate evaluator.
  case other(FetchExpression, variables: Set<String>, calls: [Int: CompiledCall])
}

/// A condition of an expression, with its variables and calls.
struct CompiledCondition {
  let predicate: FetchPredicate
  let variables: Set<String>
  let calls: [Int: CompiledCall]
}

/// A call of an expression.
struct CompiledCall {
  enum Function {
    case manager(ManagerFunction)
    case policy(MigrationFunction)
  }

  let function: Function
  let arguments: [CompiledExpression]
}

/// The values of an expression's variables while one object is made or connected.
protocol MappingScope {
  var source: ManagedObject? { get }
  /// Returns the value of a variable; nil for an unknown one.
  func value(ofVariable name: String) -> Any?
  /// Returns the result of a manager function.
  func call(_ function: ManagerFunction, _ arguments: [Any?]) throws -> Any?
}

extension CompiledExpression {
  /// The value: a `Value`, an object, an array or set of objects, or the result of a policy.
  func evaluate(in scope: some MappingScope) throws -> Any? {
    switch self {
    case .constant(let value): return value.isNull ? nil : value
    case .attribute(let name):
      guard let value = try scope.source?.exchangeValue(forKey: name), !value.isNull else {
        return nil
      }
      return value
    case .sourcePath(let path): return try scope.source?.value(forKeyPath: path)
    case .variable(let name): return scope.value(ofVariable: name)
    case .call(let call): return try call.evaluate(in: scope)
    case .list(let members): return try members.compactMap { try $0.evaluate(in: scope) }
    case .conditional(let condition, let first, let second):
      return try (condition.holds(in: scope) ? first : second).evaluate(in: scope)
    case .other(let expression, let variables, let calls):
      return try expression.plainValue(
        variables: Self.bind(variables, calls, in: scope))
    }
  }

  static func bind(
    _ variables: Set<String>, _ calls: [Int: CompiledCall], in scope: some MappingScope
  ) throws -> [String: Any?] {
    var bound: [String: Any?] = [:]
    for name in variables {
      if let index = MappingCall.index(ofVariable: name), let call = calls[index] {
        bound[name] = .some(try call.evaluate(in: scope))
      } else {
        bound[name] = .some(scope.value(ofVariable: name))
      }
    }
    return bound
  }
}

extension CompiledCondition {
  func holds(in scope: some MappingScope) throws -> Bool {
    try predicate.evaluate(
      withValue: scope.source,
      variables: CompiledExpression.bind(variables, calls, in: scope))
  }
}

extension CompiledCall {
  func evaluate(in scope: some MappingScope) throws -> Any? {
    let values = try arguments.map { try $0.evaluate(in: scope) }
    switch function {
    case .manager(let function): return try scope.call(function, values)
    case .policy(let function):
      // A policy gets the values that key-value coding would return.
      return try function(values.map { ($0 as? Value).map(\.anyValue) ?? $0 })
    }
  }
}
