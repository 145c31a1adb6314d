// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery

// Each method returns a changed copy and leaves the original unchanged.
extension FetchRequest where ResultType: KeyPathNaming {
  /// Returns a copy with an additional condition, made with typed operators, combined by AND with an existing one.
  ///
  /// ```swift
  /// let request = FetchRequest<Person>(entityName: "Person").where { $0.age >= 18 }
  /// ```
  public func `where`(_ condition: (QueryObject<ResultType>) -> FetchPredicate) -> FetchRequest {
    filter(FetchPredicate(ResultType.self, condition))
  }

  /// Returns a copy with an additional sort descriptor, after the existing ones.
  ///
  /// ```swift
  /// let sorted = request.sorted(by: \.department?.name).sorted(by: \.age, ascending: false)
  /// ```
  public func sorted<Value>(
    by keyPath: KeyPath<ResultType, Value>, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(keyPath, ascending: ascending, comparator: comparator))
  }

  /// Returns a copy for the objects whose text has all words of a search, the best matches first, after the existing
  /// sort descriptors.
  ///
  /// ```swift
  /// let best = Note.fetchRequest().searching(\.title, for: "wild goo*").sorted(by: \.title).limit(20)
  /// ```
  /// - Parameters:
  ///   - keyPath: The text, along to-one relationships.
  ///   - search: The search text, as ``SearchQuery`` parses it.
  public func searching<Text: QueryText>(
    _ keyPath: KeyPath<ResultType, Text>, for search: String
  ) -> FetchRequest {
    let order = SortOrdering.relevance(keyPath, to: search)
    var condition = ComparisonPredicate(
      FetchExpression(forKeyPath: order.key), .search, .constant(.string(search)))
    if let refusal = order.refusal { condition.left = .refused(refusal) }
    return filter(.comparison(condition)).sorted(by: order)
  }

  /// Returns a copy that prefetches additional relationships.
  public func prefetching<each Value>(
    _ keyPaths: repeat KeyPath<ResultType, each Value>
  ) -> FetchRequest {
    var paths: [AnyKeyPath] = []
    for keyPath in repeat each keyPaths { paths.append(keyPath) }
    return prefetching(paths)
  }
}
