// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostObjects
public import RoostQuery

/// Selected columns of the objects of a class, optionally grouped: tuples of typed values instead of dictionaries.
///
/// ```swift
/// let rows = try context.select(Issue.self) { ($0.state, $0.count, $0.created.max) }
///   .where { $0.points > 0 }
///   .grouped(by: \.state)
///   .sorted(by: \.state)
///   .fetch()
/// for (state, count, newest) in rows { print(state, count, newest ?? "never") }
/// ```
/// Each method returns a changed copy. Like the dictionaries of a fetch, the tuples reflect the stores, without
/// unsaved changes.
public struct FetchSelection<Root: ManagedObject, each Column: SelectionColumn> {
  let context: ManagedObjectContext
  let columns: (repeat each Column)
  var request: FetchRequest<[String: Any]>
  /// The order of groups by columns, which the stores' answers are brought into.
  private var order = SelectionOrder()

  init(_ context: ManagedObjectContext, _ columns: repeat each Column) {
    self.context = context
    self.columns = (repeat each columns)
    request = FetchRequest<[String: Any]>(entityName: Root.entityName)
    var properties: [any FetchableProperty] = []
    func add(_ column: some SelectionColumn) {
      properties.append(ExpressionDescription(of: column.content.expression))
    }
    repeat add(each columns)
    request.propertiesToFetch = properties
  }

  private func changed(_ change: (FetchRequest<[String: Any]>) -> Void) -> Self {
    var copy = self
    copy.request = request.copy()
    change(copy.request)
    return copy
  }

  /// Adds a condition on the objects, combined by AND with an existing one.
  public func `where`(_ condition: (QueryObject<Root>) -> FetchPredicate) -> Self {
    var copy = self
    copy.request = request.filter(FetchPredicate(Root.self, condition))
    return copy
  }

  /// Groups the objects by attributes; columns that are not aggregates must be among them.
  public func grouped<each Value>(by keyPaths: repeat KeyPath<Root, each Value>) -> Self {
    changed { request in
      var properties = request.propertiesToGroupBy ?? []
      for keyPath in repeat each keyPaths {
        properties.append(ExpressionDescription(of: QueryObject<Root>.expression(of: keyPath)))
      }
      request.propertiesToGroupBy = properties
    }
  }

  /// Adds a sort descriptor: for objects by any attribute, for groups by a grouping attribute.
  public func sorted<Value>(
    by keyPath: KeyPath<Root, Value>, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> Self {
    var copy = changed { request in
      request.sortDescriptors =
        (request.sortDescriptors ?? [])
        + [SortOrdering(keyPath, ascending: ascending, comparator: comparator)]
    }
    copy.order.add(
      QueryObject<Root>.expression(of: keyPath), ascending: ascending, comparator: comparator,
      isColumn: false)
    return copy
  }

  /// Sorts groups by a column, such as an aggregate, after the orders that were added before. Groups that are equal in
  /// all of them are in the order of the attributes that they are grouped by.
  ///
  /// ```swift
  /// let busiest = try context.select(Issue.self) { ($0.state, $0.count) }
  ///   .grouped(by: \.state).sorted(by: { $0.count }, ascending: false).limit(10).fetch()
  /// ```
  /// - Parameters:
  ///   - column: Returns the column, which need not be selected.
  ///   - ascending: Whether the smallest comes first; nil is smaller than every value.
  ///   - comparator: How strings are compared.
  /// - Complexity: All groups are fetched and sorted in memory, whatever the limit is.
  @_disfavoredOverload
  public func sorted<Step: SelectionColumn>(
    by column: (SelectionObject<Root>) -> Step, ascending: Bool = true,
    comparator: SortOrdering.Comparator = .binary
  ) -> Self {
    var copy = self
    copy.order.add(
      column(SelectionObject()).content.expression, ascending: ascending, comparator: comparator,
      isColumn: true)
    return copy
  }

  /// Adds a condition on the groups.
  ///
  /// ```swift
  /// let busy = try context.select(Issue.self) { ($0.state, $0.count) }
  ///   .grouped(by: \.state).having { $0.count > 10 }.fetch()
  /// ```
  public func having(_ condition: (SelectionObject<Root>) -> FetchPredicate) -> Self {
    let predicate = condition(SelectionObject())
    return changed { request in
      request.havingPredicate = request.havingPredicate.map { $0 && predicate } ?? predicate
    }
  }

  /// Returns a copy that removes duplicate tuples.
  public func distinct() -> Self { changed { $0.returnsDistinctResults = true } }

  /// Sets the maximum number of tuples; 0 for all.
  public func limit(_ count: Int) -> Self { changed { $0.fetchLimit = count } }

  /// Sets the number of tuples to skip.
  public func offset(_ count: Int) -> Self { changed { $0.fetchOffset = count } }

  /// Returns the tuples.
  ///
  /// - Throws: As `fetch` of dictionaries: ``PersistenceError`` with code `invalidRequest` for columns that are
  ///   neither grouped nor aggregates; `invalidValue` where a column that is not optional has nil, or a raw value
  ///   without a case.
  /// - Complexity: One query for each affected store. Groups that are sorted by a column are all read.
  public func fetch() throws -> [(repeat (each Column).Value)] {
    try order.tuples(of: request, in: context).map { values in
      var place = values.startIndex
      func next<C: SelectionColumn>(_ column: C) throws -> C.Value {
        defer { place += 1 }
        return try column.content.read(values[place])
      }
      return (repeat try next(each columns))
    }
  }
}

extension ManagedObjectContext {
  /// Begins a selection: columns of the objects of a class, as typed tuples.
  ///
  /// ```swift
  /// let (count, oldest) = try context.select(Person.self) { ($0.count, $0.age.max) }.fetch()[0]
  /// ```
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - columns: Returns the columns as members of its argument.
  /// - Returns: The selection, which is narrowed by its methods and fetched by ``FetchSelection/fetch()``.
  public func select<T: ManagedObject, each Column: SelectionColumn>(
    _ objectClass: T.Type, _ columns: (SelectionObject<T>) -> (repeat each Column)
  ) -> FetchSelection<T, repeat each Column> {
    let made = columns(SelectionObject<T>())
    return FetchSelection<T, repeat each Column>(self, repeat each made)
  }
}
