// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A place in the results of a sorted request: that of an object, given by what it is sorted by and by its ID, which
/// breaks ties.
package struct PagePosition: Sendable, Hashable {
  /// What the object is sorted by, a value for each step of the order.
  package var values: [Value]
  package var id: ObjectID

  package init(values: [Value], id: ObjectID) {
    self.values = values
    self.id = id
  }

  /// The conditions for what comes after the position. Results of an earlier one come before those of a later one, so
  /// that each of them is a range of the first step's values, which an index can find.
  ///
  /// - Parameters:
  ///   - order: The order, as long as ``values``.
  ///   - includesEqualKeys: Whether what has the same values and the same key counts as well: records of several stores
  ///     can have one key.
  /// - Throws: `invalidRequest` for an order that no condition can express.
  package func conditions(
    after order: [SortOrdering], includesEqualKeys: Bool
  ) throws(PersistenceError) -> [FetchPredicate] {
    var steps: [(step: SortOrdering, value: Value)] = []
    var idIsAscending = true
    for (step, value) in zip(order, values) {
      if step.key.lowercased() == "self" {
        // No two objects are equal in what they are: later steps decide nothing.
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

  /// The condition cut by what the first step says, nil being the smallest value.
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

  /// Whether something comes strictly later in a step; nil when nothing can.
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
