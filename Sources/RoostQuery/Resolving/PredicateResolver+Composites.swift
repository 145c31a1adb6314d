// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Comparisons of composites with nil. A composite has no value of its own: it is nil when all of its elements are.
extension PredicateResolver {
  /// Resolves `address == nil` and `address != nil`; nil for any other comparison.
  mutating func compositeComparison(
    _ predicate: ComparisonPredicate
  ) throws -> ResolvedPredicate? {
    guard predicate.comparison == .equalTo || predicate.comparison == .notEqualTo else {
      return nil
    }
    let object: FetchExpression
    if predicate.right.isNil {
      object = predicate.left
    } else if predicate.left.isNil {
      object = predicate.right
    } else {
      return nil
    }
    guard let (steps, root) = steps(of: object),
      let end = compositeEnd(steps[...], from: root)
    else { return nil }
    guard !end.isToMany else {
      throw invalid(
        "“\(steps.joined(separator: "."))” has many values: compare the composite of each object with nil, in a "
          + "SUBQUERY")
    }
    let elements = Self.elements(of: end.composite).map { path in
      FetchPredicate.comparison(
        ComparisonPredicate(object.appending(path).expression, .equalTo, .constant(.null)))
    }
    let isNil = try self.predicate(.and(elements))
    return predicate.comparison == .equalTo ? isNil : Self.negated(isNil)
  }

  /// Returns the names of a key path and the object where it starts; nil for any other expression, and for a variable
  /// that has no value.
  private func steps(of expression: FetchExpression) -> ([String], ResolvedPath.Root)? {
    switch expression {
    case .keyPath(let steps): return (steps, .object)
    case .keyPathOf(.evaluatedObject, let steps): return (steps, .object)
    case .keyPathOf(.variable(let name), let steps):
      return members.lastIndex { $0.name == name }.map { (steps, .variable($0)) }
    default: return nil
    }
  }

  /// Returns the names that lead to each element that is no composite itself, in order. The depth of composites is
  /// checked with the model.
  private static func elements(of composite: CompositeAttributeDescription) -> [[String]] {
    composite.elements.flatMap { element -> [[String]] in
      guard let inner = element as? CompositeAttributeDescription else { return [[element.name]] }
      return elements(of: inner).map { [element.name] + $0 }
    }
  }
}

extension FetchExpression {
  /// Whether it is the constant nil.
  fileprivate var isNil: Bool {
    switch self {
    case .constant(let value): value.isNull
    case .nullObject: true
    default: false
    }
  }
}
