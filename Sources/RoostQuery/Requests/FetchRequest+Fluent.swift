// SPDX-License-Identifier: Apache-2.0

// Requests as sentences: each method returns a changed copy, and leaves the request that it is called on as it is.
// `Roost` makes them public: Core Data has none, so they are not seen under its names.
extension FetchRequest {
  /// Returns a copy with one more condition; together with one that the request has, both must hold.
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

  /// Returns a copy with one more condition, as a format string.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  @_disfavoredOverload
  package func filter(_ format: String, _ arguments: Any?...) throws -> FetchRequest {
    filter(try FetchPredicate(format: format, argumentArray: arguments))
  }

  /// Returns a copy with one more step of the order, after those that the request has.
  ///
  /// - Parameters:
  ///   - key: The key path of an attribute, along to-one relationships.
  ///   - ascending: Whether small values come first.
  ///   - comparator: How strings are compared.
  @_disfavoredOverload
  package func sorted(
    by key: String, ascending: Bool = true, comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(key, ascending: ascending, comparator: comparator))
  }

  /// Returns a copy with more steps of the order, after those that the request has.
  @_disfavoredOverload
  package func sorted(by steps: SortOrdering...) -> FetchRequest {
    changed { $0.sortDescriptors = ($0.sortDescriptors ?? []) + steps }
  }

  /// Returns a copy that wants so many results at the most; 0 for all.
  @_disfavoredOverload
  package func limit(_ count: Int) -> FetchRequest {
    changed { $0.fetchLimit = count }
  }

  /// Returns a copy that leaves out so many results at the beginning.
  @_disfavoredOverload
  package func offset(_ count: Int) -> FetchRequest {
    changed { $0.fetchOffset = count }
  }

  /// Returns a copy that fetches the destinations of more relationships, too (B127).
  @_disfavoredOverload
  package func prefetching(_ keyPaths: String...) -> FetchRequest {
    changed {
      $0.relationshipKeyPathsForPrefetching =
        ($0.relationshipKeyPathsForPrefetching ?? []) + keyPaths
    }
  }
}
