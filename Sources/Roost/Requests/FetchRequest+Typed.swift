// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery

extension FetchRequest where ResultType: KeyPathNaming {
  /// Adds a condition made with typed operators; together with one that the request has, both must hold.
  ///
  /// ```swift
  /// let request = FetchRequest<Person>(entityName: "Person").where { $0.age >= 18 }
  /// ```
  @discardableResult
  public func `where`(_ condition: (QueryObject<ResultType>) -> FetchPredicate) -> FetchRequest {
    filter(FetchPredicate(ResultType.self, condition))
  }

  /// Adds a step to the order, after those that the request has.
  ///
  /// ```swift
  /// request.sorted(by: \.department?.name).sorted(by: \.age, ascending: false)
  /// ```
  @discardableResult
  public func sorted<Value>(
    by keyPath: KeyPath<ResultType, Value>, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(keyPath, ascending: ascending, comparator: comparator))
  }

  /// Adds relationships whose destinations are fetched too.
  @discardableResult
  public func prefetching<each Value>(
    _ keyPaths: repeat KeyPath<ResultType, each Value>
  ) -> FetchRequest {
    for keyPath in repeat each keyPaths { prefetch(keyPath) }
    return self
  }
}
