// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Makes a condition with typed operators.
  ///
  /// ```swift
  /// let adults = FetchPredicate(Person.self) { $0.age >= 18 && $0.name.hasPrefix("A") }
  /// ```
  ///
  /// - Parameters:
  ///   - root: The class of the objects.
  ///   - condition: The condition, made of the members of its argument.
  public init<Root: KeyPathNaming>(
    _ root: Root.Type, _ condition: (QueryObject<Root>) -> FetchPredicate
  ) {
    self = condition(QueryObject())
  }
}

extension SortOrdering {
  /// Makes a sort step from a key path of stored properties. A request with any other key path, such as of a computed
  /// property, throws `invalidRequest` when it is executed.
  ///
  /// ```swift
  /// SortOrdering(\Person.name, comparator: .caseInsensitive)
  /// ```
  public init<Root: KeyPathNaming, Value>(
    _ keyPath: KeyPath<Root, Value>, ascending: Bool = true, comparator: Comparator = .binary
  ) {
    do {
      let key = try Root.storedPath(for: keyPath).joined(separator: ".")
      self.init(key, ascending: ascending, comparator: comparator)
    } catch {
      self.init("\(error)", ascending: ascending, comparator: comparator)
      refusal = error
    }
  }
}

extension SortOrdering {
  /// Makes a step that orders texts by their relevance to a search, the best first. A request with the key path of a
  /// computed property throws `invalidRequest` when it is executed.
  ///
  /// ```swift
  /// Note.fetchRequest().sorted(by: .relevance(\Note.title, to: "wild goo*"))
  /// ```
  public static func relevance<Root: KeyPathNaming, Text: QueryText>(
    _ keyPath: KeyPath<Root, Text>, to search: String
  ) -> SortOrdering {
    var step = SortOrdering(keyPath, ascending: false)
    step.search = SearchQuery(search)
    return step
  }
}

extension FetchRequest where ResultType: KeyPathNaming {
  /// Returns a copy with a further condition, made with typed operators and combined with AND.
  ///
  /// ```swift
  /// let request = FetchRequest<Person>(entityName: "Person").where { $0.age >= 18 }
  /// ```
  @_disfavoredOverload
  package func `where`(_ condition: (QueryObject<ResultType>) -> FetchPredicate) -> FetchRequest {
    filter(condition(QueryObject()))
  }

  /// Returns a copy with a further sort step after the existing ones.
  ///
  /// ```swift
  /// let sorted = request.sorted(by: \.department?.name).sorted(by: \.age, ascending: false)
  /// ```
  @_disfavoredOverload
  package func sorted<Value>(
    by keyPath: KeyPath<ResultType, Value>, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(keyPath, ascending: ascending, comparator: comparator))
  }

  /// Returns a copy that also prefetches further relationships (B127).
  @_disfavoredOverload
  package func prefetching<each Value>(
    _ keyPaths: repeat KeyPath<ResultType, each Value>
  ) -> FetchRequest {
    var paths: [AnyKeyPath] = []
    for keyPath in repeat each keyPaths { paths.append(keyPath) }
    return prefetching(paths)
  }

  /// Adds relationships by their key paths; a key path without a relationship is refused when the request is
  /// executed.
  package func prefetching(_ keyPaths: [AnyKeyPath]) -> FetchRequest {
    changed { criteria in
      for keyPath in keyPaths {
        do throws(RefusedKeyPath) {
          let step = try ResultType.storedPath(for: keyPath).joined(separator: ".")
          criteria.relationshipKeyPathsForPrefetching =
            (criteria.relationshipKeyPathsForPrefetching ?? []) + [step]
        } catch {
          criteria.refusedKeyPaths.append(error)
        }
      }
    }
  }
}
