// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostObjects
public import RoostQuery

// What `NSExpression` offers, for programs in which it was replaced by `FetchExpression`: Foundation's class cannot be
// made off Apple's systems. A function or format that does not exist ends the program, as in Core Data.
extension FetchExpression {
  /// A function of a closed set, as `sum:`.
  public init(forFunction name: String, arguments: [Any]) {
    self = orEnd {
      try FetchExpression.calling(
        name, arguments.map { $0 as? FetchExpression ?? FetchExpression(forConstantValue: $0) })
    }
  }

  /// Parses an expression in Core Data's format language.
  public init(format: String, _ arguments: Any?...) {
    self = orEnd { try FetchExpression(format: format, argumentArray: arguments) }
  }

  /// A property along a key path.
  public init<Root: ManagedObject, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let path = Root.propertyPath(for: keyPath) else {
      preconditionFailure("The key path reads something else than properties of the model.")
    }
    self.init(forKeyPath: path.joined(separator: "."))
  }

  /// A value.
  public init(forConstantValue value: Any?) {
    guard let value = Value(any: value) else {
      preconditionFailure("A constant is a value of the model, not a \(type(of: value)).")
    }
    self = .constant(value)
  }

  /// A variable.
  public init(forVariable name: String) {
    self = .variable(name)
  }

  /// A list.
  public init(forAggregate expressions: [Any]) {
    self = .list(
      expressions.map { $0 as? FetchExpression ?? FetchExpression(forConstantValue: $0) })
  }

  /// `SELF`.
  public static func expressionForEvaluatedObject() -> FetchExpression { .evaluatedObject }
}
