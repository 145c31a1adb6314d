// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Enum cases can be written by hand, so one tree can have two spellings, which are equal and have equal hashes.
extension FetchExpression: Hashable {
  /// Whether two expressions are the same tree, however they were made.
  public static func == (left: FetchExpression, right: FetchExpression) -> Bool {
    switch (left.normalized, right.normalized) {
    case (.constant(let left), .constant(let right)): left == right
    case (.nullObject, .nullObject), (.evaluatedObject, .evaluatedObject): true
    case (.keyPath(let left), .keyPath(let right)): left == right
    case (.keyPathOf(let left, let path), .keyPathOf(let right, let other)):
      path == other && left == right
    case (.variable(let left), .variable(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.function(let left, let arguments), .function(let right, let others)):
      left == right && arguments == others
    case (.subquery(let left, let name, let condition), .subquery(let right, let other, let last)):
      name == other && left == right && condition == last
    case (.conditional(let left, let yes, let no), .conditional(let right, let other, let last)):
      left == right && yes == other && no == last
    case (.refused(let left), .refused(let right)): left == right
    default: false
    }
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch normalized {
    case .constant(let value):
      hasher.combine(0)
      hasher.combine(value)
    case .nullObject: hasher.combine(1)
    case .evaluatedObject: hasher.combine(2)
    case .keyPath(let path):
      hasher.combine(3)
      hasher.combine(path)
    case .keyPathOf(let base, let path):
      hasher.combine(4)
      hasher.combine(base)
      hasher.combine(path)
    case .variable(let name):
      hasher.combine(5)
      hasher.combine(name)
    case .list(let members):
      hasher.combine(6)
      hasher.combine(members)
    case .function(let function, let arguments):
      hasher.combine(7)
      hasher.combine(function)
      hasher.combine(arguments)
    case .subquery(let collection, let variable, let condition):
      hasher.combine(8)
      hasher.combine(collection)
      hasher.combine(variable)
      hasher.combine(condition)
    case .conditional(let condition, let first, let second):
      hasher.combine(9)
      hasher.combine(condition)
      hasher.combine(first)
      hasher.combine(second)
    case .refused(let keyPath):
      hasher.combine(10)
      hasher.combine(keyPath)
    }
  }

  /// The node in the form that the parser makes; its operands are unchanged.
  private var normalized: FetchExpression {
    switch self {
    case .constant(.boolean(let truth)): .constant(.integer(truth ? 1 : 0))
    case .constant(.list(let values)): .list(values.map { .constant($0) })
    case .keyPath(let path) where path.isEmpty || path[0].lowercased() == "self":
      FetchExpression.evaluatedObject.appending(path).expression
    case .keyPathOf(let base, let path): base.normalized.appending(path).expression
    default: self
    }
  }
}
