// SPDX-License-Identifier: Apache-2.0

// The fluent interface of requests: each method returns a changed copy, and does not change the request itself.
// `Roost` makes the methods public; Core Data has none, so they are hidden in its API.
extension FetchRequest {
  /// Returns a copy with a further condition, combined with AND.
  ///
  /// ```swift
  /// let adults = FetchRequest<Person>(entityName: "Person").filter(isAdult).limit(10)
  /// ```
  @_disfavoredOverload
  package func filter(_ predicate: FetchPredicate) -> FetchRequest {
    changed { criteria in
      criteria.predicate = criteria.predicate.map { $0 && predicate } ?? predicate
    }
  }

  /// Returns a copy with a further condition, as a format string.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  @_disfavoredOverload
  package func filter(_ format: String, _ arguments: Any?...) throws -> FetchRequest {
    filter(try FetchPredicate(format: format, argumentArray: arguments))
  }

  /// Returns a copy with a further sort step after the existing ones.
  ///
  /// - Parameters:
  ///   - key: The key path of an attribute, along to-one relationships.
  ///   - ascending: Whether the order is ascending.
  ///   - comparator: How strings are compared.
  @_disfavoredOverload
  package func sorted(
    by key: String, ascending: Bool = true, comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(key, ascending: ascending, comparator: comparator))
  }

  /// Returns a copy with further sort steps after the existing ones.
  @_disfavoredOverload
  package func sorted(by steps: SortOrdering...) -> FetchRequest {
    changed { $0.sortDescriptors = ($0.sortDescriptors ?? []) + steps }
  }

  /// Returns a copy with a maximum number of results; 0 for all.
  @_disfavoredOverload
  package func limit(_ count: Int) -> FetchRequest {
    changed { $0.fetchLimit = count }
  }

  /// Returns a copy that skips a number of results at the beginning.
  @_disfavoredOverload
  package func offset(_ count: Int) -> FetchRequest {
    changed { $0.fetchOffset = count }
  }

  /// Returns a copy that also prefetches further relationships (B127).
  @_disfavoredOverload
  package func prefetching(_ keyPaths: String...) -> FetchRequest {
    changed {
      $0.relationshipKeyPathsForPrefetching =
        ($0.relationshipKeyPathsForPrefetching ?? []) + keyPaths
    }
  }
}
