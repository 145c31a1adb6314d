// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

// Fluent construction of requests: each method returns a changed copy, and leaves the original unchanged. The methods
// are in this module and not in the request's own: Core Data has none of them, and a program that uses its names may
// have its own.
extension FetchRequest {
  /// Makes a request for an entity.
  ///
  /// - Parameter entity: The entity.
  public convenience init(entity: EntityDescription) {
    self.init()
    self.entity = entity
  }

  /// Returns a copy with an additional condition, combined by AND with an existing one.
  ///
  /// ```swift
  /// let adults = FetchRequest<Person>(entityName: "Person").filter(isAdult).limit(10)
  /// ```
  public func filter(_ predicate: FetchPredicate) -> FetchRequest {
    changed { criteria in
      criteria.predicate = criteria.predicate.map { $0 && predicate } ?? predicate
    }
  }

  /// Returns a copy with an additional condition, given as a format string.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  public func filter(_ format: String, _ arguments: Any?...) throws -> FetchRequest {
    filter(try FetchPredicate(format: format, argumentArray: arguments))
  }

  /// Returns a copy with an additional sort descriptor, after the existing ones.
  ///
  /// - Parameters:
  ///   - key: The key path of an attribute, along to-one relationships.
  ///   - ascending: Whether small values come first.
  ///   - comparator: How strings are compared.
  public func sorted(
    by key: String, ascending: Bool = true, comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(key, ascending: ascending, comparator: comparator))
  }

  /// Returns a copy with additional sort descriptors, after the existing ones.
  public func sorted(by steps: SortOrdering...) -> FetchRequest {
    changed { $0.sortDescriptors = ($0.sortDescriptors ?? []) + steps }
  }

  /// Returns a copy with a maximum number of results; 0 for all.
  public func limit(_ count: Int) -> FetchRequest {
    changed { $0.fetchLimit = count }
  }

  /// Returns a copy that skips a number of results.
  public func offset(_ count: Int) -> FetchRequest {
    changed { $0.fetchOffset = count }
  }

  /// Returns a copy that prefetches additional relationships.
  public func prefetching(_ keyPaths: String...) -> FetchRequest {
    changed {
      $0.relationshipKeyPathsForPrefetching =
        ($0.relationshipKeyPathsForPrefetching ?? []) + keyPaths
    }
  }
}
