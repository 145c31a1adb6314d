// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

// Requests as sentences: each method changes the request and returns it. They are here, and not beside the request:
// Core Data has none of them, and a program that uses its names may have its own.
extension FetchRequest {
  /// Makes a request for an entity.
  ///
  /// - Parameter entity: The entity.
  public convenience init(entity: EntityDescription) {
    self.init()
    self.entity = entity
  }

  /// Adds a condition; together with one that the request has, both must hold.
  ///
  /// ```swift
  /// let adults = FetchRequest<Person>(entityName: "Person").filter(isAdult).limit(10)
  /// ```
  @discardableResult
  public func filter(_ predicate: FetchPredicate) -> FetchRequest {
    update { criteria in
      criteria.predicate = criteria.predicate.map { $0 && predicate } ?? predicate
    }
    return self
  }

  /// Adds a condition as a format string.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`; the request is unchanged then.
  @discardableResult
  public func filter(_ format: String, _ arguments: Any?...) throws -> FetchRequest {
    filter(try FetchPredicate(format: format, argumentArray: arguments))
  }

  /// Adds a step to the order, after those that the request has.
  ///
  /// - Parameters:
  ///   - key: The key path of an attribute, along to-one relationships.
  ///   - ascending: Whether small values come first.
  ///   - comparator: How strings are compared.
  @discardableResult
  public func sorted(
    by key: String, ascending: Bool = true, comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(key, ascending: ascending, comparator: comparator))
  }

  /// Adds steps to the order, after those that the request has.
  @discardableResult
  public func sorted(by steps: SortOrdering...) -> FetchRequest {
    update { $0.sortDescriptors = ($0.sortDescriptors ?? []) + steps }
    return self
  }

  /// Sets how many results are wanted at the most; 0 for all.
  @discardableResult
  public func limit(_ count: Int) -> FetchRequest {
    update { $0.fetchLimit = count }
    return self
  }

  /// Sets how many results are left out at the beginning.
  @discardableResult
  public func offset(_ count: Int) -> FetchRequest {
    update { $0.fetchOffset = count }
    return self
  }

  /// Adds relationships whose destinations are fetched too.
  @discardableResult
  public func prefetching(_ keyPaths: String...) -> FetchRequest {
    update {
      $0.relationshipKeyPathsForPrefetching =
        ($0.relationshipKeyPathsForPrefetching ?? []) + keyPaths
    }
    return self
  }
}
