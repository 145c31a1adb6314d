// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import RoostQuery

/// The order of a selection's groups, if a column is part of it: stores sort groups only by what they are grouped by.
struct SelectionOrder {
  private struct Step {
    let expression: FetchExpression
    let ascending: Bool
    let comparator: SortOrdering.Comparator
  }

  private var steps: [Step] = []
  private var hasColumns = false

  /// Adds a step.
  ///
  /// - Parameter isColumn: Whether the step is a column, and no attribute that stores can sort by.
  mutating func add(
    _ expression: FetchExpression, ascending: Bool, comparator: SortOrdering.Comparator,
    isColumn: Bool
  ) {
    steps.append(Step(expression: expression, ascending: ascending, comparator: comparator))
    if isColumn { hasColumns = true }
  }

  /// Fetches the tuples of a request in this order. Each may have further values at its end.
  func tuples(
    of request: FetchRequest<[String: Any]>, in context: ManagedObjectContext
  ) throws -> [ArraySlice<Value>] {
    guard hasColumns else { return try context.fetchTuples(request) }
    let groups = request.propertiesToGroupBy ?? []
    guard !groups.isEmpty else {
      throw PersistenceError(
        .invalidRequest, "Only groups can be sorted by a column.", entityName: request.entityName
      ).remedied(by: "Sort by a key path, or group the objects.")
    }
    let width = request.propertiesToFetch?.count ?? 0
    let all = request.copy()
    all.propertiesToFetch =
      (request.propertiesToFetch ?? []) + steps.map { ExpressionDescription(of: $0.expression) }
      + groups
    all.returnsDistinctResults = false
    // Negative ones are refused as always.
    all.fetchLimit = min(request.fetchLimit, 0)
    all.fetchOffset = min(request.fetchOffset, 0)
    let tuples = try context.fetchTuples(all)
    let sorted = places(of: tuples, from: width).map { tuples[$0] }
    let distinct = request.returnsDistinctResults ? Self.distinct(sorted, width) : sorted
    let rest = distinct.dropFirst(request.fetchOffset)
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }

  /// Returns the indices of the tuples in their order.
  ///
  /// - Parameter width: The place of the first value to compare in each tuple.
  private func places(of tuples: [ArraySlice<Value>], from width: Int) -> [Int] {
    let count = (tuples.first?.count ?? 0) - width
    let columns = (0..<max(0, count)).map { place in
      let values = tuples.map { $0[$0.startIndex + width + place] }
      guard place < steps.count else { return SortColumn(values, .binary, ascending: true) }
      return SortColumn(values, steps[place].comparator, ascending: steps[place].ascending)
    }
    return tuples.indices.sorted { left, right in
      for column in columns {
        let order = column.order(left, right)
        if order != 0 { return order < 0 }
      }
      return left < right
    }
  }

  private static func distinct(
    _ tuples: [ArraySlice<Value>], _ width: Int
  ) -> [ArraySlice<Value>] {
    var seen: Set<[Value]> = []
    return tuples.filter { seen.insert(Array($0.prefix(width))).inserted }
  }
}

extension ExpressionDescription {
  /// Makes a column of an expression, by which errors name it.
  convenience init(of expression: FetchExpression) {
    self.init(name: expression.description)
    self.expression = expression
  }
}
