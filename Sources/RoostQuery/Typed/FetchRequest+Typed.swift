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
  /// Makes a step of a sort order of a key path of stored properties. A request with another one, as that of a
  /// computed property, throws `invalidRequest` when it is executed.
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

extension FetchRequest where ResultType: KeyPathNaming {
  /// Adds a condition made with typed operators; together with one that the request has, both must hold.
  ///
  /// ```swift
  /// let request = FetchRequest<Person>(entityName: "Person").where { $0.age >= 18 }
  /// ```
  @_disfavoredOverload
  @discardableResult
  package func `where`(_ condition: (QueryObject<ResultType>) -> FetchPredicate) -> FetchRequest {
    filter(condition(QueryObject()))
  }

  /// Adds a step to the order, after those that the request has.
  ///
  /// ```swift
  /// request.sorted(by: \.department?.name).sorted(by: \.age, ascending: false)
  /// ```
  @_disfavoredOverload
  @discardableResult
  package func sorted<Value>(
    by keyPath: KeyPath<ResultType, Value>, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> FetchRequest {
    sorted(by: SortOrdering(keyPath, ascending: ascending, comparator: comparator))
  }

  /// Adds relationships whose destinations are fetched too (B127).
  @_disfavoredOverload
  @discardableResult
  package func prefetching<each Value>(
    _ keyPaths: repeat KeyPath<ResultType, each Value>
  ) -> FetchRequest {
    for keyPath in repeat each keyPaths { prefetch(keyPath) }
    return self
  }

  /// Adds a relationship by its key path; one that names none is refused when the request is executed.
  package func prefetch(_ keyPath: AnyKeyPath) {
    do {
      prefetching(try ResultType.storedPath(for: keyPath).joined(separator: "."))
    } catch {
      update { $0.refusedKeyPaths.append(error) }
    }
  }
}
