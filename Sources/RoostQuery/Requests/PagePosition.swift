// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A position in the results of a sorted request (keyset pagination): the sort keys of an object, and its ID as the
/// tie-breaker.
package struct PagePosition: Sendable, Hashable {
  /// The sort keys of the object, one for each step.
  package var values: [Value]
  package var id: ObjectID

  package init(values: [Value], id: ObjectID) {
    self.values = values
    self.id = id
  }

  /// Returns the conditions for results after the position, in result order. Each is a range of the first step's
  /// values, which an index can find.
  ///
  /// - Parameters:
  ///   - order: The sort order, with as many steps as ``values``.
  ///   - includesEqualKeys: Whether results with equal sort keys and the same record key are included: records of
  ///     several stores can have the same key.
  /// - Throws: `invalidRequest` for a sort order that no condition can express.
  package func conditions(
    after order: [SortOrdering], includesEqualKeys: Bool
  ) throws(PersistenceError) -> [FetchPredicate] {
    var steps: [(step: SortOrdering, value: Value)] = []
    var idIsAscending = true
    for (step, value) in zip(order, values) {
      if step.key.lowercased() == "self" {
        // Object identity is unique, so later steps have no effect.
        idIsAscending = step.ascending
        break
      }
      guard step.search == nil else {
        throw PersistenceError(
          .invalidRequest, "Pages cannot be made in the order of a search: scores are in no store.",
          key: step.key
        ).remedied(by: "Fetch with a limit and an offset, or sort by something else.")
      }
      guard step.comparator == .binary || step.comparator == .caseInsensitive else {
        throw PersistenceError(
          .invalidRequest,
          "Pages cannot be made in the order of a locale: no store can find where the next begins.",
          key: step.key
        ).remedied(by: "Sort “\(step.key)” by bytes, or without regard to case.")
      }
      steps.append((step, value))
    }
    var alternatives: [FetchPredicate] = []
    var equal: [FetchPredicate] = []
    for (step, value) in steps {
      if let later = Self.isLater(step, value) { alternatives.append(.and(equal + [later])) }
      equal.append(Self.comparison(step, .equalTo, value))
    }
    alternatives.append(
      .and(equal + [isLaterInTies(ascending: idIsAscending, includesEqualKeys)]))
    guard let (step, value) = steps.first else { return alternatives }
    return Self.ranges(step, value, .or(alternatives))
  }

  private func isLaterInTies(ascending: Bool, _ includesEqualKeys: Bool) -> FetchPredicate {
    let comparison: ComparisonPredicate.Comparison =
      switch (ascending, includesEqualKeys) {
      case (true, false): .greaterThan
      case (true, true): .greaterThanOrEqualTo
      case (false, false): .lessThan
      case (false, true): .lessThanOrEqualTo
      }
    return .comparison(
      ComparisonPredicate(.evaluatedObject, comparison, .constant(.objectID(id))))
  }

  /// Restricts the condition to ranges of the first step; nil is the smallest value.
  private static func ranges(
    _ step: SortOrdering, _ value: Value, _ condition: FetchPredicate
  ) -> [FetchPredicate] {
    switch (step.ascending, value.isNull) {
    case (true, true): [condition]
    case (true, false): [.and([comparison(step, .greaterThanOrEqualTo, value), condition])]
    case (false, true): [.and([comparison(step, .equalTo, .null), condition])]
    case (false, false):
      [
        .and([comparison(step, .lessThanOrEqualTo, value), condition]),
        comparison(step, .equalTo, .null),
      ]
    }
  }

  /// Returns the condition for strictly later values in a step; nil when there are none.
  private static func isLater(_ step: SortOrdering, _ value: Value) -> FetchPredicate? {
    switch (step.ascending, value.isNull) {
    case (true, true): return comparison(step, .notEqualTo, .null)
    case (true, false): return comparison(step, .greaterThan, value)
    case (false, true): return nil
    case (false, false):
      return .or([comparison(step, .lessThan, value), comparison(step, .equalTo, .null)])
    }
  }

  private static func comparison(
    _ step: SortOrdering, _ comparison: ComparisonPredicate.Comparison, _ value: Value
  ) -> FetchPredicate {
    let isText = if case .string = value { true } else { false }
    return .comparison(
      ComparisonPredicate(
        FetchExpression(forKeyPath: step.key), comparison, .constant(value),
        options: isText && step.comparator == .caseInsensitive ? .caseInsensitive : []))
  }
}
